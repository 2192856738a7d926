"""Delete the stored score matrices that are older than the results they are of."""

from typing import Any

from django.core.management.base import BaseCommand

from leaderboard.services import stale_matrices_delete


class Command(BaseCommand):
    help = "Delete stored score matrices of older results; they may hold verdicts of people who have withdrawn."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"{stale_matrices_delete()} matrices deleted.")
