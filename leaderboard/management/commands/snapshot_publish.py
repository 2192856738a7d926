"""Publish the board of a set as a snapshot."""

import json
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from leaderboard.queries import BadQueryError
from leaderboard.selectors.boards import public_sets
from leaderboard.selectors.snapshots import content_of
from leaderboard.services.snapshots import SnapshotError, snapshot_publish


class Command(BaseCommand):
    help = "Freeze the board of a set as a numbered, dated, hashed snapshot. It can never be changed or taken back."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("set", help="slug of the question set")
        parser.add_argument("--rule", default="", help="name[@version]; the benchmark's default without it")
        parser.add_argument("--note", default="", help="a remark for readers; it cannot be changed later")
        parser.add_argument("--json", action="store_true", help="print a report for machines")

    def handle(self, *args: Any, **options: Any) -> None:
        sets = {found.slug: found for found in public_sets()}
        if options["set"] not in sets:
            raise CommandError(f"No set {options['set']}. There are: {', '.join(sorted(sets)) or 'none yet'}.")
        try:
            snapshot = snapshot_publish(question_set=sets[options["set"]], rule=options["rule"], note=options["note"])
        except (SnapshotError, BadQueryError) as error:
            raise CommandError(str(error)) from error
        content = content_of(snapshot)
        report = {
            "snapshot": snapshot.number,
            "set": options["set"],
            "set_revision": content["set"]["revision"],
            "rule": snapshot.rule,
            "address": content["address"],
            "hash": snapshot.content_hash,
            "rows": len(content["board"]["rows"]),
            "people_shown": content["people"]["shown"],
            "people_why_not": content["people"]["why_not"],
        }
        if options["json"]:
            self.stdout.write(json.dumps(report))
            return
        self.stdout.write(f"Snapshot {snapshot.number}: {snapshot.title}.")
        if not report["people_shown"]:
            self.stderr.write(self.style.WARNING(f"Without people: {report['people_why_not']}"))
        self.stdout.write(f"{settings.SITE_URL}/snapshots/{snapshot.number}/ SHA-256 {snapshot.content_hash}")
