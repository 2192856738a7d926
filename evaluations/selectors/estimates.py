"""What a run would cost, told before it is queued, with what the figure rests on."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import ceil
from typing import Any

from django.db.models import Count, QuerySet, Sum

from corpus.models import QuestionRevision, QuestionSetRevision
from evaluations.errors import CannotBeAskedError
from evaluations.models import Item, ItemConfidence, Run, System
from evaluations.prompts import prompt_style
from evaluations.prompts.confidence import CONFIDENCE_PROMPT
from evaluations.providers import provider_entry
from evaluations.providers.lessons import TOKEN_LIMITS
from evaluations.selectors.costs import money
from evaluations.services.costs import TokenCounts, call_cost, prices_now
from evaluations.services.sweeps import with_variant

CHARACTERS_A_TOKEN = 4
SAMPLE = 40
# The mean of fewer answers says little about the next run.
_ENOUGH_ANSWERS = 5
_UNKNOWN_REPLIES = (
    "How long replies get is not known: there is no earlier run of this system here, and no max_tokens in its "
    "parameters."
)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run may take and cost. `tokens_out` and `cost` are None where nothing says.

    `is_upper_bound`: replies are counted at the longest that is allowed. `rests_on` says in sentences where the
    figures come from. What a fallback reader adds is not in it: nobody knows how many replies it will get.
    """

    system: str
    name: str
    n_items: int
    tokens_in: int
    tokens_out: int | None
    is_upper_bound: bool
    cost: Decimal | None
    currency: str
    rests_on: tuple[str, ...]

    @property
    def text(self) -> str:
        """The cost in words: `about 3.20 USD`, `at most about 12.40 USD`, `nothing`, `unknown`."""
        if self.cost is None:
            return "unknown"
        if not self.cost:
            return "nothing"
        return f"{'at most about' if self.is_upper_bound else 'about'} {money(self.cost, self.currency)}"

    def as_dict(self) -> dict[str, Any]:
        """Return what `--json` prints."""
        return {
            "is_estimate": True,
            "system": self.system,
            "n_items": self.n_items,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "is_upper_bound": self.is_upper_bound,
            "cost": None if self.cost is None else f"{self.cost:f}",
            "currency": self.currency,
            "rests_on": list(self.rests_on),
        }


@dataclass(frozen=True, slots=True)
class _PerItem:
    """Tokens of one item, as a fraction; `received` None where nothing says."""

    sent: float
    received: float | None
    cached: float = 0.0
    reasoning: float = 0.0
    is_upper_bound: bool = False
    rests_on: str = ""


def run_estimate(
    *,
    system: System,
    set_revision: QuestionSetRevision,
    style_name: str,
    repeats: int = 1,
    parameters: Mapping[str, Any] | None = None,
    asks_confidence: bool = False,
) -> Estimate:
    """Return what a run of `system` over the set would take: from its earlier runs, else from the prompts themselves.

    `parameters` go over the system's own, as in a run. `asks_confidence` adds the question of how sure the system is.
    Raises CannotBeAskedError for a system or a style that cannot be asked, and for fewer than one repeat.
    """
    if repeats < 1:
        raise CannotBeAskedError(f"Ask each question at least once, not {repeats} times.")
    n_items = set_revision.members.count() * repeats
    each = _from_earlier_runs(system, set_revision, style_name) or _from_prompts(
        system, set_revision, style_name, parameters or {}
    )
    if asks_confidence:
        each = _with_confidence(each, _earlier_answers(system, set_revision, style_name))
    prices = prices_now(system)
    tokens = TokenCounts(
        sent=ceil(each.sent * n_items),
        received=None if each.received is None else ceil(each.received * n_items),
        cached=int(each.cached * n_items),
        reasoning=int(each.reasoning * n_items),
    )
    reasons = [each.rests_on, f"Prices: {prices.text}."] if prices.are_known else [each.rests_on, _no_prices(system)]
    return Estimate(
        system=system.slug,
        name=system.name,
        n_items=n_items,
        tokens_in=tokens.sent or 0,
        tokens_out=tokens.received,
        is_upper_bound=each.is_upper_bound,
        cost=call_cost(prices=prices, tokens=tokens),
        currency=prices.currency,
        rests_on=tuple(reasons),
    )


def sweep_estimate(
    *,
    system: System,
    set_revision: QuestionSetRevision,
    variants: Sequence[Mapping[str, Any]],
    style_name: str,
    repeats: int = 1,
    asks_confidence: bool = False,
) -> Estimate:
    """Return what all runs of a sweep would take together, each in its own prompt style and with its own limits.

    The cost is unknown where that of one of them is. Raises what `run_estimate` raises.
    """
    known: dict[tuple[str, ...], Estimate] = {}
    estimates = []
    for variant in variants:
        # Nothing else that varies changes an estimate.
        key = tuple(json.dumps(variant.get(name, "")) for name in ("prompt_style", *TOKEN_LIMITS))
        if key not in known:
            chosen = with_variant({"prompt_style": style_name}, variant)
            known[key] = run_estimate(
                system=system,
                set_revision=set_revision,
                style_name=chosen["prompt_style"],
                repeats=repeats,
                parameters=chosen["parameters"],
                asks_confidence=asks_confidence,
            )
        estimates.append(known[key])
    return _together(estimates)


