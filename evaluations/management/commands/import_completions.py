"""Take completions of a system that was asked elsewhere."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from evaluations.errors import EvaluationError
from evaluations.management.named import set_revision_named, system_named
from evaluations.management.run_reports import run_report
from evaluations.models import Run, Submission, System
from evaluations.prompts import DEFAULT_PROMPT_STYLE, prompt_style_names
from evaluations.providers import SUBMITTED
from evaluations.services.completion_import import CompletionsRefusedError, Received, submission_create
from evaluations.services.submissions import submission_accept
from evaluations.services.system_edits import system_save

_SHOWN = 50


class Command(BaseCommand):
    help = (
        "Take a file of completions (JSON lines with key and completion) for the prompts that export_prompts wrote. "
        "They wait for a review in the admin; with --accept they become a run at once. The same file is taken once."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--system", required=True, help="slug of the system that gave the completions")
        parser.add_argument("--name", default="", help="make the system, with this name, if there is none of the slug")
        parser.add_argument("--set", required=True, dest="question_set", help="slug of the question set")
        parser.add_argument(
            "--revision", type=int, help="number of the set's revision that was asked, if not the current one"
        )
        parser.add_argument("--prompt-style", default=DEFAULT_PROMPT_STYLE, choices=prompt_style_names())
        parser.add_argument("--accept", action="store_true", help="make a run of them without a review")
        parser.add_argument("--json", action="store_true", help="print one JSON object to standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            content = options["file"].read_bytes()
        except OSError as error:
            raise CommandError(f"{options['file']} cannot be read: {error.strerror or error}.") from error
        try:
            received, system = self._receive(content, options)
            run = self._accepted(received) if options["accept"] else received.submission.run
        except CompletionsRefusedError as error:
            self._tell_refusal(error, options)
            raise CommandError(f"{len(error.problems)} problems in {options['file']}; nothing was stored.") from error
        except EvaluationError as error:
            raise CommandError(str(error)) from error
        report = _report(received, system, run)
        if options["json"]:
            self.stdout.write(json.dumps(report))
            return
        self.stdout.write(_in_words(report))
        for note in received.notes:
            self.stdout.write(note)
        for key in received.missing[:_SHOWN]:
            self.stdout.write(f"  no completion: {key}")

    def _receive(self, content: bytes, options: dict[str, Any]) -> tuple[Received, System]:
        set_revision = set_revision_named(options["question_set"], options["revision"])
        slug = options["system"]
        is_new = bool(options["name"]) and not System.objects.filter(slug=slug).exists()
        with transaction.atomic():
            system = _new_system(slug, options["name"]) if is_new else system_named(slug)
            received = submission_create(
                content=content, system=system, set_revision=set_revision, style_name=options["prompt_style"]
            )
        return received, system

    def _accepted(self, received: Received) -> Run | None:
        if received.submission.status == Submission.Status.ACCEPTED:
            return received.submission.run
        return submission_accept(submission_id=received.submission.pk, reason="accepted when imported")

    def _tell_refusal(self, error: CompletionsRefusedError, options: dict[str, Any]) -> None:
        if options["json"]:
            problems = [problem._asdict() for problem in error.problems]
            self.stdout.write(json.dumps({"status": "refused", "problems": problems}))
            return
        for problem in error.problems[:_SHOWN]:
            where = f"line {problem.line}: " if problem.line else ""
            self.stderr.write(f"{where}{problem.code}: {problem.message}")


def _new_system(slug: str, name: str) -> System:
    system = System(slug=slug, name=name, provider=SUBMITTED)
    try:
        return system_save(system=system, changed=("slug", "name"))
    except ValidationError as error:
        raise CommandError(f"No system can be made of --system and --name: {' '.join(error.messages)}") from error


def _report(received: Received, system: System, run: Run | None) -> dict[str, Any]:
    submission = Submission.objects.get(pk=received.submission.pk)
    report: dict[str, Any] = {
        "submission": submission.pk,
        "system": system.slug,
        "status": submission.status,
        "is_new": received.is_new,
        "n_questions": received.n_questions,
        "n_completions": received.n_completions,
        "repeats": received.repeats,
        "missing": list(received.missing),
        "notes": list(received.notes),
        "run": None,
    }
    if run is None:
        return report
    found = run_report(run.pk)
    return report | {"run": str(run.pk), "run_status": found.status, "outcomes": dict(found.outcomes)}


def _in_words(report: dict[str, Any]) -> str:
    state = "is new" if report["is_new"] else "was there already"
    said = (
        f"submission {report['submission']} of {report['system']} {state}: {report['n_completions']} completions, "
        f"{len(report['missing'])} of {report['n_questions']} questions without one; it is {report['status']}"
    )
    if report["run"] is None:
        return f"{said} for a review in the admin."
    counts = ", ".join(f"{count} {name}" for name, count in report["outcomes"].items() if count)
    return f"{said}; run {report['run']} is {report['run_status']}: {counts}."
