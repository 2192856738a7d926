"""A question ready to be sent."""

from dataclasses import dataclass, replace

# What stands in the way of putting a question into words: it comes from outside, and may hold anything.
PROMPT_ERRORS = (ArithmeticError, LookupError, ValueError)


@dataclass(frozen=True, slots=True)
class Prepared:
    """The prompt and, for a choice question, its options as (letter, option key, text as sent) in the order sent."""

    prompt: str
    options_shown: tuple[tuple[str, str, str], ...] = ()


def folded(prepared: Prepared, system_prompt: str) -> Prepared:
    """Return a question with the system prompt at its head, for a system that takes none of its own."""
    return replace(prepared, prompt=head_of(system_prompt) + prepared.prompt) if system_prompt else prepared


def head_of(system_prompt: str) -> str:
    """Return what a folded system prompt puts before a question, "" for no system prompt."""
    return f"{system_prompt}\n\n" if system_prompt else ""
