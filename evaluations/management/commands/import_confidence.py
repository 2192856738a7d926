"""Import files of stated confidence."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from corpus.models import Benchmark
from corpus.selectors.questions import no_benchmark
from evaluations.importers.chembench_reports import UnreadablePackError
from evaluations.services.confidence_import import ConfidenceImported, confidences_import


class Command(BaseCommand):
    help = (
        "Import how sure systems said they are of answers whose reports were imported: a zip or a folder with "
        "results_<model>.csv (columns name, the question's key, and estimate, 1 to 5). What is there is left as it is."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("pack", type=Path, metavar="ZIP_OR_FOLDER")
        parser.add_argument("--benchmark", default="chembench", help="slug of the benchmark (default: chembench)")
        parser.add_argument("--run", default="", help="name of the imported run, for a system that has several")
        parser.add_argument("--dry-run", action="store_true", help="say what would be done, store nothing")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        benchmark = Benchmark.objects.filter(slug=options["benchmark"]).first()
        if benchmark is None:
            raise CommandError(no_benchmark(options["benchmark"]))
        try:
            imported = confidences_import(
                path=options["pack"], benchmark=benchmark, run_name=options["run"], dry_run=options["dry_run"]
            )
        except (UnreadablePackError, DatabaseError) as error:
            raise CommandError(f"Nothing was imported. {error}") from error
        if options["json"]:
            report = {
                "benchmark": benchmark.slug,
                "dry_run": options["dry_run"],
                "files": [_file_report(file) for file in imported.files],
                "failures": [refused._asdict() for refused in imported.refused],
            }
            self.stdout.write(json.dumps(report, indent=1))
        else:
            for file in imported.files:
                self._write(file, is_dry=options["dry_run"])
        for refused in imported.refused:
            self.stderr.write(f"{refused.file}: {refused.reason}")
        if imported.refused:
            n_files = len(imported.files) + len(imported.refused)
            raise CommandError(f"{len(imported.refused)} of {n_files} files were not imported.")

    def _write(self, file: ConfidenceImported, *, is_dry: bool) -> None:
        levels = ", ".join(f"{n} at {level}" for level, n in file.levels.items())
        self.stdout.write(
            f"{file.file}: run {file.run.source_name} of {file.run.system.slug}: {file.n_new} "
            f"{'would be imported' if is_dry else 'imported'}, {file.n_known} already there; {levels}, "
            f"{file.n_without} without a level; {len(file.refused)} lines refused"
        )
        for line in file.refused:
            self.stdout.write(f"  line {line.line}, {line.key}: {line.code}: {line.message}")


def _file_report(file: ConfidenceImported) -> dict[str, Any]:
    return {
        "file": file.file,
        "system": file.run.system.slug,
        "source_name": file.run.system.source_name,
        "run": str(file.run.pk),
        "imported": file.n_new,
        "already_there": file.n_known,
        "levels": {str(level): n for level, n in file.levels.items()},
        "without_level": file.n_without,
        "refused": [line._asdict() for line in file.refused],
    }
