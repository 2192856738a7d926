"""Read a run's unparsed replies with its fallback reader, or measure how well a system does that."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from evaluations.errors import EvaluationError
from evaluations.management.named import run_named, system_named
from evaluations.selectors.fallback import fallback_counts
from evaluations.services.fallback import read_with_fallback
from evaluations.services.fallback_accuracy import LabelError, fallback_measure, read_labelled
from evaluations.services.fallback_claims import ask_fallback_again


class Command(BaseCommand):
    help = (
        "With --run: put what is still unparsed in a run to the fallback reader the run was made with. "
        "With --system and --labelled: measure a system on labelled replies; the counts are kept."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--run", type=UUID, metavar="ID")
        parser.add_argument("--system", default="", metavar="SLUG")
        parser.add_argument(
            "--labelled", type=Path, metavar="FILE", help="JSON lines: completion, kind, options, label"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object to standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        if bool(options["run"]) == bool(options["system"] and options["labelled"]):
            raise CommandError("Give either --run, or --system together with --labelled.")
        try:
            report = self._run(options["run"]) if options["run"] else self._measure(options)
        except (EvaluationError, LabelError) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(report))
        else:
            self.stdout.write("\n".join(f"{name}: {value}" for name, value in report.items()))
        if report["n_failed"]:
            raise CommandError(f"{report['n_failed']} replies could not be put to it; run this again.")

    def _run(self, run_id: UUID) -> dict[str, Any]:
        run = run_named(run_id)
        if fallback_counts(run=run) is None:
            raise CommandError("This run was made without a fallback reader; its numbers stay strict.")
        ask_fallback_again(run=run)
        tally = read_with_fallback(run_id=run_id)
        if tally.spent:
            raise CommandError(tally.spent)
        counts = fallback_counts(run=run)
        return {**asdict(tally), **(asdict(counts) if counts else {}), "n_failed": counts.n_waiting if counts else 0}

    def _measure(self, options: dict[str, Any]) -> dict[str, Any]:
        system = system_named(options["system"])
        measured = fallback_measure(system=system, labelled=read_labelled(options["labelled"]))
        return {**asdict(measured), "accuracy": measured.accuracy}
