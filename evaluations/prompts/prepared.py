"""A question ready to be sent."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Prepared:
    """The prompt and, for a choice question, its options as (letter, option key, text as sent) in the order sent."""

    prompt: str
    options_shown: tuple[tuple[str, str, str], ...] = ()


def folded(prepared: Prepared, system_prompt: str) -> Prepared:
    """Return a question with the system prompt at its head, for a system that takes none of its own."""
    if not system_prompt:
        return prepared
    return replace(prepared, prompt=f"{system_prompt}\n\n{prepared.prompt}")
