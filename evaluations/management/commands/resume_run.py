"""Ask what a run still lacks: its failed and waiting questions, never one that has its answer."""

import json
from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from evaluations.errors import EvaluationError
from evaluations.management.named import run_named
from evaluations.management.run_reports import run_report
from evaluations.models import Run
from evaluations.services.runs import run_resume
from evaluations.services.stalled_runs import wake_stalled_runs
from evaluations.tasks import wake_run


class Command(BaseCommand):
    help = "Resume a paused, stopped or incomplete run, or wake workers for one that is queued or running."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", nargs="?", type=UUID, help="id of the run")
        parser.add_argument("--stalled", action="store_true", help="wake workers for every run without a sign of life")
        parser.add_argument("--json", action="store_true", help="print one JSON object to standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["stalled"]:
            woken = wake_stalled_runs()
            self.stdout.write(json.dumps({"woken": woken}) if options["json"] else f"{woken} runs woken")
            return
        if options["run"] is None:
            raise CommandError("Name the run to resume, or say --stalled.")
        run = _resumed(options["run"])
        report = run_report(run.pk)
        self.stdout.write(json.dumps(report.as_dict()) if options["json"] else report.as_text())


def _resumed(run_id: UUID) -> Run:
    run = run_named(run_id)
    if run.status in Run.ACTIVE:
        wake_run(run_id=run.pk)
        return run
    try:
        return run_resume(run_id=run_id)
    except EvaluationError as error:
        raise CommandError(str(error)) from error
