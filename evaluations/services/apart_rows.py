"""What is asked about answers, apart from them: one row per item, made before asking, so that nobody asks twice.

A claim is a row under a fresh token that holds for one lease after its last renewal. Whoever writes to the row carries
the token, so that a worker given up for dead never overwrites its successor.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet

from evaluations.database_clock import database_now
from evaluations.models import AskedApart, Item, ItemConfidence, ItemFallback, Run
from evaluations.providers import ProviderError, Reply
from evaluations.services.attempts import (
    attempt_of_call,
    hold_run_of,
    is_not_lost,
    keep_attempts,
    lost_attempt,
    was_last_lost,
)
from evaluations.services.costs import Prices, failed_call_cost
from evaluations.services.leases import WORKER_LOST, lease
from evaluations.services.reply_costs import failure_cost, reply_cost, whole_count
from evaluations.storable_text import clipped_error, storable

_LOST_MESSAGE = "The worker that asked this stopped before it could store a reply."
_WAITS_MESSAGE = "It waits to be asked."


@dataclass(frozen=True, slots=True)
class Apart:
    """One thing that is asked apart: its rows, the name an item has for its row, the kind of its failed calls."""

    model: type[ItemConfidence] | type[ItemFallback]
    link: str
    kind: str


CONFIDENCE = Apart(ItemConfidence, "stated_confidence", "confidence")
FALLBACK = Apart(ItemFallback, "fallback", "fallback")


class ApartClaim(NamedTuple):
    """The right to ask about one item: every write to its row must carry the token."""

    item_id: int
    token: UUID


def open_items(*, apart: Apart, items: QuerySet[Item]) -> QuerySet[Item]:
    """Return those of the items that are still to be asked about, or being asked about, in the run's order."""
    is_open = Q(**{apart.link: None}) | Q(**{f"{apart.link}__error_code__in": AskedApart.OPEN})
    return items.filter(is_open).order_by("position", "repeat")


def has_replies(*, apart: Apart, run: Run) -> bool:
    """Say whether the one who is asked replied since the run was last queued."""
    return apart.model.objects.filter(item__run=run, error_code="", asked_at__gte=run.queued_at).exists()


def seconds_until_due(*, apart: Apart, items: QuerySet[Item], only_first: bool) -> float | None:
    """Return when something can be claimed, in seconds from now; None where nothing is left to ask.

    With `only_first` it is the first of them that counts, as in `claim_apart`.
    """
    now = database_now()
    names = [f"{apart.link}__{name}" for name in ("error_code", "not_before", "asked_at")]
    rows = open_items(apart=apart, items=items).values_list(*names)
    seconds = [_seconds(now, *row) for row in (rows[:1] if only_first else rows)]
    return min(seconds, default=None)


def claim_apart(
    *,
    apart: Apart,
    items: QuerySet[Item],
    limit: int,
    only_first: bool,
    prices: Prices,
    fields: Mapping[str, Any] | None = None,
) -> list[ApartClaim]:
    """Claim up to `limit` of the items that are due; `fields` are written to their rows.

    With `only_first` the first that is open is claimed or none: while it is being asked or has to wait, nobody asks
    about another. Rows whose worker let its claim run out are freed first, each with a recorded attempt.
    """
    _free_lapsed(apart=apart, items=items, prices=prices)
    now, token = database_now(), uuid4()
    is_due = Q(**{apart.link: None}) | _waits(now, f"{apart.link}__")
    left = open_items(apart=apart, items=items)
    ids = list((left[:1] if only_first else left.filter(is_due)[:limit]).values_list("pk", flat=True))
    claim = {"asked_at": now, "error_code": AskedApart.ASKING, "error_message": str(token), **(fields or {})}
    with transaction.atomic():
        rows = apart.model.objects.filter(item__in=ids)
        known = set(rows.values_list("item_id", flat=True))
        new: list[Any] = [apart.model(item_id=item_id, **claim) for item_id in ids if item_id not in known]
        apart.model.objects.bulk_create(new, ignore_conflicts=True)
        rows.filter(_waits(now)).update(not_before=None, **claim)
        mine = rows.filter(error_code=AskedApart.ASKING, error_message=str(token))
        return [ApartClaim(item_id, token) for item_id in mine.values_list("item_id", flat=True)]


