"""Leave out the list of options with which a reply repeats its question."""

import re
from collections.abc import Sequence

from corpus.scoring.option_texts import option_texts
from corpus.scoring.types import ShownOption

ECHOED_OPTIONS = "echoed-options"
_LINE = re.compile(r"[ \t]*(?:[-•*][ \t]{1,3})?\*{0,2}\(?([A-Z]{1,2})(?:\)?[.:)]|\))\*{0,2}[ \t]{0,4}(.*)")
_HEADER = re.compile(r"\s*(?:#{1,4}\s)?\*{0,2}(?:answer\s)?(?:options|choices)\s?:?\*{0,2}:?[ \t]*\n", re.IGNORECASE)


def without_echoed_options(text: str, shown: Sequence[ShownOption]) -> str:
    """Return `text` with a list of every option at its start blanked out: each in order, with its own whole text."""
    if "\n" not in text:
        return text
    header = _HEADER.match(text)
    start = 0 if header is None else header.end()
    start += len(text) - start - len(text[start:].lstrip())
    if len(shown) < 2 or not _is_first(text, start, shown[0]):
        return text
    end = _end_of_list(text, start, shown)
    return text if end is None else " " * end + text[end:]


def _is_first(text: str, start: int, option: ShownOption) -> bool:
    match = _LINE.match(text, start)
    return match is not None and match.group(1) == option.letter


def _end_of_list(text: str, start: int, shown: Sequence[ShownOption]) -> int | None:
    """Return the end of the list of all options, one a line, that begins at `start`, or None where it is none."""
    texts = option_texts(tuple(shown))
    position = start
    for place, option in enumerate(shown):
        position += len(text[position:]) - len(text[position:].lstrip("\n"))
        match = _LINE.match(text, position)
        if match is None or match.group(1) != option.letter or not texts.is_text_of(match.group(2), place):
            return None
        position = match.end()
    return position
