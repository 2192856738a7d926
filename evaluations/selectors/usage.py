"""What the answers of runs took: money, tokens and time, each as a sum that says how many answers it is of."""

from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Count, Sum
from django.db.models.fields.json import KT

from evaluations.models import Item, Run
from evaluations.selectors.board import items_of

_COLUMNS = ("cost", "tokens_in", "tokens_out", "latency_ms")


class Known(NamedTuple):
    """A sum over the `n` answers of which it is known."""

    total: Decimal | int
    n: int

    @property
    def mean(self) -> float | None:
        """The mean over these answers; None where it is known of none, which is not zero."""
        return float(self.total) / self.n if self.n else None


class Usage(NamedTuple):
    """What `n_answers` answers of a run took; `currency` is that of their cost.

    The cost is of the calls that became answers: not of those that failed, of stated confidence or of a fallback
    reader.
    """

    n_answers: int
    cost: Known
    currency: str
    tokens_in: Known
    tokens_out: Known
    latency_ms: Known


def usage_by_run(*, root_ids: Collection[int], run_ids: Collection[UUID | str]) -> dict[UUID, Usage]:
    """Return what the answers of each run to the questions `root_ids` took, in two queries; runs without are left out.

    What an answer took is unknown where nothing was stored: of imported runs, or where no price was known.
    """
    sums = {f"sum_{name}": Sum(name) for name in _COLUMNS}
    known = {f"n_{name}": Count(name) for name in _COLUMNS}
    answered = items_of(root_ids).filter(run_id__in=run_ids, status=Item.Status.ANSWERED)
    rows = answered.values("run_id").annotate(n_answers=Count("id"), **sums, **known)
    currencies = dict(
        Run.objects.filter(pk__in=run_ids)
        .order_by()
        .values_list("pk")
        .annotate(currency=KT("frozen__prices__currency"))
    )
    return {row["run_id"]: _usage(row, str(currencies.get(row["run_id"]) or "")) for row in rows}


def _usage(row: Mapping[str, Any], currency: str) -> Usage:
    cost, tokens_in, tokens_out, latency_ms = (Known(row[f"sum_{name}"] or 0, row[f"n_{name}"]) for name in _COLUMNS)
    return Usage(row["n_answers"], cost, currency, tokens_in, tokens_out, latency_ms)
