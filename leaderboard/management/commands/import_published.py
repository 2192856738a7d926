"""Import results that papers print."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from leaderboard.importers.published_tables import PublishedTablesError, published_tables
from leaderboard.services.published import published_import


class Command(BaseCommand):
    help = "Import results that papers print. Boards show them below their table, as references without a rank."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "folder",
            nargs="?",
            type=Path,
            default=settings.BASE_DIR / "fixtures" / "published",
            help="a folder with tables.csv (default: fixtures/published)",
        )
        parser.add_argument("--dry-run", action="store_true", help="read and check, store nothing")
        parser.add_argument("--json", action="store_true", help="print a report for machines")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            tables = published_tables(options["folder"])
        except PublishedTablesError as error:
            raise CommandError(f"{error} Nothing was stored.") from error
        found = published_import(tables=tables, is_dry_run=options["dry_run"])
        if options["json"]:
            self.stdout.write(json.dumps({**asdict(found), "dry_run": options["dry_run"]}))
            return
        if not found.has_changed:
            done = "as they are stored already"
        else:
            done = "would be stored" if options["dry_run"] else "stored"
        self.stdout.write(f"{found.n_figures} figures of {found.n_tables} tables {done}.")
        for slug in found.boards_missing:
            self.stdout.write(f"There is no set {slug} here yet; its figures are shown once there is.")
