"""What asking costs: of one call, of a run so far, and whether a run's budget is used up.

Prices are per million tokens. Whatever is not known stays None: a missing price or count never becomes nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from math import ceil
from typing import Any
from uuid import UUID

from django.db.models import Q

from evaluations.models import AskedApart, Run, System
from evaluations.providers import BASELINES
from evaluations.selectors.costs import spent

PRICES_KEY = "prices"
BUDGET = "budget"
_MILLION = Decimal(1_000_000)
# As many as a token can cost by a price of six places per million.
_PLACES = Decimal("0.000000000001")
# More does not fit the column; such a cost comes from counts that cannot be true.
_LARGEST_COST = Decimal(999_999)
# Refused by an answer of the endpoint, or never sent: nobody charges for these. Any other failure may have been paid.
_NOT_PAID = frozenset(
    {
        "rate_limit",
        "overload",
        "long_wait",
        "quota",
        "bad_key",
        "forbidden",
        "not_found",
        "redirect",
        "bad_parameter",
        "bad_request",
        "too_long",
        "not_json",
        "prompt",
        "not_sent",
        "unreachable",
    }
)
# So many answers without a known cost, and none with one, mean that no budget can be kept.
_ANSWERS_WITHOUT_COST = 5
_COMPUTED_HERE = {"input": "0", "output": "0", "cached_input": None, "reasoning": None, "source": "computed here"}


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices per million tokens as a run froze them; None is unknown.

    Without a price of their own, cached tokens cost what any sent token costs, reasoning what any received one does.
    """

    input: Decimal | None = None
    output: Decimal | None = None
    cached_input: Decimal | None = None
    reasoning: Decimal | None = None
    currency: str = ""

    @property
    def are_known(self) -> bool:
        """Say whether a call's cost can be told from its token counts."""
        return self.input is not None and self.output is not None

    @property
    def text(self) -> str:
        """The prices in words, per million tokens; `unknown` where a cost cannot be told."""
        if not self.are_known:
            return "unknown"
        named = (
            (self.input, "sent"),
            (self.cached_input, "sent and cached"),
            (self.output, "received"),
            (self.reasoning, "of reasoning"),
        )
        parts = [f"{plain_number(price)} {self.currency} {name}" for price, name in named if price is not None]
        return f"{', '.join(parts)}, per million tokens"

    @property
    def are_nothing(self) -> bool:
        """Say whether asking is free of charge, whatever the counts."""
        return self.are_known and not any((self.input, self.output, self.cached_input, self.reasoning))


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """What a call used, as the endpoint reports it; `cached` is part of `sent`, `reasoning` part of `received`."""

    sent: int | None
    received: int | None
    cached: int | None = None
    reasoning: int | None = None


def price_facts(system: System) -> dict[str, str | None]:
    """Return a system's prices as a run freezes them: decimal numbers as text, None where unknown.

    What is computed here costs nothing, unless a price was entered for it.
    """
    if system.provider in BASELINES and system.input_price is None and system.output_price is None:
        return {**_COMPUTED_HERE, "currency": system.price_currency}
    return {
        "input": plain_number(system.input_price),
        "output": plain_number(system.output_price),
        "cached_input": plain_number(system.cached_input_price),
        "reasoning": plain_number(system.reasoning_price),
        "currency": system.price_currency,
        "source": system.price_source,
    }


def prices_of(frozen: Mapping[str, Any]) -> Prices:
    """Return the prices among a run's frozen facts; all unknown for a run that was made without any."""
    facts = frozen.get(PRICES_KEY)
    if not isinstance(facts, Mapping):
        return Prices()
    return Prices(
        input=_as_price(facts.get("input")),
        output=_as_price(facts.get("output")),
        cached_input=_as_price(facts.get("cached_input")),
        reasoning=_as_price(facts.get("reasoning")),
        currency=str(facts.get("currency") or ""),
    )


def prices_now(system: System) -> Prices:
    """Return the prices that a run of the system made now would have."""
    return prices_of({PRICES_KEY: price_facts(system)})


def call_cost(*, prices: Prices, tokens: TokenCounts) -> Decimal | None:
    """Return what a call cost, to twelve places; None where a price or a count that matters is unknown.

    Counts that contradict each other, such as more cached tokens than were sent, leave the cost unknown.
    """
    sent = _side(tokens.sent, prices.input, tokens.cached, prices.cached_input)
    received = _side(tokens.received, prices.output, tokens.reasoning, prices.reasoning)
    if sent is None or received is None:
        return None
    cost = (sent + received) / _MILLION
    return cost.quantize(_PLACES) if cost <= _LARGEST_COST else None


