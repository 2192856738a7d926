"""How the published package came to its parse: what stored readings are explained by, never used to read.

It looked for tags in exact spelling, united the letters of all of them, took the first number of the first tag with
digits and a dot only, and, without a tag, the first number word, inside other words too.
"""

import re
from collections.abc import Set
from decimal import Decimal

from corpus.scoring.number_words import WORD_VALUES

_EXACT_TAG = re.compile(r"\[ANSWER\](.*?)\[/ANSWER\]", re.DOTALL)
_DIGITS = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_LONE_LETTER = re.compile(r"(?<![A-Za-z])[A-Z](?![A-Za-z])")


def exact_tags(text: str) -> tuple[str, ...]:
    """Return the contents of all tags in exact spelling that hold something."""
    if "[ANSWER]" not in text:
        return ()
    return tuple(content for content in _EXACT_TAG.findall(text) if content.strip())


def plain_numbers(text: str) -> tuple[Decimal, ...]:
    """Return every number written with ASCII digits, a dot and an unspaced exponent, each on its own."""
    return tuple(Decimal(digits) for digits in _DIGITS.findall(text))


def first_plain_number(text: str) -> Decimal | None:
    """Return the first of `plain_numbers`, or None."""
    match = _DIGITS.search(text)
    return None if match is None else Decimal(match.group())


def lone_letters(text: str) -> Set[str]:
    """Return the capitals that stand in `text` without a letter beside them."""
    return frozenset(_LONE_LETTER.findall(text))


def word_numbers(text: str) -> Set[int]:
    """Return the values of the number words in `text`, inside other words too (`weight` holds eight)."""
    folded = text.lower()
    return frozenset(value for word, value in WORD_VALUES.items() if word in folded)
