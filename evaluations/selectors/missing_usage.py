"""What answers may have cost whose tokens were not reported: an estimate, which never becomes part of a sum."""

from dataclasses import dataclass
from decimal import Decimal
from math import ceil
from typing import Any

from django.db.models import Count, Q, Sum
from django.db.models.functions import Length

from evaluations.models import Item, Run
from evaluations.selectors.costs import money
from evaluations.selectors.estimates import CHARACTERS_A_TOKEN
from evaluations.services.costs import TokenCounts, call_cost, prices_of


@dataclass(frozen=True, slots=True)
class EstimatedCost:
    """What `n_answers` answers of unknown cost may have cost together, by the length of what was said."""

    cost: Decimal
    currency: str
    n_answers: int

    @property
    def text(self) -> str:
        """The amount in words, always marked as an estimate."""
        return f"about {money(self.cost, self.currency)} (estimate)"

    def as_dict(self) -> dict[str, Any]:
        """Return what `--json` prints."""
        return {
            "is_estimate": True,
            "cost": f"{self.cost:f}",
            "currency": self.currency,
            "n_answers": self.n_answers,
        }


def estimated_cost(*, run: Run, item: Item | None = None) -> EstimatedCost | None:
    """Return an estimate for the answers of a run, or for one, for which the endpoint reported no tokens.

    A token counts as four characters; what was reported counts as it is. None without prices, where no such answer is,
    and for answers that were not asked for here, which others paid. Answers of two turns, whose first prompt was sent
    twice, are left out. One query at most.
    """
    prices = prices_of(run.frozen)
    if run.origin != Run.Origin.ASKED or not prices.are_known:
        return None
    items = run.items.filter(status=Item.Status.ANSWERED, cost=None, turns=[])
    sums = _sums(items.filter(pk=item.pk) if item else items)
    if not sums["n"]:
        return None
    cost = call_cost(prices=prices, tokens=_tokens(run, sums))
    return None if cost is None else EstimatedCost(cost, prices.currency, sums["n"])


def _sums(items: Any) -> dict[str, Any]:
    unsaid_in, unsaid_out = Q(tokens_in=None), Q(tokens_out=None)
    sums: dict[str, Any] = (
        items.filter(unsaid_in | unsaid_out)
        .order_by()
        .aggregate(
            n=Count("id"),
            n_unsaid_in=Count("id", filter=unsaid_in),
            said_in=Sum("tokens_in", default=0),
            said_out=Sum("tokens_out", default=0),
            characters_in=Sum(Length("prompt"), filter=unsaid_in, default=0),
            characters_out=Sum(Length("completion") + Length("reasoning"), filter=unsaid_out, default=0),
        )
    )
    return sums


def _tokens(run: Run, sums: dict[str, Any]) -> TokenCounts:
    # A system prompt that is folded stands at the head of the prompt and is counted there.
    before = "" if run.frozen.get("folds_system_prompt") else str(run.frozen.get("system_prompt") or "")
    characters_in = sums["characters_in"] + sums["n_unsaid_in"] * len(before)
    return TokenCounts(
        sent=sums["said_in"] + ceil(characters_in / CHARACTERS_A_TOKEN),
        received=sums["said_out"] + ceil(sums["characters_out"] / CHARACTERS_A_TOKEN),
    )
