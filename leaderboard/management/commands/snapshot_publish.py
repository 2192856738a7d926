"""Publish the board of a set as a snapshot."""

import json
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from leaderboard.queries import BadQueryError
from leaderboard.selectors.boards import public_sets
from leaderboard.selectors.snapshots import content_of
from leaderboard.services.snapshots import Draft, SnapshotError, snapshot_draft, snapshot_publish


class Command(BaseCommand):
    help = "Freeze the board of a set as a numbered, dated, hashed snapshot. It can never be changed or taken back."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("set", help="slug of the question set")
        parser.add_argument("--rule", default="", help="name[@version]; the benchmark's default without it")
        parser.add_argument("--note", default="", help="a remark for readers; it cannot be changed later")
        parser.add_argument("--dry-run", action="store_true", help="say what would be published, and publish nothing")
        parser.add_argument("--json", action="store_true", help="print a report for machines")

    def handle(self, *args: Any, **options: Any) -> None:
        sets = {found.slug: found for found in public_sets()}
        if options["set"] not in sets:
            raise CommandError(f"No set {options['set']}. There are: {', '.join(sorted(sets)) or 'none yet'}.")
        try:
            if options["dry_run"]:
                self._preview(snapshot_draft(question_set=sets[options["set"]], rule=options["rule"]), options)
                return
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

    def _preview(self, draft: Draft, options: dict[str, Any]) -> None:
        board = draft.board
        report = {
            "dry_run": True,
            "set": options["set"],
            "set_revision": draft.set_revision.number,
            "rule": board.query.rule,
            "questions": board.n_questions,
            "rows": len(board.rows),
            "ranked": sum(row.rank is not None for row in board.rows),
            "people_shown": draft.people.are_shown,
            "people_why_not": draft.people.why_not,
        }
        if options["json"]:
            self.stdout.write(json.dumps(report))
            return
        self.stdout.write(
            f"Dry run, nothing was published. {board.question_set.name}, revision {draft.set_revision.number}: "
            f"{board.n_questions} questions, {report['rows']} rows, {report['ranked']} of them ranked, "
            f"{board.query.rule}."
        )
        if not draft.people.are_shown:
            self.stderr.write(self.style.WARNING(f"Without people: {draft.people.why_not}"))
