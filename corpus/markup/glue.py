"""Joins formulas with the punctuation that touches them, so that a line never breaks in between."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from corpus.markup.segments import Broken, Chemical, Formula, Math, ReactionSmiles, Segment, Smiles, Text, Unit

_OPENING = re.compile(r"""[(\["']+$""")
_CLOSING = re.compile(r"""[.,;:?!)\]"'%]+""")


@dataclass(frozen=True, slots=True)
class Glued:
    """A formula with the opening and closing punctuation around it."""

    before: str
    formula: Formula
    after: str


@dataclass(frozen=True, slots=True)
class _Split:
    """A text cut into what belongs to the formula before it, the rest, and what belongs to the one after it."""

    closing: str
    rest: str
    opening: str


def glued(segments: tuple[Segment, ...]) -> Iterator[Text | Glued | Smiles | ReactionSmiles | Broken]:
    """Yield the segments in order; punctuation that touches a formula moves from the text to the formula."""
    splits = [_split(segments, index) for index in range(len(segments))]
    nothing = _Split("", "", "")
    for index, segment in enumerate(segments):
        if isinstance(segment, Math | Chemical | Unit):
            before = splits[index - 1] if index else nothing
            after = splits[index + 1] if index + 1 < len(splits) else nothing
            yield Glued(before.opening, segment, after.closing)
        elif isinstance(segment, Text):
            yield Text(splits[index].rest)
        else:
            yield segment


def _split(segments: tuple[Segment, ...], index: int) -> _Split:
    segment = segments[index]
    if not isinstance(segment, Text):
        return _Split("", "", "")
    text = segment.source
    closing = _CLOSING.match(text) if _is_formula(segments, index - 1) else None
    start = closing.end() if closing else 0
    opening = _OPENING.search(text, start) if _is_formula(segments, index + 1) else None
    end = opening.start() if opening else len(text)
    return _Split(text[:start], text[start:end], text[end:])


def _is_formula(segments: tuple[Segment, ...], index: int) -> bool:
    return 0 <= index < len(segments) and isinstance(segments[index], Math | Chemical | Unit)
