"""The prompt styles by name: every family in each way of writing chemistry. A style never changes."""

from corpus.markup.text import TextStyle
from evaluations.errors import CannotBeAskedError
from evaluations.prompts import chain_of_thought, completion, headings, instruction, self_critique
from evaluations.prompts.styles import Family, PromptStyle

DEFAULT_PROMPT_STYLE = "instruction@1"

_FAMILIES = (
    instruction.FAMILY,
    completion.FAMILY,
    headings.FAMILY,
    chain_of_thought.FAMILY,
    self_critique.FAMILY,
)
# What stands behind the family's name: chemistry as the bank marks it up, or in plain characters.
_MARKUPS: dict[str, TextStyle] = {"": "plain-latex", "-tags": "tags-latex", "-plain": "plain"}


def _style(family: Family, suffix: str) -> PromptStyle:
    return PromptStyle(f"{family.name}{suffix}@{family.version}", family, _MARKUPS[suffix])


_STYLES = {style.name: style for style in (_style(family, suffix) for family in _FAMILIES for suffix in _MARKUPS)}


def prompt_style_names() -> tuple[str, ...]:
    """Return every name a run's prompt style may have."""
    return tuple(_STYLES)


def prompt_styles() -> tuple[PromptStyle, ...]:
    """Return every style, a family's together."""
    return tuple(_STYLES.values())


def prompt_style(name: str) -> PromptStyle:
    """Return the style of that name. Refuse another name, saying which there are."""
    if name not in _STYLES:
        raise CannotBeAskedError(f"There is no prompt style {name!r}. Choose one of: {', '.join(_STYLES)}.")
    return _STYLES[name]
