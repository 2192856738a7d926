"""Find answer tags: `[ANSWER]...[/ANSWER]`, their misspellings, and `\\boxed{...}`."""

import re
from typing import NamedTuple

from corpus.scoring.plain import closing_brace

_WORD = r"(?:final[ _]{0,2})?(?:answers?|answer[es]{0,2}|anwser|asnwer|anser|answr|ansewr|answe|ans)"
TAG = re.compile(
    r"(?:\\(?:text(?:bf|it|rm|tt|sf)?|math(?:bf|rm))\{)?"
    rf"\\?[\[<]\s{{0,2}}(?P<slash>[/\\]?)\s{{0,2}}{_WORD}\s{{0,2}}(?P<late>/?)\\?[\]>]\}}?",
    re.IGNORECASE,
)
_BOXED = re.compile(r"\\f?boxed\s?\{")
MAX_SWAPPED_LENGTH = 200

_PLACEHOLDER = re.compile(
    r"<[^<>]{0,60}>|\.{2,}|…|_{1,}|\?+|x{2,}|"
    r"(?:(?:your|the|final|correct|one|only|a|my|insert|here)\s{1,2}){0,3}"
    r"(?:answers?|letters?|letter\(s\)|numbers?|options?|value)(?:\s{1,2}here)?",
    re.IGNORECASE,
)


class Located(NamedTuple):
    """Where an answer's content stands: text[start:end]. `is_complete` is false where its end was never written."""

    start: int
    end: int
    form: str
    is_complete: bool = True


class TagScan(NamedTuple):
    """The answer tags of a text: complete ones in order, and the odd ones left over."""

    complete: tuple[Located, ...] = ()
    lone_closing: re.Match[str] | None = None
    open_at_end: int | None = None


def is_placeholder(content: str) -> bool:
    """Tell whether a tag holds the instruction's own placeholder (`<answer>`, `...`) in place of an answer."""
    return _PLACEHOLDER.fullmatch(content.strip()) is not None


def scan_tags(text: str) -> TagScan:
    """Pair each closing tag with the nearest opening before it; two openings around a short answer also pair."""
    complete: list[Located] = []
    lone_closing = None
    opening: int | None = None
    for tag in TAG.finditer(text):
        is_closing = bool(tag["slash"] or tag["late"])
        if is_closing and opening is None:
            lone_closing = tag if not complete or complete[-1].end < tag.start() else lone_closing
        elif is_closing:
            complete.append(Located(opening or 0, tag.start(), "tag"))
            opening, lone_closing = None, None
        elif opening is not None and _is_swapped_closing(text, opening, tag):
            complete.append(Located(opening, tag.start(), "tag"))
            opening = None
        else:
            opening = tag.end()
    return TagScan(tuple(complete), lone_closing, opening)


def _is_swapped_closing(text: str, opening: int, tag: re.Match[str]) -> bool:
    """`[ANSWER]C[ANSWER]`: the second stands for a closing tag when no closing tag and only a short text follows."""
    content = text[opening : tag.start()]
    if not content.strip() or len(content) > MAX_SWAPPED_LENGTH or "\n\n" in content.strip():
        return False
    following = TAG.search(text, tag.end())
    return following is None or not (following["slash"] or following["late"])


def last_boxed(text: str) -> Located | None:
    """Return the content of the last `\\boxed{...}` whose brace is closed."""
    position = text.rfind("boxed")
    while position >= 0:
        match = _BOXED.search(text, max(position - 2, 0), position + 7)
        if match is not None:
            closing = closing_brace(text, match.end())
            if closing < len(text):
                return Located(match.end(), closing, "boxed")
        position = text.rfind("boxed", 0, position)
    return None