def renew_apart(*, apart: Apart, claims: Collection[ApartClaim]) -> int:
    """Let claims that are still held hold for one more lease from now on; return how many."""
    now = database_now()
    return sum(_held(apart, claim).update(asked_at=now) for claim in claims)


def give_back_apart(*, apart: Apart, claims: Iterable[ApartClaim]) -> int:
    """Let others ask at once what was claimed and not sent; return how many."""
    return sum(_let_wait(apart, claim, message=_WAITS_MESSAGE) for claim in claims)


def store_cut_off(*, apart: Apart, claim: ApartClaim, error: ProviderError, prices: Prices) -> None:
    """Let others ask what was on its way when its worker had to end, and record that call, which may have been paid."""
    if _let_wait(apart, claim, message=error.message):
        record_attempt(apart=apart, claim=claim, error=error, cost=failure_cost(prices=prices, error=error))


def store_reply(*, apart: Apart, claim: ApartClaim, reply: Reply, prices: Prices, fields: Mapping[str, Any]) -> bool:
    """Keep a reply under its claim, else, where the claim was lost meanwhile, as an attempt; say which (True: kept).

    A reply that is kept already, under this claim, stays as it is. Where the last try failed for its worker, which was
    given up for lost, the reply to that one is kept as well.
    """
    said: dict[str, Any] = {
        "completion": storable(reply.text),
        "tokens_in": whole_count(reply.tokens_in),
        "tokens_out": whole_count(reply.tokens_out),
        "cost": reply_cost(prices=prices, reply=reply),
    }
    kept = {**said, "finish_reason": reply.finish_reason.value, "error_code": "", "error_message": "", **fields}
    if _held(apart, claim).update(answered_token=claim.token, **kept) or _is_kept(apart, claim):
        return True
    if _take_back(apart, claim, kept):
        return True
    _keep_attempt(apart, claim, code="late", message="The reply came after another worker had asked.", **said)
    is_not_lost(item_id=claim.item_id, token=claim.token)
    return False


def store_failure(
    *, apart: Apart, claim: ApartClaim, error: ProviderError, prices: Prices, delay_seconds: float | None
) -> bool:
    """Record a call that failed, and let it be asked again after `delay_seconds`; None gives it up.

    Says whether it was given up under this claim.
    """
    record_attempt(apart=apart, claim=claim, error=error, cost=failure_cost(prices=prices, error=error))
    is_not_lost(item_id=claim.item_id, token=claim.token)
    if delay_seconds is not None:
        _let_wait(apart, claim, message=error.message, tries=F("tries") + 1, delay_seconds=delay_seconds)
        return False
    said = clipped_error(code=error.code, message=error.message)
    return bool(_held(apart, claim).update(**said, tries=F("tries") + 1))


def tries_of(*, apart: Apart, claim: ApartClaim) -> int:
    """Return how often asking about the item failed since it was to be asked."""
    return apart.model.objects.values_list("tries", flat=True).get(item=claim.item_id)


def ask_failed_again(*, apart: Apart, items: QuerySet[Item]) -> int:
    """Let everything be asked again that failed, and at once what waits; return how many had failed."""
    rows = apart.model.objects.filter(item__in=items.order_by())
    rows.filter(error_code=AskedApart.WAITS).update(not_before=None, tries=0)
    failed = rows.exclude(error_code__in=("", *AskedApart.OPEN))
    return failed.update(error_code=AskedApart.WAITS, error_message=_WAITS_MESSAGE, not_before=None, tries=0)


def give_up_open(*, apart: Apart, items: QuerySet[Item], code: str, message: str, **fields: Any) -> int:
    """Mark everything that waits as failed for one reason; what others are asking now is left to them.

    New rows hold `fields` too. Return how many were given up.
    """
    failed = clipped_error(code=code, message=message)
    now = database_now()
    left = open_items(apart=apart, items=items).filter(Q(**{apart.link: None}) | _is(apart, AskedApart.WAITS))
    ids = list(left.values_list("pk", flat=True))
    new: list[Any] = [apart.model(item_id=item_id, asked_at=now, **failed, **fields) for item_id in ids]
    with transaction.atomic():
        apart.model.objects.bulk_create(new, ignore_conflicts=True)
        rows = apart.model.objects.filter(item__in=ids, error_code=AskedApart.WAITS)
        rows.update(asked_at=now, not_before=None, **failed)
    return len(ids)


