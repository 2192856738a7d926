"""Look again for answers given without reading; see docs/survey.md for what is looked for."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db.models import F

from survey.management.studies import study_named
from survey.models import ParticipantFlag
from survey.services.flags import flags_find_in_study


class Command(BaseCommand):
    help = "Compute the flags of everybody in a study from their stored answers. What was reviewed stays as it was."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--study", required=True, help="slug of the study")
        parser.add_argument("--json", action="store_true", help="print one JSON object to standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        done = flags_find_in_study(study=study)
        flags = list(
            ParticipantFlag.objects.filter(participant__study=study)
            .order_by("participant", "code")
            .values("code", "detail", "is_left_out", pseudonym=F("participant__pseudonym"))
        )
        if options["json"]:
            self.stdout.write(json.dumps({"study": study.slug, **done._asdict(), "flags": flags}))
            return
        for flag in flags:
            state = {None: "not reviewed", True: "left out", False: "counts"}[flag["is_left_out"]]
            self.stdout.write(f"{flag['pseudonym']}: {flag['code']}: {flag['detail']} ({state})")
        self.stdout.write(f"{done.found} new, {done.dropped} dropped, {len(flags)} in all.")
