"""Claims on items: who may ask a question, and until when.

A claim is one conditional UPDATE that gives the item a fresh token and a time at which the claim ends. Whoever writes
to the item afterwards must carry that token, so a worker that was given up for dead can never overwrite its successor.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from uuid import UUID, uuid4

from django.db import connection, transaction
from django.db.models import F, Field, Q

from corpus.services.results import results_changed
from evaluations.database_clock import database_now
from evaluations.models import Item, Run
from evaluations.services.attempts import hold_run_of, lost_attempt, was_last_lost
from evaluations.services.costs import failed_call_cost, prices_of
from evaluations.services.failures import give_back_or_give_up
from evaluations.services.leases import WORKER_LOST, lease

_LOST_MESSAGE = "The worker that asked this question stopped before it could store a reply."

# A subselect with a limit is run once for certain only as an array; rows another worker is just taking are passed over.
_POSTGRESQL = "id = ANY(ARRAY({wanted} FOR UPDATE SKIP LOCKED))"
_SQLITE = "id IN ({wanted})"
_CLAIM = """
UPDATE {table} SET status = 'leased', lease_token = %(token)s, lease_until = %(until)s,
       attempts = attempts + 1, not_before = NULL
WHERE status = 'waiting' AND {chosen}
  AND EXISTS (SELECT 1 FROM {run_table} WHERE id = %(run)s AND status = 'running')
RETURNING id"""
_WANTED = """
SELECT id FROM {table}
WHERE run_id = %(run)s AND status = 'waiting' AND (not_before IS NULL OR not_before <= %(now)s) {first}
ORDER BY position, repeat LIMIT %(limit)s"""
_FIRST = """
AND id = (SELECT id FROM {table} WHERE run_id = %(run)s AND status IN ('waiting', 'leased')
          ORDER BY position, repeat LIMIT 1)"""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to ask one question: the item and the token every write to it must carry."""

    item_id: int
    token: UUID


@dataclass(frozen=True, slots=True)
class Remaining:
    """What a run still has to do.

    `seconds_until_due` is how long until the next waiting or leased item can be claimed; None: at once, or never.
    """

    n_waiting: int
    n_leased: int
    seconds_until_due: float | None


def claim_items(*, run_id: UUID, limit: int, only_first: bool = False) -> list[Claim]:
    """Claim up to `limit` items that wait and are due, in the set's order; none unless the run is running.

    With `only_first` the first unfinished item is claimed or none: while it is in flight or has to wait, nobody asks
    another question of the run.
    """
    if limit < 1:
        return []
    token, now = uuid4(), database_now()
    with connection.cursor() as cursor:
        cursor.execute(
            _claim_statement(only_first=only_first),
            {
                "token": _prepared("lease_token", token),
                "until": _prepared("lease_until", now + lease()),
                "run": Run._meta.pk.get_db_prep_value(run_id, connection),
                "now": _prepared("not_before", now),
                "limit": limit,
            },
        )
        return [Claim(item_id, token) for (item_id,) in cursor.fetchall()]


def renew_claims(claims: Iterable[Claim]) -> int:
    """Extend the claims that are still ours; return how many."""
    until = database_now() + lease()
    return sum(
        Item.objects.filter(pk__in=ids, lease_token=token, status=Item.Status.LEASED).update(lease_until=until)
        for token, ids in _by_token(claims).items()
    )


def release_claims(claims: Iterable[Claim]) -> int:
    """Give up claims on questions that were not sent to the system; others may claim them at once. Return how many."""
    return sum(
        Item.objects.filter(pk__in=ids, lease_token=token, status=Item.Status.LEASED).update(
            status=Item.Status.WAITING, lease_token=None, lease_until=None, attempts=F("attempts") - 1
        )
        for token, ids in _by_token(claims).items()
    )


def free_expired_claims(*, run_id: UUID) -> int:
    """Make items claimable whose worker let its claim run out, each with a recorded attempt; return how many.

    A question that loses its worker as often as it may be tried is given up: it may be what ends the workers.
    """
    expired = Item.objects.filter(run=run_id, status=Item.Status.LEASED, lease_until__lt=database_now())
    return sum(_free(item) for item in expired.select_related("run__set_revision__question_set").order_by("pk"))


