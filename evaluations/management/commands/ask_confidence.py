"""Ask how sure a run's system is of the answers it was not asked about yet, or whose asking failed."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from evaluations.errors import EvaluationError
from evaluations.management.named import run_named
from evaluations.services.confidence import ask_confidence
from evaluations.services.confidence_claims import ask_confidence_again
from evaluations.services.questions import run_context


class Command(BaseCommand):
    help = "Ask again what failed of the question how sure a system is; what is stored is not asked again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--run", type=UUID, required=True, metavar="ID")
        parser.add_argument("--json", action="store_true", help="print one JSON object to standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        run = run_named(options["run"])
        if not run.asks_confidence:
            raise CommandError("This run was made without the question of how sure its system is.")
        try:
            ask_confidence_again(run=run)
            tally = ask_confidence(context=run_context(run_id=run.pk))
        except EvaluationError as error:
            raise CommandError(str(error)) from error
        report = {"run": str(run.pk), **asdict(tally)}
        self.stdout.write(
            json.dumps(report)
            if options["json"]
            else f"asked {tally.n_asked}, of which {tally.n_read} state a level and {tally.n_failed} failed"
        )
        if tally.n_failed or not tally.is_over:
            raise CommandError("Some answers still have no level; run this again.")
