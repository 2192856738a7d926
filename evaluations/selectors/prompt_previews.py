"""What a system would be told of one question in every prompt style. Nothing of the answer key."""

from collections.abc import Sequence
from dataclasses import dataclass

from corpus.models import Question, QuestionRevision
from evaluations.models import System
from evaluations.prompts import PROMPT_ERRORS, PromptStyle, folded, prompt_styles

MOST_QUESTIONS = 20


@dataclass(frozen=True, slots=True)
class PromptPreview:
    """The exact words of one style, in the order in which they are said; "" where nothing is said."""

    style: str
    summary: str
    system_prompt: str
    prompt: str
    follow_up: str
    places: tuple[str, ...]
    problem: str = ""


def prompt_previews(*, revision: QuestionRevision, system: System | None = None) -> list[PromptPreview]:
    """Return what `system` (none: one without a system prompt) would be told, the options in the bank's order."""
    return [_preview(style, revision, system) for style in prompt_styles()]


def questions_like(*, text: str) -> Sequence[Question]:
    """Return the questions of that key, else the first whose key holds `text`, with their benchmarks and revisions."""
    questions = (
        Question.objects.filter(current_revision__isnull=False)
        .select_related("benchmark", "current_revision")
        .order_by("benchmark__slug", "key")
    )
    exact = list(questions.filter(key=text)[:MOST_QUESTIONS])
    return exact or list(questions.filter(key__icontains=text)[:MOST_QUESTIONS])


def _preview(style: PromptStyle, revision: QuestionRevision, system: System | None) -> PromptPreview:
    said_first = system.system_prompt if system else ""
    is_folded = system is not None and system.folds_system_prompt
    prompt = problem = ""
    try:
        prompt = folded(style.prepare(revision), said_first if is_folded else "").prompt
    except PROMPT_ERRORS as error:
        problem = f"The prompt could not be made: {type(error).__name__}: {error}"
    return PromptPreview(
        style=style.name,
        summary=style.summary,
        system_prompt="" if is_folded else said_first,
        prompt=prompt,
        follow_up=style.follow_up or "",
        places=style.protocols,
        problem=problem,
    )
