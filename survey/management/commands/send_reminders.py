"""Mail the personal link to those who asked for it and have stopped."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from survey.errors import ReminderRefusedError
from survey.management.studies import study_named
from survey.services.reminders import DEFAULT_DAYS, reminders_send


class Command(BaseCommand):
    help = "Send reminders with the personal link to people who asked for them and have stopped; at most three each."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--study", required=True, help="slug of the study")
        parser.add_argument(
            "--days", type=int, default=DEFAULT_DAYS, help="days without an answer, and between two mails"
        )
        parser.add_argument("--dry-run", action="store_true", help="say who is due, send nothing")
        parser.add_argument("--json", action="store_true", help="print one JSON object to standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        try:
            report = reminders_send(study=study, days=options["days"], dry_run=options["dry_run"])
        except ReminderRefusedError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(asdict(report)))
        elif report.is_dry_run:
            self.stdout.write(f"{len(report.due)} due: {', '.join(report.due) or 'nobody'}. Nothing was sent.")
        else:
            self.stdout.write(f"{report.sent} sent, {report.failed} failed, {report.taken} sent by another process")
        if report.failed:
            raise CommandError(f"{report.failed} of {len(report.due)} reminders could not be sent; try again later.")
