"""Import packs of public ChemBench reports."""

import json
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from corpus.models import Benchmark, QuestionSet, QuestionSetRevision
from corpus.selectors.questions import no_benchmark
from evaluations.importers.chembench_reports import UnreadablePackError
from evaluations.models import System
from evaluations.selectors import board_items, outcome_counts
from evaluations.services.reports import (
    ImportReportsError,
    PackImported,
    RunImported,
    reports_import,
    whole_set_revision,
)

RULES = ("standard", "as-published")


class Command(BaseCommand):
    help = (
        "Import packs of public ChemBench reports, each a zip or a folder (reports-<model>.zip or <model>/). "
        "A run that is already there is left as it is."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("packs", nargs="+", type=Path, metavar="ZIP_OR_FOLDER")
        parser.add_argument("--benchmark", default="chembench", help="slug of the benchmark (default: chembench)")
        parser.add_argument("--set", dest="set_slug", default="", help="count the verdicts on this set only")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        benchmark = Benchmark.objects.filter(slug=options["benchmark"]).first()
        if benchmark is None:
            raise CommandError(no_benchmark(options["benchmark"]))
        counted = _counted_set(benchmark, options["set_slug"])
        packs, systems, failures = [], [], []
        for path in options["packs"]:
            started = time.monotonic()
            try:
                imported = reports_import(path=path, benchmark=benchmark)
            except (UnreadablePackError, ImportReportsError, DatabaseError) as error:
                failures.append({"path": str(path), "reason": str(error)})
                self.stderr.write(f"{path}: {error}")
                continue
            systems.append(imported.system)
            packs.append(_pack_report(path, imported, time.monotonic() - started))
            if not options["json"]:
                self._write(packs[-1])
        entrants = _entrants(systems, counted)
        if options["json"]:
            report = {
                "benchmark": benchmark.slug,
                "set": counted.question_set.slug,
                "packs": packs,
                "failures": failures,
                "entrants": entrants,
            }
            self.stdout.write(json.dumps(report, indent=1))
        else:
            self._write_entrants(entrants)
        if failures:
            raise CommandError(f"{len(failures)} of {len(options['packs'])} packs were not imported.")

    def _write(self, pack: dict[str, Any]) -> None:
        for run in pack["runs"]:
            state = "imported" if run["is_new"] else "already there, left as it is"
            self.stdout.write(
                f"{pack['source_name']} run {run['source_name']}: {state}, {run['n_items']} items, "
                f"{len(run['unknown'])} unknown questions, {len(run['missing'])} missing, "
                f"{len(run['notes'])} notes, {pack['seconds']} s"
            )
            for note in run["notes"]:
                self.stdout.write(f"  {note['key']}: {note['code']}: {note['message']}")
            for key in run["unknown"]:
                self.stdout.write(f"  {key}: unknown to this benchmark's set of all questions")
        for file in pack["refused"]:
            self.stdout.write(f"  refused {file['file']}: {file['reason']}")

    def _write_entrants(self, entrants: list[dict[str, Any]]) -> None:
        for entrant in entrants:
            for rule, counts in entrant["rules"].items():
                said = ", ".join(f"{outcome} {count}" for outcome, count in counts.items() if count)
                self.stdout.write(f"{entrant['slug']} {rule} on {entrant['n_questions']} questions: {said}")


def _counted_set(benchmark: Benchmark, slug: str) -> QuestionSetRevision:
    """Return the revision of the set to count on; the benchmark's set of all questions without a slug."""
    try:
        if not slug:
            return whole_set_revision(benchmark=benchmark)
        question_set = QuestionSet.objects.select_related("current_revision__question_set").get(
            slug=slug, benchmark=benchmark
        )
    except ImportReportsError as error:
        raise CommandError(str(error)) from error
    except QuestionSet.DoesNotExist as error:
        known = ", ".join(benchmark.question_sets.values_list("slug", flat=True))
        raise CommandError(f"There is no set {slug} of {benchmark.slug}. There are: {known}.") from error
    if question_set.current_revision is None:
        raise CommandError(f"The set {slug} has no questions yet.")
    return question_set.current_revision


def _pack_report(path: Path, imported: PackImported, seconds: float) -> dict[str, Any]:
    return {
        "path": str(path),
        "slug": imported.system.slug,
        "source_name": imported.system.source_name,
        "seconds": round(seconds, 1),
        "runs": [_run_report(run) for run in imported.runs],
        "refused": [file._asdict() for file in imported.refused],
    }


def _run_report(imported: RunImported) -> dict[str, Any]:
    return {
        "run": str(imported.run.pk),
        "source_name": imported.run.source_name,
        "status": imported.run.status,
        "is_new": imported.is_new,
        "n_items": imported.n_items,
        "unknown": list(imported.unknown_keys),
        "missing": list(imported.missing_keys),
        "notes": [note._asdict() for note in imported.notes],
    }


def _entrants(systems: list[System], counted: QuestionSetRevision) -> list[dict[str, Any]]:
    """Return the counts of every system once, from the same selector as the board."""
    root_ids = [revision.root_id for revision in counted.question_revisions.all()]
    by_id = {system.pk: system for system in systems}
    boards = {rule: board_items(root_ids=root_ids, rule=rule, system_ids=by_id, with_hidden=True) for rule in RULES}
    return [
        {
            "slug": system.slug,
            "source_name": system.source_name,
            "name": system.name,
            "kind": system.kind,
            "n_questions": len(root_ids),
            "rules": {rule: outcome_counts(board=boards[rule], system_id=system.pk) for rule in RULES},
        }
        for system in by_id.values()
    ]
