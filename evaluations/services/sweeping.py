"""Runs that nobody works on any more although they are not done: wake workers for them."""

from datetime import timedelta

from django.conf import settings
from django.db.models import Q

from evaluations.database_clock import database_now
from evaluations.models import Run
from evaluations.services.runs import ACTIVE
from evaluations.tasks import wake_run


def wake_stalled_runs() -> int:
    """Put a job on the queue for every active run without a sign of life for one lease; return how many.

    A run gets at most one such job per lease, however often and from however many processes this is called.
    """
    now = database_now()
    silent_since = now - timedelta(seconds=settings.EVALUATION_LEASE_SECONDS)
    silent = Q(heartbeat_at__lt=silent_since) | Q(heartbeat_at=None, queued_at__lt=silent_since)
    stalled = Run.objects.filter(silent, status__in=ACTIVE).values_list("pk", flat=True)
    woken = 0
    for run_id in list(stalled):
        if Run.objects.filter(silent, pk=run_id, status__in=ACTIVE).update(heartbeat_at=now):
            wake_run(run_id=run_id, jobs=1)
            woken += 1
    return woken
