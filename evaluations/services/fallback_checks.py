"""Whether what a fallback reader wrote may count: only what the reply says, or an option by its letter or text."""

import re

from corpus.scoring.plain import plain_text
from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, Reading, ReadStatus
from evaluations.services.fallback_frozen import NOTE
from evaluations.services.fallback_prompt import NO_ANSWER

_BETWEEN_LETTERS = re.compile(r"[\s,;/&]+|\band\b")
# A number must not be a piece of a longer one, nor the factor of a power of ten that was left out.
_BEFORE = r"(?<![\w.,+−-])"
_AFTER = r"(?!\w|[.,]\d|\s?(?:[×·*^/⋅]|x\s?10|\\times|\\cdot))"
_SHOWN_LENGTH = 200


def checked_reading(*, output: str, completion: str, asked: Asked, reader: str) -> Reading:
    """Return the reading of a completion that a fallback reader's output stands for.

    It is `unparsed` unless the output states one answer, and that answer occurs in the completion or is made of
    letters or texts of the options as they were shown. The span is where it occurs in the completion.
    """
    said = f"It wrote {output.strip()[:_SHOWN_LENGTH]!r}"
    if output.strip().strip(".").upper() == NO_ANSWER:
        return _unread(reader, "The fallback reader found no answer.")
    own = read_answer(text=output, asked=Asked(kind=asked.kind, shown=asked.shown, unit=asked.unit))
    if own.status is not ReadStatus.READ:
        return _unread(reader, f"{said}, which states no one answer.")
    passage = output[own.span[0] : own.span[1]] if own.span else output.strip()
    span = occurrence(passage=passage, completion=completion)
    if span is None and not (asked.kind is Kind.CHOICE and _names_options(passage, asked)):
        return _unread(reader, f"{said}, which the reply does not say.")
    return Reading(
        ReadStatus.READ,
        option_keys=own.option_keys,
        number=own.number,
        unit=own.unit,
        span=span,
        notes=(NOTE, *own.notes),
        reader=reader,
        reason=f"{said}.",
    )


def occurrence(*, passage: str, completion: str) -> tuple[int, int] | None:
    """Return where a passage stands last in a completion, white space aside, and not as a piece of something longer."""
    words = passage.split()
    if not words:
        return None
    pattern = _BEFORE + r"\s+".join(re.escape(word) for word in words) + _AFTER
    spans = [found.span() for found in re.finditer(pattern, completion)]
    return spans[-1] if spans else None


def _names_options(passage: str, asked: Asked) -> bool:
    letters = {option.letter for option in asked.shown}
    named = [part for part in _BETWEEN_LETTERS.split(passage) if part]
    if named and letters.issuperset(named):
        return True
    return plain_text(passage) in {plain_text(option.text) for option in asked.shown}


def _unread(reader: str, reason: str) -> Reading:
    return Reading(ReadStatus.UNPARSED, notes=(NOTE,), reader=reader, reason=reason)
