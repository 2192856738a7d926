"""Looks ahead in a text without reading any of it twice, so that hostile text costs no more than other text."""

import re
from bisect import bisect_left
from functools import cached_property

_BLANK_LINE = re.compile(r"(?=(\n[ \t]*\n))")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_DOLLAR = re.compile(r"(?<!\\)\$")


class Scan:
    """One text. Answers are remembered, so the same search from one place after the other is one pass."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._found: dict[str, tuple[int, int]] = {}

    def find(self, text: str, start: int) -> int:
        """Return the first offset of `text` from `start` on, or -1."""
        asked, found = self._found.get(text, (len(self.source) + 1, -1))
        if asked <= start and (found == -1 or found >= start):
            return found
        found = self.source.find(text, start)
        self._found[text] = (start, found)
        return found

    def has_blank_line(self, start: int, end: int) -> bool:
        """Say whether an empty line lies wholly between two offsets."""
        index = bisect_left(self._blank_lines, (start, 0))
        return index < len(self._blank_lines) and self._blank_lines[index][1] <= end

    def matching_brace(self, opening: int) -> int | None:
        """Return the offset of the brace that closes the one at `opening`; escaped braces do not count."""
        return self._partners.get(opening)

    def n_dollars(self, start: int, end: int) -> int:
        """Count the dollars without a backslash before them between two offsets."""
        return bisect_left(self._dollars, end) - bisect_left(self._dollars, start)

    @cached_property
    def _blank_lines(self) -> list[tuple[int, int]]:
        # Overlapping ones count: the end of one may be the beginning of the next.
        return [(found.start(), found.end(1)) for found in _BLANK_LINE.finditer(self.source)]

    @cached_property
    def _partners(self) -> dict[int, int]:
        waiting: list[int] = []
        partners: dict[int, int] = {}
        for found in _BRACE.finditer(self.source):
            if found.group() == "{":
                waiting.append(found.start())
            elif found.group() == "}" and waiting:
                partners[waiting.pop()] = found.start()
        return partners

    @cached_property
    def _dollars(self) -> list[int]:
        return [found.start() for found in _DOLLAR.finditer(self.source)]
