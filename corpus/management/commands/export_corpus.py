"""Export a benchmark as question files, with its topics and sets."""

import csv
import json
import zipfile
from argparse import ArgumentParser
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from corpus.selectors.exports import exported_files, set_keys, topic_rows
from corpus.selectors.questions import benchmark_by_slug, current_revisions, no_benchmark


class Command(BaseCommand):
    help = "Write every question as the JSON file it came from, rebuilt from the database; with topics and sets."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("target", type=Path, help="a new folder, or a file whose name ends in .zip")
        parser.add_argument("--benchmark", default="chembench", help="slug of the benchmark (%(default)s)")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        target: Path = options["target"]
        benchmark = benchmark_by_slug(options["benchmark"])
        if benchmark is None:
            raise CommandError(no_benchmark(options["benchmark"]))
        if target.exists() and not (target.is_dir() and not any(target.iterdir())):
            raise CommandError(f"{target} exists already. Name a new folder or zip.")
        files = [*exported_files(current_revisions(benchmark.pk).defer("original")), *tables(benchmark.pk)]
        try:
            write_zip(target, files) if target.suffix == ".zip" else write_folder(target, files)
        except OSError as error:
            raise CommandError(f"{target} cannot be written: {error.strerror}.") from error
        report = {
            "benchmark": benchmark.slug,
            "target": str(target),
            "questions": sum(path.endswith(".json") for path, _ in files),
        }
        text = f"{report['questions']} questions of {benchmark.slug} written to {target}."
        self.stdout.write(json.dumps(report) if options["json"] else text)


def tables(benchmark_id: int) -> Iterator[tuple[str, str]]:
    """Give path and text of `topics.csv` and of one list of keys per set."""
    topics = StringIO()
    writer = csv.writer(topics, lineterminator="\n")
    writer.writerow(["index", "topic"])
    writer.writerows(topic_rows(benchmark_id))
    yield "topics.csv", topics.getvalue()
    for slug, keys in set_keys(benchmark_id).items():
        yield f"sets/{slug}.txt", "".join(f"{key}\n" for key in keys)


def write_zip(target: Path, files: list[tuple[str, str]]) -> None:
    """Write the files into a new zip."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "x", zipfile.ZIP_DEFLATED) as archive:
        for path, text in files:
            archive.writestr(path, text)


def write_folder(target: Path, files: list[tuple[str, str]]) -> None:
    """Write the files into a folder, making the folders they need."""
    for path, text in files:
        place = target / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
