"""Who asks how sure a system is of which answer: one row per item, made before asking, so that nobody asks twice."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q

from evaluations.database_clock import database_now
from evaluations.models import Item, ItemConfidence, Run

# Stand in a row's error code: it is being asked now, under the token in its error message, or its worker had to end.
ASKING = "asking"
STOPPED = "stopped"


def claim_confidences(
    *, item_ids: Collection[int], token: UUID, prompt: str, lease: timedelta, since: datetime
) -> set[int]:
    """Claim the question of how sure, for those of these items whose reply to it is not stored; return which.

    What another worker is asking stays with it until `lease` has passed. What failed before `since` is asked again.
    """
    now, mine = database_now(), str(token)
    ItemConfidence.objects.bulk_create(
        [
            ItemConfidence(item_id=item_id, prompt=prompt, asked_at=now, error_code=ASKING, error_message=mine)
            for item_id in item_ids
        ],
        ignore_conflicts=True,
    )
    rows = ItemConfidence.objects.filter(item__in=item_ids)
    is_asked_by_another = Q(error_code=ASKING) & ~Q(error_message=mine)
    failed = ~Q(error_code__in=["", ASKING, STOPPED]) & Q(asked_at__lt=since)
    rows.filter(_lapsed(now, lease) & is_asked_by_another | Q(error_code=STOPPED) | failed).update(
        prompt=prompt, asked_at=now, error_code=ASKING, error_message=mine
    )
    return set(rows.filter(error_code=ASKING, error_message=mine).values_list("item_id", flat=True))


def give_back_confidences(*, item_ids: Collection[int], token: UUID) -> int:
    """Let others ask what was claimed under `token` and has no reply yet; return how many."""
    mine = ItemConfidence.objects.filter(item__in=item_ids, error_code=ASKING, error_message=str(token))
    return mine.update(error_code=STOPPED, error_message="The worker had to end.")


def unasked_items(*, run: Run) -> Sequence[int]:
    """Return the answered items of a run, in its order, whose reply to the question is not stored, failed ones too.

    An empty reply holds no answer to be sure of; such items are not asked.
    """
    items = run.items.filter(Q(stated_confidence=None) | ~Q(stated_confidence__error_code=""), _ASKABLE)
    return list(items.order_by("position", "repeat").values_list("pk", flat=True))


def confidence_is_open(*, run: Run, lease: timedelta | None = None) -> bool:
    """Say whether the question is still to be asked of a run, or being asked; what failed makes no run wait.

    With `lease`, the time a claim holds, only what can be claimed now.
    """
    if not run.asks_confidence:
        return False
    being_asked = Q(stated_confidence__error_code=ASKING)
    if lease is not None:
        being_asked &= Q(stated_confidence__asked_at__lt=database_now() - lease)
    is_open = Q(stated_confidence=None) | Q(stated_confidence__error_code=STOPPED) | being_asked
    return run.items.filter(is_open, _ASKABLE).exists()


_ASKABLE = Q(status=Item.Status.ANSWERED, completion__regex=r"\S")


def _lapsed(now: datetime, lease: timedelta) -> Q:
    return Q(error_code=ASKING, asked_at__lt=now - lease)
