"""Calls that did not become an answer, each kept once however often it is stored.

Whoever holds a claim makes one call under it, so item and token name that call. A worker that did not hear that its
reply was stored stores it again; the name then keeps it from being counted twice.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid5

from evaluations.models import Item, ItemAttempt, Run
from evaluations.services.leases import WORKER_LOST


def attempt_of_call(*, item_id: int, token: UUID, **fields: Any) -> ItemAttempt:
    """Return the record of how the call under a claim ended, not yet stored."""
    return ItemAttempt(item_id=item_id, lease_token=token, call=uuid5(token, str(item_id)), **fields)


def keep_attempts(attempts: Sequence[ItemAttempt]) -> None:
    """Store records of calls; a call that has its record already keeps that one."""
    ItemAttempt.objects.bulk_create(attempts, ignore_conflicts=True)


def lost_attempt(*, item_id: int, token: UUID, **fields: Any) -> ItemAttempt:
    """Return the record of a call whose worker was given up for lost; how it ended may still be told beside it."""
    return ItemAttempt(item_id=item_id, lease_token=token, error_code=WORKER_LOST, **fields)


def is_not_lost(*, item_id: int, token: UUID) -> None:
    """Count a call once whose worker had been given up for lost: what it cost stands with how it ended."""
    ItemAttempt.objects.filter(item_id=item_id, lease_token=token, error_code=WORKER_LOST).update(cost=0)


def was_last_lost(*, item_id: int, token: UUID, kind: str) -> bool:
    """Say whether no later call of this kind about the item was given up for lost than the one under `token`."""
    lost = ItemAttempt.objects.filter(item_id=item_id, kind=kind, error_code=WORKER_LOST).order_by("-id")
    return lost.values_list("lease_token", flat=True).first() == token


def hold_run_of(*, item_id: int) -> None:
    """Hold the item's run until the transaction ends, before something of it is changed that had failed.

    Whoever resumes a run takes the run first and then what failed; in another order each would wait for the other.
    """
    run = Item.objects.filter(pk=item_id).values("run")
    list(Run.objects.select_for_update(no_key=True).filter(pk__in=run).values_list("pk"))