def total_cost(costs: Iterable[Decimal | None]) -> Decimal | None:
    """Return the sum of what calls cost; None where one of them is unknown, or the sum fits no column."""
    total = Decimal(0)
    for cost in costs:
        if cost is None:
            return None
        total += cost
    return total if total <= _LARGEST_COST else None


def failed_call_cost(*, prices: Prices, code: str) -> Decimal | None:
    """Return what a call without a reply cost: nothing where the endpoint turned it away, else unknown."""
    return Decimal(0) if prices.are_nothing or (prices.are_known and code in _NOT_PAID) else None


def budget_refusal(*, frozen: Mapping[str, Any], name: str, budget: Decimal | None) -> str | None:
    """Return why a run with these frozen facts cannot be held to `budget`, or None where it can (or has none).

    `name` is the system's, for the sentence.
    """
    if budget is None:
        return None
    if budget <= 0:
        return "A budget must be more than nothing; leave it empty for a run without a limit."
    if prices_of(frozen).are_known:
        return None
    return (
        f"The prices of {name} are not known to this run, so it cannot be said when a budget is used up. Enter its "
        "input and output price with the system first, then queue a run, or queue it without a budget."
    )


@dataclass(frozen=True, slots=True)
class BudgetLook:
    """What a run's budget allows: `problem` says why nothing more, None while something; `n_more` questions at most.

    `n_more` is None where nothing limits them.
    """

    problem: str | None = None
    n_more: int | None = None


def budget_problem(*, run_id: UUID) -> str | None:
    """Return why a run may ask nothing more for its budget's sake, in a plain sentence, or None while it may."""
    return budget_look(run_id=run_id).problem


def budget_look(*, run_id: UUID) -> BudgetLook:
    """Return what a run's budget allows now.

    What is in flight, and what has an unknown cost, counts at the mean of the known costs so far, and so does every
    further question. While no cost is known, few may be asked, and calls that failed do not count, for the first answer
    will tell. One small query for a run without a budget, six for one with a budget.
    """
    run = Run.objects.only("budget", "frozen").get(pk=run_id)
    if run.budget is None:
        return BudgetLook()
    so_far, n_in_flight = spent(run=run), _n_in_flight(run)
    if not so_far.n_known:
        return _unmeasured(run, n_in_flight)
    mean = so_far.known / so_far.n_known
    left = run.budget - so_far.known - mean * (so_far.n_unknown + n_in_flight)
    if left > 0:
        return BudgetLook(n_more=ceil(left / mean) if mean else None)
    currency = prices_of(run.frozen).currency
    return BudgetLook(
        f"The budget of {plain_number(run.budget)} {currency} is used up: {so_far.text} so far, what is in flight "
        "counted at the mean. Raise the budget to go on.",
        0,
    )


def _n_in_flight(run: Run) -> int:
    """Return how many questions are being asked, and how many about answers."""
    is_asked = Q(status="leased")
    for link in ("stated_confidence", "fallback"):
        is_asked |= Q(**{f"{link}__error_code": AskedApart.ASKING})
    return run.items.filter(is_asked).count()


def _unmeasured(run: Run, n_in_flight: int) -> BudgetLook:
    n_answers = run.items.filter(status="answered").count()
    if n_answers < _ANSWERS_WITHOUT_COST:
        return BudgetLook(n_more=max(0, _ANSWERS_WITHOUT_COST - n_answers - n_in_flight))
    return BudgetLook(
        f"The cost of none of {n_answers} answers is known, because the endpoint reports no token counts, so the "
        "budget cannot be kept. Queue a run without a budget instead.",
        0,
    )


def _side(count: int | None, price: Decimal | None, part: int | None, part_price: Decimal | None) -> Decimal | None:
    """Return tokens times price of one direction, of which `part` may have a price of its own."""
    own_price = price if part_price is None else part_price
    if price is None or own_price is None:
        return None
    if not price and not own_price:
        return Decimal(0)
    if count is None:
        return None
    if part is not None and part > count:
        return None
    return (count - (part or 0)) * price + (part or 0) * own_price


def plain_number(amount: Decimal | None) -> str | None:
    """Return a decimal number as text without a power of ten or zeros at its end, such as 2.5 or 10."""
    return None if amount is None else f"{amount.normalize():f}"


def _as_price(value: object) -> Decimal | None:
    try:
        price = Decimal(value) if isinstance(value, str) else None
    except InvalidOperation:
        return None
    return price if price is not None and price.is_finite() and price >= 0 else None
