"""The prompt styles by name. A style never changes; another wording is another version."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from corpus.models import QuestionRevision
from evaluations.errors import CannotBeAskedError
from evaluations.prompts import instruction
from evaluations.prompts.prepared import Prepared

DEFAULT_PROMPT_STYLE = "instruction@1"


@dataclass(frozen=True, slots=True)
class PromptStyle:
    """A named way to put a question. `template` is its fixed wording, kept with every run."""

    name: str
    template: str
    prepare: Callable[[QuestionRevision, Sequence[str]], Prepared]


_STYLES = {style.name: style for style in (PromptStyle("instruction@1", instruction.TEMPLATE, instruction.prepare),)}


def prompt_style_names() -> tuple[str, ...]:
    """Return every name a run's prompt style may have."""
    return tuple(_STYLES)


def prompt_style(name: str) -> PromptStyle:
    """Return the style of that name. Refuse another name, saying which there are."""
    if name not in _STYLES:
        raise CannotBeAskedError(f"There is no prompt style {name!r}. Choose one of: {', '.join(_STYLES)}.")
    return _STYLES[name]
