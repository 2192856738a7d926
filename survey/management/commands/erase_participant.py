"""Erase one person of a study, all but that someone was there."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from survey.errors import NoSuchParticipantError
from survey.management.studies import study_named
from survey.services.retention import participant_erase


class Command(BaseCommand):
    help = "Withdraw a person and erase everything else about them but a tombstone. This cannot be undone."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--study", required=True, help="slug of the study")
        parser.add_argument("--pseudonym", required=True, help="who, as the staff page names them")
        parser.add_argument("--yes", action="store_true", help="do not ask")
        parser.add_argument("--json", action="store_true", help="print one JSON object to standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        study, pseudonym = study_named(options["study"]), options["pseudonym"]
        if not options["yes"]:
            self._ask(pseudonym)
        try:
            erased = participant_erase(study=study, pseudonym=pseudonym)
        except NoSuchParticipantError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(asdict(erased)))
            return
        self.stdout.write(f"{pseudonym} is erased: {erased.answers} answers, {erased.comments} comments.")

    def _ask(self, pseudonym: str) -> None:
        self.stderr.write(
            f"This erases everything about {pseudonym} for good. Type the pseudonym to go on: ", ending=""
        )
        try:
            typed = input()
        except EOFError as error:
            raise CommandError("Nobody is there to ask. Say --yes to erase without a question.") from error
        if typed.strip() != pseudonym:
            raise CommandError("That is another name: nothing was erased.")
