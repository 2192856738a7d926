"""Show that every answer key scores right, and every single slip from it wrong."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from corpus.selectors.answer_keys import KeyCheck, answer_keys_check
from corpus.selectors.questions import benchmark_by_slug, current_revisions, no_benchmark


class Command(BaseCommand):
    help = "Write every answer key in each answer protocol and option order, and check that it scores right."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--benchmark", default="chembench", help="slug of the benchmark (%(default)s)")
        parser.add_argument("--rule", default="", help="rule to judge by; without it the benchmark's own")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        benchmark = benchmark_by_slug(options["benchmark"])
        if benchmark is None:
            raise CommandError(no_benchmark(options["benchmark"]))
        revisions = current_revisions(benchmark.pk).defer("original")
        try:
            check = answer_keys_check(revisions=revisions, rule=options["rule"] or benchmark.default_rule)
        except LookupError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(json.dumps(asdict(check), indent=1) if options["json"] else as_text(check))
        if check.failures:
            raise CommandError(f"{len(check.failures)} of {check.checked} answer keys do not behave.")
        if not check.checked:
            raise CommandError(f"The benchmark {benchmark.slug} has no questions.")


def as_text(check: KeyCheck) -> str:
    """Return the check for a person: the count, then each failure."""
    lines = [f"{check.right} of {check.checked} answer keys score right, and every slip from them wrong."]
    lines += [f"  {failure.key}: {failure.outcome}: {failure.reason}" for failure in check.failures]
    return "\n".join(lines)
