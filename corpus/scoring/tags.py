"""Find answer tags: `[ANSWER]...[/ANSWER]`, their misspellings, and `\\boxed{...}`."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from corpus.scoring.denials import is_denied_place
from corpus.scoring.folding import holds_any
from corpus.scoring.plain import closing_brace

_WORD = r"(?:final[ _]{0,2})?(?:answers?|answer[es]{0,2}|anwser|asnwer|anser|answr|ansewr|answe|ans)"
# Every spelling of the word holds one of these.
_BEGINNINGS = ("ans", "anw", "asn")
TAG = re.compile(
    rf"[\[<]\s{{0,2}}(?P<slash>[/\\]?)\s{{0,2}}{_WORD}\s{{0,2}}(?P<late>/?)\\?[\]>]\}}?",
    re.IGNORECASE,
)
_WRAPPER = re.compile(r"\\(?:(?:text(?:bf|it|rm|tt|sf)?|math(?:bf|rm))\{)?$")
_WRAPPER_LENGTH = 10
_BOXED = re.compile(r"\\f?boxed\s?\{")
MAX_SWAPPED_LENGTH = 200
MAX_BOX_LENGTH = 1000
MAX_UNCLOSED_BOXES = 8

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
    for tag in TAG.finditer(text, _first_bracket(text)):
        is_closing = bool(tag["slash"] or tag["late"])
        if is_closing and opening is None:
            lone_closing = tag if not complete or complete[-1].end < tag.start() else lone_closing
        elif is_closing:
            complete.append(Located(opening or 0, _content_end(text, opening or 0, tag.start()), "tag"))
            opening, lone_closing = None, None
        elif opening is not None and _is_swapped_closing(text, opening, tag):
            complete.append(Located(opening, tag.start(), "tag"))
            opening = None
        else:
            opening = tag.end()
    return TagScan(tuple(complete), lone_closing, opening)


def _first_bracket(text: str) -> int:
    """Return where a tag may begin at the earliest, found much faster than the pattern would find it."""
    square, angle = text.find("["), text.find("<")
    if square < 0 and angle < 0:
        return len(text)
    start = max(square, angle) if min(square, angle) < 0 else min(square, angle)
    return start if holds_any(text[start:].lower(), _BEGINNINGS) else len(text)


def _content_end(text: str, start: int, end: int) -> int:
    """Leave out the `\\textbf{` or backslash that belongs to the closing tag."""
    if text[end - 1] not in "{\\":
        return end
    wrapper = _WRAPPER.search(text, max(start, end - _WRAPPER_LENGTH), end)
    return end if wrapper is None else wrapper.start()


def _is_swapped_closing(text: str, opening: int, tag: re.Match[str]) -> bool:
    """`[ANSWER]C[ANSWER]`: the second stands for a closing tag when no closing tag and only a short text follows."""
    content = text[opening : tag.start()]
    if not content.strip() or len(content) > MAX_SWAPPED_LENGTH or "\n\n" in content.strip():
        return False
    following = TAG.search(text, tag.end())
    return following is None or not (following["slash"] or following["late"])


def last_boxed(text: str, start: int = 0, end: int | None = None) -> Located | None:
    """Return the content of the last `\\boxed{...}` between `start` and `end` whose brace is closed."""
    for _ in range(MAX_UNCLOSED_BOXES):
        position = text.rfind("boxed", start, end)
        if position < 0:
            return None
        match = _BOXED.search(text, max(position - 2, 0), position + 7)
        closing = len(text) if match is None else closing_brace(text, match.end(), MAX_BOX_LENGTH)
        if match is not None and text[closing : closing + 1] == "}":
            return Located(match.end(), closing, "boxed")
        end = position
    return None


_AND = r"(?:[,;&+]|[,;]?\s?(?:and|plus|as\swell\sas)(?:\salso)?)"
_OR = (
    r"(?:,?\s?(?:and/or|or)(?:\s(?:maybe|perhaps|possibly|alternatively|even))?|/|to|through|vs\.?|versus"
    r"|(?<!\n)(?<!\n\s)[-–—])"
)
_REMARK = r"(?:\s?\([^()\n]{1,40}\))?"
_JOINT = re.compile(rf"{_REMARK}\s{{0,3}}(?:{_AND}|(?P<either>{_OR}))\s{{0,3}}", re.IGNORECASE)
MAX_JOINT_LENGTH = 100
# More tags or boxes in a row are no answer of anybody.
MAX_JOINT = 64


def last_group(text: str, tags: Sequence[Located], prompt: str) -> list[Located] | None:
    """Return the last tag that no word before it denies, with those joined to it (`... and ...`); None for none."""
    if len(tags) == 1:
        return None if is_denied_place(text, opening_of(text, tags[0].start), prompt) else [*tags]
    group: list[Located] = []
    for tag in reversed(tags[-MAX_JOINT:]):
        if group and not _is_joined(text, tag, group[-1]):
            if not is_denied_place(text, opening_of(text, group[-1].start), prompt):
                return group[::-1]
            group = []
        group.append(tag)
    return None if is_denied_place(text, opening_of(text, group[-1].start), prompt) else group[::-1]


def opening_of(text: str, start: int) -> int:
    """Return where the tag begins whose content begins at `start`."""
    window = max(start - MAX_JOINT_LENGTH, 0)
    return max(text.rfind("[", window, start), text.rfind("<", window, start), window)


def are_alternatives(text: str, group: Sequence[Located]) -> bool:
    """Tell whether `or`, a slash or a dash stands between two of the tags or boxes of a group."""
    joints = (_joint(text, *pair) or _joint_of_boxes(text, *pair) for pair in pairwise(group))
    return any(joint is not None and joint["either"] for joint in joints)


def _is_joined(text: str, tag: Located, following: Located) -> bool:
    return _joint(text, tag, following) is not None


def _joint(text: str, tag: Located, following: Located) -> re.Match[str] | None:
    """Return what stands between two tags where it is nothing but a comma, `and`, `or` or their like."""
    if following.start - tag.end > MAX_JOINT_LENGTH:
        return None
    closing = TAG.match(text, tag.end)
    return None if closing is None else _JOINT.fullmatch(text, closing.end(), opening_of(text, following.start))


_SPACE_OF_BOXES = r"(?:[\s$~]|\\(?:q?quad(?![A-Za-z])|[,;:! ()\[\]])){0,8}"
_JOINT_OF_BOXES = re.compile(
    rf"\}}{_SPACE_OF_BOXES}{_REMARK}{_SPACE_OF_BOXES}(?:\\(?:text|mathrm|textbf|mbox)\s?\{{)?\s{{0,2}}"
    rf"(?:{_AND}|(?P<either>{_OR}))\s{{0,2}}\}}?{_SPACE_OF_BOXES}\\?f?",
    re.IGNORECASE,
)


def _joint_of_boxes(text: str, box: Located, following: Located) -> re.Match[str] | None:
    """Return what stands between two boxes where it is nothing but a comma, `and`, `or` or their like."""
    name = text.rfind("boxed", box.end, following.start)
    return None if name < 0 else _JOINT_OF_BOXES.fullmatch(text, box.end, name)


def last_boxes(text: str) -> list[Located]:
    """Return the last closed box, with those joined to it by nothing but a comma, `and`, `or` or their like."""
    boxes: list[Located] = []
    located = last_boxed(text)
    while located is not None and len(boxes) < MAX_JOINT:
        boxes.append(located)
        name = text.rfind("boxed", 0, located.start)
        before = last_boxed(text, max(name - MAX_BOX_LENGTH, 0), name)
        is_joined = before is not None and _joint_of_boxes(text, before, located) is not None
        located = before if is_joined else None
    return boxes[::-1]
