"""What the runs on the queue page would cost, before anything is queued."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from corpus.models import QuestionSet
from evaluations.errors import EvaluationError
from evaluations.forms import QueueRunForm
from evaluations.models import System
from evaluations.prompts import DEFAULT_PROMPT_STYLE
from evaluations.selectors.estimates import Estimate, run_estimate
from evaluations.services.sweeps import n_variants


class EstimateLine(NamedTuple):
    """One system's estimate, or why there is none."""

    name: str
    estimate: Estimate | None
    problem: str


def estimates_of(form: QueueRunForm, systems: Sequence[System]) -> list[EstimateLine]:
    """Return a line for each system, for what the form holds or starts with; none before a set is chosen."""
    question_set, style_name, repeats = _chosen(form)
    if question_set is None:
        return []
    return [_line(system, question_set, style_name, repeats) for system in systems]


def _chosen(form: QueueRunForm) -> tuple[QuestionSet | None, str, int]:
    if not form.is_bound:
        return form.fields["question_set"].initial, DEFAULT_PROMPT_STYLE, 1
    form.is_valid()
    chosen: dict[str, Any] = form.cleaned_data
    # The runs of a sweep ask as often as so many repeats.
    n_times = (chosen.get("repeats") or 1) * max(1, n_variants(chosen.get("sweep") or {}))
    return chosen.get("question_set"), chosen.get("prompt_style") or DEFAULT_PROMPT_STYLE, n_times


def _line(system: System, question_set: QuestionSet, style_name: str, repeats: int) -> EstimateLine:
    set_revision = question_set.current_revision
    if set_revision is None:
        return EstimateLine(system.name, None, "The set has no questions.")
    try:
        estimate = run_estimate(system=system, set_revision=set_revision, style_name=style_name, repeats=repeats)
    except EvaluationError as error:
        return EstimateLine(system.name, None, str(error))
    return EstimateLine(system.name, estimate, "")
