"""Write the results of a set as a folder of CSV and JSON files."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from leaderboard.queries import BadQueryError
from leaderboard.selectors.boards import public_sets
from leaderboard.services.exports import ExportError, results_export


class Command(BaseCommand):
    help = "Write the results of a set as a folder: CSV, JSON, read-me, canary. Without answers unless asked for."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("target", type=Path, help="a new or empty folder")
        parser.add_argument("--set", required=True, metavar="SLUG", help="slug of the question set")
        parser.add_argument("--rule", default="", help="name[@version]; the benchmark's default without it")
        parser.add_argument(
            "--with-answers",
            action="store_true",
            help="answer keys, replies and verdicts on single questions too; needs --by, and is recorded",
        )
        parser.add_argument(
            "--without-fallback", action="store_true", help="what only a fallback reader could read is unparsed"
        )
        parser.add_argument("--by", default="", metavar="USERNAME", help="the member of staff who asks for answers")
        parser.add_argument("--json", action="store_true", help="print a report for machines")

    def handle(self, *args: Any, **options: Any) -> None:
        sets = {found.slug: found for found in public_sets()}
        if options["set"] not in sets:
            raise CommandError(f"No set {options['set']}. There are: {', '.join(sorted(sets)) or 'none yet'}.")
        if options["with_answers"] != bool(options["by"]):
            raise CommandError("--with-answers and --by USERNAME go together: who asks for answers is recorded.")
        try:
            exported = results_export(
                question_set=sets[options["set"]],
                target=options["target"],
                rule=options["rule"],
                with_answers=options["with_answers"],
                without_fallback=options["without_fallback"],
                actor=User.objects.filter(username=options["by"]).first() if options["by"] else None,
            )
        except (ExportError, BadQueryError) as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{options['target']} cannot be written: {error.strerror}.") from error
        if options["json"]:
            self.stdout.write(json.dumps({**asdict(exported), "target": str(options["target"])}))
            return
        kept = "with answer keys" if options["with_answers"] else "without answers"
        self.stdout.write(f"{exported.n_rows} rows of {exported.set_slug} written to {options['target']}, {kept}.")
