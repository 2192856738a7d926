"""Find a prompt that a reply repeats with other blanks, line ends or quoting marks, or without its beginning."""

import re
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

# A shorter line may stand in any reply.
MIN_LINE_LENGTH = 16
# A piece of a prompt that is shorter is no echo of it.
MIN_END_LENGTH = 40
_WORD = re.compile(r"(?P<quoting>^[ \t]{0,3}(?:>[ \t]{0,3}){1,3})|\S+", re.MULTILINE)


class _Squeezed(NamedTuple):
    """The words of a text with one space between them, and where each begins here and there."""

    text: str
    starts: list[int]
    places: list[int]

    def place(self, index: int) -> int:
        """Return where in the text itself the character at `index` stands."""
        word = bisect_right(self.starts, index) - 1
        return self.places[word] + index - self.starts[word]


@lru_cache(maxsize=4096)
def _longest_line(prompt: str) -> str:
    return " ".join(max(prompt.splitlines(), key=len, default="").split())


def loose_echo(text: str, prompt: str) -> tuple[int, int] | None:
    """Return where `text` repeats `prompt` word by word, whatever stands between the words; None where it does not.

    The beginning may be missing where the rest begins the text.
    """
    if len(text) < MIN_END_LENGTH:
        return None
    line = _longest_line(prompt)
    if len(line) < MIN_LINE_LENGTH or line[-MIN_LINE_LENGTH:] not in text:
        return None
    said, sent = _squeezed(text), " ".join(prompt.split())
    at, of_prompt = said.text.find(line), sent.find(line)
    if at < 0 or not said.text.startswith(sent[of_prompt:], at):
        return None
    end = at + len(sent) - of_prompt
    start = at - of_prompt
    if start < 0 or said.text[start:at] != sent[:of_prompt]:
        is_end = sent[:of_prompt].endswith(said.text[:at]) and end >= MIN_END_LENGTH
        if not is_end:
            return None
        start = 0
    return len(text[: said.place(start)].rstrip("> \t")), said.place(end - 1) + 1


def _squeezed(text: str) -> _Squeezed:
    words = [word for word in _WORD.finditer(text) if word["quoting"] is None]
    spans = [word.group() for word in words]
    starts = [0, *accumulate(len(span) + 1 for span in spans)][: len(spans)]
    return _Squeezed(" ".join(spans), starts, [word.start() for word in words])
