"""Whose turn it is: jobs wake workers, and a worker serves the run that has waited longest for one."""

from datetime import timedelta
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q

from evaluations.database_clock import database_now
from evaluations.models import Item, Run
from evaluations.services.claims import due, has_unasked
from evaluations.services.confidence_claims import confidence_can_be_claimed
from evaluations.services.fallback_claims import fallback_can_be_claimed
from evaluations.services.fallback_frozen import fallback_reader_of

# A run that a worker is at shows a sign of life every second; one without any for so long has no worker.
UNSERVED_SECONDS = 5.0


def asks_apart_now(run: Run) -> bool:
    """Say whether every question of a run has been asked and a worker finds something to ask about the answers now."""
    is_asked = run.asks_confidence or bool(fallback_reader_of(run))
    if not is_asked or has_unasked(run_id=run.pk):
        return False
    return fallback_can_be_claimed(run=run) or confidence_can_be_claimed(run=run)


def run_whose_turn_it_is(*, run_id: UUID) -> UUID:
    """Return the run a worker should serve that was woken for `run_id`.

    That run itself, unless another active run with something to ask now has no worker and has been without one for
    longer: of such runs the one that has waited longest.
    """
    now = database_now()
    is_unserved = Q(heartbeat_at=None) | Q(heartbeat_at__lt=now - timedelta(seconds=UNSERVED_SECONDS))
    has_due = Exists(Item.objects.filter(due(now), run=OuterRef("pk")))
    unserved = Run.objects.filter(is_unserved, status__in=Run.ACTIVE)
    apart = [run.pk for run in unserved if asks_apart_now(run)]
    runs = Run.objects.filter(Q(pk=run_id) | (is_unserved & (Q(has_due) | Q(pk__in=apart))), status__in=Run.ACTIVE)
    longest = runs.order_by(F("heartbeat_at").asc(nulls_first=True), "queued_at").first()
    return longest.pk if longest else run_id
