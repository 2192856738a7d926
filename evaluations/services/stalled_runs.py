"""Runs that nobody works on any more although they are not done: wake workers for them."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.db.models import Exists, OuterRef, Q

from corpus.services.results import action_log
from evaluations.database_clock import database_now
from evaluations.errors import QueueAwayError, RunStateError
from evaluations.models import Item, Run
from evaluations.services.claims import due, free_expired_claims, has_unasked
from evaluations.services.fallback_claims import WAITS
from evaluations.services.leases import lease
from evaluations.services.sweep_turns import queue_waiting_sweeps
from evaluations.services.turns import asks_apart_now
from evaluations.tasks import QUEUE_AWAY, jobs_waiting, wake_run


@dataclass(frozen=True, slots=True)
class Rescued:
    """What a look for stalled runs did: questions of dead workers freed, runs for which a worker was woken."""

    n_freed: int
    n_woken: int


def rescue_runs() -> Rescued:
    """Free every question whose lease ended, also of runs nobody works on, and wake workers for stalled runs."""
    ended = Item.objects.filter(status=Item.Status.LEASED, lease_until__lt=database_now())
    n_freed = sum(free_expired_claims(run_id=run_id) for run_id in set(ended.values_list("run", flat=True)))
    return Rescued(n_freed, wake_stalled_runs())


def wake_stalled_runs() -> int:
    """Put a job on the queue for every active run without a sign of life for one lease; return how many.

    That such a run had been interrupted is recorded. A run gets at most one such job per lease, however often and from
    however many processes this is called. What the queue does not take is left for the next call.
    """
    queue_waiting_sweeps()
    now = database_now()
    stalled = [run for run in Run.objects.filter(_to_wake(now)) if not waits_for_fallback(run)]
    return sum(_wake(run, now) is True for run in stalled)


def join_active_runs() -> int:
    """Put a job on the queue for every active run with something to ask now; return how many.

    For a worker with nothing to do, which takes such a job and joins: one that starts late, or in the place of one
    that died with its job. None while jobs wait already: whoever is free takes those.
    """
    if jobs_waiting() != 0:
        return 0
    now = database_now()
    abandoned = Q(status=Item.Status.LEASED, lease_until__lt=now)
    askable = Item.objects.filter(due(now) | abandoned, run=OuterRef("pk"))
    runs = Run.objects.filter(status__in=Run.ACTIVE).annotate(is_due=Exists(askable)).order_by("queued_at")
    return sum(wake_run(run_id=run.pk, jobs=1) for run in runs if run.is_due or asks_apart_now(run))


def run_wake(*, run_id: UUID, actor: AbstractBaseUser | None = None) -> Run:
    """Put a job on the queue for an active run without a sign of life for one lease; once per lease.

    Raises RunStateError for another run, and QueueAwayError, with nothing changed, when the queue cannot be reached.
    """
    now = database_now()
    run = Run.objects.get(pk=run_id)
    if run.status not in Run.ACTIVE:
        wanted = " or ".join(status.label for status in Run.ACTIVE)
        raise RunStateError(f"Run {run_id} is {run.get_status_display()}; this can be done while it is {wanted}.")
    woken = _wake(run, now)
    if woken is None:
        raise RunStateError(
            f"Run {run_id} gave a sign of life, or was woken, within the last {settings.EVALUATION_LEASE_SECONDS} s."
        )
    if not woken:
        raise QueueAwayError(QUEUE_AWAY)
    action_log(code="run.woken", target=run, actor=actor)
    return run


def is_silent(run: Run) -> bool:
    """Say whether an active run gave no sign of life for one lease."""
    last_sign = run.heartbeat_at or run.queued_at
    return run.status in Run.ACTIVE and last_sign < database_now() - lease() and not waits_for_fallback(run)


def can_be_woken(run: Run) -> bool:
    """Say whether `run_wake` would put a job on the queue."""
    return Run.objects.filter(_to_wake(database_now()), pk=run.pk).exists()


def waits_for_fallback(run: Run) -> bool:
    """Say whether all that a run still waits for is a fallback reader that is to be asked later."""
    return run.error_code == WAITS and not has_unasked(run_id=run.pk) and not asks_apart_now(run)


def _wake(run: Run, now: datetime) -> bool | None:
    """Return whether the queue took a job, or None where the run is not to be woken: someone else was first."""
    if not Run.objects.filter(_to_wake(now), pk=run.pk).update(woken_at=now):
        return None
    if wake_run(run_id=run.pk, jobs=1):
        if run.heartbeat_at is not None:
            detail = {"last_sign_of_life": run.heartbeat_at.isoformat(timespec="seconds")}
            action_log(code="run.stalled", target=run, detail=detail)
        return True
    Run.objects.filter(pk=run.pk, woken_at=now).update(woken_at=run.woken_at)
    return False


def _to_wake(now: datetime) -> Q:
    """Return which runs are active and silent, and were not woken for one lease."""
    since = now - lease()
    is_silent = Q(heartbeat_at__lt=since) | Q(heartbeat_at=None, queued_at__lt=since)
    return is_silent & (Q(woken_at=None) | Q(woken_at__lt=since)) & Q(status__in=Run.ACTIVE)
