"""Erase what closed studies keep of people once it is no longer needed."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from survey.errors import RetentionFailedError
from survey.services.retention import Retained, retention_apply


class Command(BaseCommand):
    help = "Erase links, addresses, drafts, absences and comments' authors of studies whose retention has run out."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="say what would be erased, erase nothing")
        parser.add_argument("--json", action="store_true", help="print one JSON object to standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            done = retention_apply(dry_run=options["dry_run"])
        except RetentionFailedError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            studies = [asdict(study) for study in done]
            self.stdout.write(json.dumps({"dry_run": options["dry_run"], "studies": studies}))
            return
        for study in done:
            self.stdout.write(_line(study))
        verb = "would be" if options["dry_run"] else "were"
        self.stdout.write(f"{len(done)} studies {verb} changed.")


def _line(study: Retained) -> str:
    return (
        f"{study.study}: {study.links} links, {study.addresses} addresses, {study.drafts} drafts, "
        f"{study.absences} absences, {study.authors} authors of comments, {study.profiles} profiles "
        f"(years of experience rounded in {study.years})"
    )