def _together(estimates: Sequence[Estimate]) -> Estimate:
    received = [each.tokens_out for each in estimates if each.tokens_out is not None]
    costs = [each.cost for each in estimates if each.cost is not None]
    reasons = dict.fromkeys(reason for each in estimates for reason in each.rests_on)
    return replace(
        estimates[0],
        n_items=sum(each.n_items for each in estimates),
        tokens_in=sum(each.tokens_in for each in estimates),
        tokens_out=sum(received) if len(received) == len(estimates) else None,
        is_upper_bound=any(each.is_upper_bound for each in estimates),
        cost=sum(costs, Decimal(0)) if len(costs) == len(estimates) else None,
        rests_on=(f"All {len(estimates)} runs of the sweep together.", *reasons),
    )


def _from_earlier_runs(system: System, set_revision: QuestionSetRevision, style_name: str) -> _PerItem | None:
    """Return the means over answers of the same model to questions of the same benchmark, if there are enough."""
    sums = _sums(_earlier_answers(system, set_revision, style_name))
    n = sums["n"]
    if n < _ENOUGH_ANSWERS:
        return None
    return _PerItem(
        sent=sums["sent"] / n,
        received=sums["received"] / n,
        cached=(sums["cached"] or 0) / n,
        reasoning=(sums["reasoning"] or 0) / n,
        rests_on=f"Tokens: the mean of {n} answers of this model to this benchmark in the same prompt style.",
    )


def _earlier_answers(system: System, set_revision: QuestionSetRevision, style_name: str) -> QuerySet[Item]:
    return Item.objects.filter(
        run__system=system,
        run__origin=Run.Origin.ASKED,
        run__set_revision__question_set__benchmark=set_revision.question_set.benchmark_id,
        run__frozen__model_id=system.model_id,
        run__prompt_style=style_name,
        status=Item.Status.ANSWERED,
        tokens_in__isnull=False,
        tokens_out__isnull=False,
    )


def _with_confidence(each: _PerItem, earlier: QuerySet[Item]) -> _PerItem:
    """Return what an item takes with the question of how sure the system is: from earlier replies to it, if enough.

    Without them everything is said once more, and the reply is as long as an answer's.
    """
    stated = ItemConfidence.objects.filter(
        item__in=earlier, error_code="", tokens_in__isnull=False, tokens_out__isnull=False
    )
    sums = stated.aggregate(n=Count("id"), sent=Sum("tokens_in"), received=Sum("tokens_out"))
    n = sums["n"]
    sent = each.sent + (each.received or 0) + len(CONFIDENCE_PROMPT) / CHARACTERS_A_TOKEN
    received = each.received
    words = "How sure it is: all that was said is sent once more, and the reply is as long as an answer."
    if n >= _ENOUGH_ANSWERS:
        sent, received = sums["sent"] / n, sums["received"] / n
        words = f"How sure it is: the mean of {n} replies to that question."
    return replace(
        each,
        sent=each.sent + sent,
        received=None if each.received is None or received is None else each.received + received,
        rests_on=f"{each.rests_on} {words}",
    )


def _sums(answers: QuerySet[Item]) -> dict[str, Any]:
    return answers.order_by().aggregate(
        n=Count("id"),
        sent=Sum("tokens_in"),
        received=Sum("tokens_out"),
        cached=Sum("tokens_cached"),
        reasoning=Sum("tokens_reasoning"),
    )


def _from_prompts(
    system: System, set_revision: QuestionSetRevision, style_name: str, parameters: Mapping[str, Any]
) -> _PerItem:
    """Return the tokens of a sample of prompts, and the longest reply that the system's parameters allow."""
    style = prompt_style(style_name)
    sample = _sample(set_revision)
    n_characters = sum(len(style.prepare(revision).prompt) for revision in sample)
    prompt = len(system.system_prompt) + n_characters / max(1, len(sample))
    limit = _reply_limit({**provider_entry(system.provider).defaults, **system.parameters, **parameters})
    sent, received = prompt / CHARACTERS_A_TOKEN, limit
    if style.follow_up is not None:
        # The second turn sends the first again, with its reply.
        sent = 2 * sent + len(style.follow_up) / CHARACTERS_A_TOKEN + (limit or 0)
        received = None if limit is None else 2 * limit
    counted = f"Tokens sent: {len(sample)} of the prompts at {CHARACTERS_A_TOKEN} characters a token."
    replies = _UNKNOWN_REPLIES if limit is None else f"Replies: the most that is allowed, {limit} tokens each."
    return _PerItem(sent, received, is_upper_bound=limit is not None, rests_on=f"{counted} {replies}")


def _sample(set_revision: QuestionSetRevision) -> list[QuestionRevision]:
    """Return questions spread evenly over the set."""
    ids = list(set_revision.members.order_by("position").values_list("question_revision_id", flat=True))
    step = max(1, ceil(len(ids) / SAMPLE))
    return list(QuestionRevision.objects.filter(pk__in=ids[::step]).prefetch_related("options"))


def _reply_limit(parameters: Mapping[str, Any]) -> int | None:
    limits = [parameters[name] for name in TOKEN_LIMITS if type(parameters.get(name)) is int]
    return max(limits) if limits else None


def _no_prices(system: System) -> str:
    return f"The prices of {system.name} are not known; enter them with the system."
