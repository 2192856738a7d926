"""Lint the questions of a benchmark from their rows."""

import json
from argparse import ArgumentParser
from collections import Counter
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from corpus.selectors.questions import benchmark_by_slug, no_benchmark
from corpus.services.findings import Found, findings_store, questions_lint


class Command(BaseCommand):
    help = "Repeat the lint of every question and keep what is found. Findings are no failure."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--benchmark", default="chembench", help="slug of the benchmark (%(default)s)")
        parser.add_argument("--json", action="store_true", help="print the findings as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        benchmark = benchmark_by_slug(options["benchmark"])
        if benchmark is None:
            raise CommandError(no_benchmark(options["benchmark"]))
        findings = questions_lint(benchmark=benchmark)
        findings_store(benchmark=benchmark, findings=findings)
        as_json = {"benchmark": benchmark.slug, "findings": [asdict(found) for found in findings]}
        self.stdout.write(json.dumps(as_json, indent=1) if options["json"] else as_text(findings))


def as_text(findings: list[Found]) -> str:
    """Return the findings for a person: how many of each code, then each of them."""
    counts = Counter(found.code for found in findings)
    counted = ", ".join(f"{number} {code}" for code, number in counts.most_common())
    lines = [f"{len(findings)} findings: {counted}" if findings else "Nothing was found in the questions."]
    lines += [f"  {found.code}: {found.file}: {found.message}" for found in findings]
    return "\n".join(lines)
