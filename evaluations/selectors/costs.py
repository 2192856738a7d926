"""What runs have cost so far: sums that say how much of them is unknown."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import Count, Q, QuerySet, Sum

from evaluations.models import Item, ItemAttempt, ItemConfidence, ItemFallback, Run

_CENT = Decimal("0.01")
_APART = (ItemConfidence, ItemFallback)


@dataclass(frozen=True, slots=True)
class Spent:
    """A sum of the costs that are known, over `n_known` calls; `n_unknown` further calls cost we do not know what."""

    known: Decimal
    n_known: int
    n_unknown: int
    currency: str = ""

    @property
    def n_calls(self) -> int:
        """Every call that may have cost something."""
        return self.n_known + self.n_unknown

    @property
    def text(self) -> str:
        """The sum in words: `1.23 USD`, `at least 1.23 USD, 4 of 80 unknown`, `unknown`, `nothing yet`."""
        if not self.n_calls:
            return "nothing yet"
        if not self.n_known:
            return "unknown"
        amount = money(self.known, self.currency)
        return f"at least {amount}, {self.n_unknown} of {self.n_calls} unknown" if self.n_unknown else amount

    def as_dict(self) -> dict[str, Any]:
        """Return what `--json` prints; `known` is None where nothing is known."""
        return {
            "known": f"{self.known:f}" if self.n_known else None,
            "currency": self.currency,
            "n_known": self.n_known,
            "n_unknown": self.n_unknown,
        }


def money(amount: Decimal, currency: str) -> str:
    """Return an amount for people: cents, or two figures of what is less than ten cents."""
    if amount and amount < Decimal("0.1"):
        amount = amount.quantize(Decimal(1).scaleb(amount.adjusted() - 1)).normalize()
        return f"{amount:f} {currency}".strip()
    return f"{amount.quantize(_CENT)} {currency}".strip()


def spent(*, run: Run) -> Spent:
    """Return what a run cost so far, from four queries; imported results cost us nothing we know of."""
    return spent_by_run(runs=[run])[run.pk]


def spent_by_run(*, runs: Collection[Run]) -> dict[UUID, Spent]:
    """Return what each run cost so far, answers, calls without an answer and stated confidence together.

    Four queries for any number of runs.
    """
    ids = [run.pk for run in runs]
    parts = [
        _sums(Item.objects.filter(run__in=ids, status=Item.Status.ANSWERED), "run_id"),
        # A call that was turned away is no call that was paid; it would only lower the mean.
        _sums(ItemAttempt.objects.filter(item__run__in=ids).exclude(cost=0), "item__run_id"),
        # Without a reply the calls are among the attempts.
        *(_sums(rows.objects.filter(item__run__in=ids, error_code=""), "item__run_id") for rows in _APART),
    ]
    return {run.pk: _spent(run, parts) for run in runs}


def _sums(rows: QuerySet[Any], run_id: str) -> dict[UUID, dict[str, Any]]:
    sums = (
        rows.order_by()
        .values(run_id)
        .annotate(
            known=Sum("cost"),
            n_known=Count("id", filter=Q(cost__isnull=False)),
            n_unknown=Count("id", filter=Q(cost=None)),
        )
    )
    return {row[run_id]: row for row in sums}


def _spent(run: Run, parts: Collection[Mapping[UUID, Mapping[str, Any]]]) -> Spent:
    rows = [part[run.pk] for part in parts if run.pk in part]
    prices = run.frozen.get("prices") or {}
    return Spent(
        known=sum((row["known"] or Decimal(0) for row in rows), Decimal(0)),
        n_known=sum(row["n_known"] for row in rows),
        n_unknown=sum(row["n_unknown"] for row in rows),
        currency=str(prices.get("currency") or ""),
    )
