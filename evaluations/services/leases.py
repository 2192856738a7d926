"""How long a claim holds without a renewal, and what is noted when its worker let it run out."""

from datetime import timedelta

from django.conf import settings

WORKER_LOST = "worker_lost"


def lease() -> timedelta:
    """Return for how long whoever claimed something has it to itself."""
    return timedelta(seconds=settings.EVALUATION_LEASE_SECONDS)
