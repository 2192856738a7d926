"""The runs of a sweep take turns: one is asked, the others wait, and each end queues the next."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from corpus.services.results import action_log
from evaluations.database_clock import database_now
from evaluations.models import Run
from evaluations.tasks import wake_run

SWEEP_KEY = "sweep"
# Stands as the reason why a run of a sweep is paused.
TURN = "sweep_turn"
TURN_REASON = "It waits for its turn in a sweep: it is queued by itself when the run before it has ended."


@dataclass(frozen=True, slots=True)
class SweepPlace:
    """The place of a run in a sweep: the sweep, the run's number from 0, how many there are, and what it varies."""

    sweep: UUID
    position: int
    n_runs: int
    values: Mapping[str, Any]

    def as_frozen(self) -> dict[str, Any]:
        """Return what the run keeps of it."""
        return {"position": self.position, "n_runs": self.n_runs, "values": dict(self.values)}


def queue_next_in_turn(*, system_id: int, set_revision_id: int) -> UUID | None:
    """Queue the sweep's run whose turn it is to ask this system this set; return it, or None where none may go.

    None may go while another run asks the system the set, and none of a sweep of which a run is paused for a reason of
    its own: whoever looks into that reason resumes or stops that run, and the sweep goes on.
    """
    runs = Run.objects.filter(system=system_id, set_revision=set_revision_id)
    if runs.filter(status__in=Run.ACTIVE).exists():
        return None
    paused = runs.filter(status=Run.Status.PAUSED, sweep__isnull=False)
    held = paused.exclude(error_code=TURN).values("sweep")
    waiting = sorted(paused.filter(error_code=TURN).exclude(sweep__in=held), key=_turn)
    return _queue(waiting[0]) if waiting else None


def queue_waiting_sweeps() -> int:
    """Queue every run whose turn it is, of whatever system and set; return how many: what a crash may have left."""
    waiting = Run.objects.filter(status=Run.Status.PAUSED, error_code=TURN).order_by()
    places = waiting.values_list("system_id", "set_revision_id").distinct()
    queued = [queue_next_in_turn(system_id=system, set_revision_id=revision) for system, revision in places]
    return sum(run_id is not None for run_id in queued)


def _turn(run: Run) -> tuple[Any, ...]:
    return run.queued_at, run.frozen.get(SWEEP_KEY, {}).get("position", 0)


def _queue(run: Run) -> UUID | None:
    """Queue a waiting run; None where another worker, or another run, was first."""
    try:
        with transaction.atomic():
            queued = Run.objects.filter(pk=run.pk, status=Run.Status.PAUSED, error_code=TURN).update(
                status=Run.Status.QUEUED, error_code="", error_message="", queued_at=database_now()
            )
            if not queued:
                return None
            action_log(code="run.queued", target=run, detail={SWEEP_KEY: str(run.sweep)})
            transaction.on_commit(lambda: wake_run(run_id=run.pk))
    except IntegrityError:
        return None
    return run.pk
