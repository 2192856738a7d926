"""What the runs on the queue page would cost, before anything is queued."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from corpus.models import QuestionSet
from evaluations.errors import EvaluationError
from evaluations.forms import QueueRunForm
from evaluations.models import System
from evaluations.prompts import DEFAULT_PROMPT_STYLE
from evaluations.selectors.costs import money
from evaluations.selectors.estimates import Estimate, run_estimate, sweep_estimate
from evaluations.services.sweeps import Dimensions, variants_of


class EstimateLine(NamedTuple):
    """One system's estimate, or why there is none."""

    name: str
    estimate: Estimate | None
    problem: str


def estimates_of(form: QueueRunForm, systems: Sequence[System]) -> list[EstimateLine]:
    """Return a line for each system, for what the form holds or starts with; none before a set is chosen."""
    chosen = _chosen(form)
    if chosen.question_set is None:
        return []
    return [_line(system, chosen) for system in systems]


def total_of(lines: Sequence[EstimateLine]) -> str:
    """Return what all systems cost together, one sum for each currency and what is unknown; "" for fewer than two."""
    estimates = [line.estimate for line in lines if line.estimate]
    if len(estimates) < 2:
        return ""
    sums: dict[str, Decimal] = {}
    for each in estimates:
        if each.cost is not None:
            sums[each.currency] = sums.get(each.currency, Decimal(0)) + each.cost
    bound = "at most " if any(each.is_upper_bound for each in estimates if each.cost is not None) else ""
    told = [f"{bound}about {money(cost, currency)}" for currency, cost in sums.items()]
    if n_unknown := sum(each.cost is None for each in estimates):
        told.append(f"unknown for {n_unknown} of {len(estimates)} systems")
    return " and ".join(told)


class _Chosen(NamedTuple):
    question_set: QuestionSet | None
    style_name: str = DEFAULT_PROMPT_STYLE
    repeats: int = 1
    dimensions: Dimensions | None = None
    asks_confidence: bool = False


def _chosen(form: QueueRunForm) -> _Chosen:
    if not form.is_bound:
        return _Chosen(form.fields["question_set"].initial)
    form.is_valid()
    chosen: dict[str, Any] = form.cleaned_data
    return _Chosen(
        chosen.get("question_set"),
        chosen.get("prompt_style") or DEFAULT_PROMPT_STYLE,
        chosen.get("repeats") or 1,
        chosen.get("sweep"),
        bool(chosen.get("asks_confidence")),
    )


def _line(system: System, chosen: _Chosen) -> EstimateLine:
    set_revision = chosen.question_set.current_revision if chosen.question_set else None
    if set_revision is None:
        return EstimateLine(system.name, None, "The set has no questions.")
    asked: dict[str, Any] = {
        "set_revision": set_revision,
        "style_name": chosen.style_name,
        "repeats": chosen.repeats,
        "asks_confidence": chosen.asks_confidence,
    }
    try:
        estimate = (
            sweep_estimate(system=system, variants=variants_of(chosen.dimensions), **asked)
            if chosen.dimensions
            else run_estimate(system=system, **asked)
        )
    except EvaluationError as error:
        return EstimateLine(system.name, None, str(error))
    return EstimateLine(system.name, estimate, "")
