"""Delete the stored score matrices and build them again."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from corpus.scoring.rules import UnknownRuleError, resolve_rule
from leaderboard.queries import load_board, parse_query
from leaderboard.selectors.boards import public_sets
from leaderboard.selectors.shown import totals_too_close
from leaderboard.services import rebuild_leaderboard


class Command(BaseCommand):
    help = "Delete the stored score matrices and build them again, for every set and rule or those named."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--set", action="append", default=[], metavar="SLUG", help="only this set (may repeat)")
        parser.add_argument("--rule", action="append", default=[], help="only this rule, name[@version] (may repeat)")
        parser.add_argument("--json", action="store_true", help="print a report for machines")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            rules = [resolve_rule(rule) for rule in options["rule"]]
        except UnknownRuleError as error:
            raise CommandError(str(error)) from error
        known = set(public_sets().values_list("slug", flat=True))
        if unknown := sorted(set(options["set"]) - known):
            raise CommandError(f"No set {', '.join(unknown)}. There are: {', '.join(sorted(known)) or 'none yet'}.")
        rebuilt = rebuild_leaderboard(set_slugs=options["set"], rules=rules)
        # Looked at once, so that no reader waits for the statistics of a large board.
        for question_set in public_sets():
            if question_set.slug in (options["set"] or known):
                load_board(question_set=question_set, query=parse_query({}, question_set=question_set))
        warnings = totals_too_close()
        if options["json"]:
            self.stdout.write(json.dumps({"matrices": [asdict(entry) for entry in rebuilt], "warnings": warnings}))
            return
        for entry in rebuilt:
            self.stdout.write(
                f"{entry.set_slug} r{entry.set_revision} {entry.rule}: {entry.n_systems} systems, "
                f"{entry.n_people} people, {entry.n_questions} questions in {entry.seconds:.2f} s"
            )
        for warning in warnings:
            self.stderr.write(self.style.WARNING(warning))
        self.stdout.write(f"{len(rebuilt)} matrices built.")
