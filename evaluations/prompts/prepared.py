"""A question ready to be sent."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prepared:
    """The prompt and, for a choice question, its options as (letter, option key, text as sent) in the order sent."""

    prompt: str
    options_shown: tuple[tuple[str, str, str], ...] = ()