def claim_back(claims: Iterable[Claim]) -> set[int]:
    """Hold claims again whose question failed since their worker was given up for lost; return the items' ids.

    It was the question's last try, and now its reply is there: for whoever stores that, in the same transaction.
    """
    until = database_now() + lease()
    return {claim.item_id for claim in claims if _claim_back(claim, until)}


def due(now: datetime) -> Q:
    """Return which items wait and may be claimed now."""
    return Q(status=Item.Status.WAITING) & (Q(not_before=None) | Q(not_before__lte=now))


def has_unasked(*, run_id: UUID) -> bool:
    """Say whether items of a run are still to be asked, or being asked."""
    return Item.objects.filter(run=run_id, status__in=Item.UNFINISHED).exists()


def remaining(*, run_id: UUID) -> Remaining:
    """Return how many items of a run are not done, and when the next of them can be claimed."""
    rows = Item.objects.filter(run=run_id, status__in=Item.UNFINISHED)
    times = rows.values_list("status", "not_before", "lease_until")
    waiting = [not_before for status, not_before, _ in times if status == Item.Status.WAITING]
    leased = [until for status, _, until in times if status == Item.Status.LEASED]
    times_due = [time for time in (*waiting, *leased) if time is not None]
    if None in waiting or not times_due:
        return Remaining(len(waiting), len(leased), None)
    return Remaining(len(waiting), len(leased), (min(times_due) - database_now()).total_seconds())


def _claim_back(claim: Claim, until: datetime) -> bool:
    if not was_last_lost(item_id=claim.item_id, token=claim.token, kind="error"):
        return False
    hold_run_of(item_id=claim.item_id)
    failed = Item.objects.filter(pk=claim.item_id, status=Item.Status.FAILED, error_code=WORKER_LOST)
    return bool(failed.update(status=Item.Status.LEASED, lease_token=claim.token, lease_until=until))


def _free(item: Item) -> bool:
    token = item.lease_token
    if token is None:
        return False
    with transaction.atomic():
        freed = give_back_or_give_up(item=item, token=token, code=WORKER_LOST, message=_LOST_MESSAGE, only_expired=True)
        if freed:
            cost = failed_call_cost(prices=prices_of(item.run.frozen), code=WORKER_LOST)
            lost_attempt(item_id=item.pk, token=token, kind="error", error_message=_LOST_MESSAGE, cost=cost).save()
            _tell_if_given_up(item)
    return freed


def _tell_if_given_up(item: Item) -> None:
    """Tell readers of results of a question that failed: its run may have ended, so that nothing else would."""
    if Item.objects.filter(pk=item.pk, status=Item.Status.FAILED).exists():
        benchmark_id = item.run.set_revision.question_set.benchmark_id
        results_changed(benchmark_id=benchmark_id, system_id=item.run.system_id)


def _claim_statement(*, only_first: bool) -> str:
    table = connection.ops.quote_name(Item._meta.db_table)
    first = _FIRST.format(table=table) if only_first else ""
    wanted = _WANTED.format(table=table, first=first)
    chosen = _POSTGRESQL if connection.vendor == "postgresql" else _SQLITE
    run_table = connection.ops.quote_name(Run._meta.db_table)
    return _CLAIM.format(table=table, run_table=run_table, chosen=chosen.format(wanted=wanted))


def _prepared(field_name: str, value: Any) -> Any:
    """Return a value as the database's driver takes it in a statement of our own."""
    column = cast("Field[Any, Any]", Item._meta.get_field(field_name))
    return column.get_db_prep_value(value, connection)


def _by_token(claims: Iterable[Claim]) -> dict[UUID, Sequence[int]]:
    grouped: dict[UUID, list[int]] = {}
    for claim in claims:
        grouped.setdefault(claim.token, []).append(claim.item_id)
    return {token: sorted(ids) for token, ids in grouped.items()}