def record_attempt(*, apart: Apart, claim: ApartClaim, error: ProviderError, cost: Decimal | None) -> None:
    """Keep a call without a reply, with what it cost: None where it may have been paid."""
    _keep_attempt(apart, claim, code=error.code, message=error.message, cost=cost)


def _keep_attempt(apart: Apart, claim: ApartClaim, *, code: str, message: str, **fields: Any) -> None:
    said = clipped_error(code=code, message=message)
    attempt = attempt_of_call(item_id=claim.item_id, token=claim.token, kind=apart.kind, **said, **fields)
    keep_attempts([attempt])


def _take_back(apart: Apart, claim: ApartClaim, kept: Mapping[str, Any]) -> bool:
    """Keep the reply to a last try that failed since the worker that brings it was given up for lost; say whether."""
    if not was_last_lost(item_id=claim.item_id, token=claim.token, kind=apart.kind):
        return False
    with transaction.atomic():
        hold_run_of(item_id=claim.item_id)
        failed = apart.model.objects.filter(item=claim.item_id, error_code=WORKER_LOST)
        if not failed.update(answered_token=claim.token, **kept):
            return False
        is_not_lost(item_id=claim.item_id, token=claim.token)
    return True


def _is_kept(apart: Apart, claim: ApartClaim) -> bool:
    """Say whether the reply was stored before: the connection broke after that, before it was said."""
    return apart.model.objects.filter(item=claim.item_id, error_code="", answered_token=claim.token).exists()


def _free_lapsed(*, apart: Apart, items: QuerySet[Item], prices: Prices) -> None:
    lapsed = _is(apart, AskedApart.ASKING) & Q(**{f"{apart.link}__asked_at__lt": database_now() - lease()})
    names = ("pk", f"{apart.link}__error_message", f"{apart.link}__tries")
    cost = failed_call_cost(prices=prices, code=WORKER_LOST)
    for item_id, token, tries in list(items.filter(lapsed).values_list(*names)):
        claim, is_last = ApartClaim(item_id, UUID(token)), tries + 1 >= settings.EVALUATION_TRIES
        # A renewal or a reply may have come meanwhile.
        row = _held(apart, claim).filter(asked_at__lt=database_now() - lease())
        code = WORKER_LOST if is_last else AskedApart.WAITS
        with transaction.atomic():
            if row.update(error_code=code, error_message=_LOST_MESSAGE, tries=F("tries") + 1, not_before=None):
                lost_attempt(
                    item_id=item_id, token=claim.token, kind=apart.kind, error_message=_LOST_MESSAGE, cost=cost
                ).save()


def _let_wait(apart: Apart, claim: ApartClaim, *, message: str, delay_seconds: float = 0, **fields: Any) -> int:
    return _held(apart, claim).update(
        **clipped_error(code=AskedApart.WAITS, message=message),
        not_before=database_now() + timedelta(seconds=delay_seconds) if delay_seconds else None,
        **fields,
    )


def _held(apart: Apart, claim: ApartClaim) -> QuerySet[Any]:
    return apart.model.objects.filter(item=claim.item_id, error_code=AskedApart.ASKING, error_message=str(claim.token))


def _is(apart: Apart, code: str) -> Q:
    return Q(**{f"{apart.link}__error_code": code})


def _waits(now: datetime, prefix: str = "") -> Q:
    is_due = Q(**{f"{prefix}not_before": None}) | Q(**{f"{prefix}not_before__lte": now})
    return Q(**{f"{prefix}error_code": AskedApart.WAITS}) & is_due


def _seconds(now: datetime, code: str | None, not_before: datetime | None, asked_at: datetime | None) -> float:
    if code == AskedApart.ASKING and asked_at is not None:
        return max(0.0, (asked_at + lease() - now).total_seconds())
    return max(0.0, (not_before - now).total_seconds()) if not_before is not None else 0.0
