"""Write the prompts of a set as JSON lines, for a system that is asked elsewhere."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluations.errors import EvaluationError
from evaluations.management.named import set_revision_named, system_named
from evaluations.prompts import DEFAULT_PROMPT_STYLE, prompt_style_names
from evaluations.services.prompt_export import export_lines


class Command(BaseCommand):
    help = (
        "Write the prompts of a question set as JSON lines: first the facts (set, revision, style), then a line for "
        "each question. No answer key is in it. The completions come back with import_completions."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--set", required=True, dest="question_set", help="slug of the question set")
        parser.add_argument("--prompt-style", default=DEFAULT_PROMPT_STYLE, choices=prompt_style_names())
        parser.add_argument("--system", default="", help="slug of the system whose system prompt goes with each line")
        parser.add_argument("--repeats", type=int, default=1, help="lines for each question")
        parser.add_argument("--output", type=Path, metavar="FILE", help="write there and not to standard output")
        parser.add_argument("--json", action="store_true", help="print one JSON object about it (needs --output)")

    def handle(self, *args: Any, **options: Any) -> None:
        output: Path | None = options["output"]
        if options["json"] and output is None:
            raise CommandError("--json reports on a file: name it with --output FILE.")
        try:
            lines = export_lines(
                set_revision=set_revision_named(options["question_set"]),
                style_name=options["prompt_style"],
                system=system_named(options["system"]) if options["system"] else None,
                repeats=options["repeats"],
            )
        except EvaluationError as error:
            raise CommandError(str(error)) from error
        first = next(lines)
        facts = json.loads(first)
        n_lines = self._write(first, lines, output)
        for question in facts["left_out"]:
            self.stderr.write(f"left out: {question['key']}: {question['reason']}")
        self.stderr.write(f"{n_lines} prompts of {facts['set']}, revision {facts['set_revision']}")
        if options["json"]:
            self.stdout.write(json.dumps({**facts, "n_lines": n_lines, "output": str(output)}))

    def _write(self, first: str, lines: Any, output: Path | None) -> int:
        if output is None:
            self.stdout.write(first)
            return sum(1 for line in lines if self.stdout.write(line) is None)
        try:
            with output.open("w", encoding="utf-8", newline="\n") as file:
                file.write(first + "\n")
                return sum(1 for line in lines if file.write(line + "\n"))
        except OSError as error:
            raise CommandError(f"{output} cannot be written: {error.strerror or error}.") from error
