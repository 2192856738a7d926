"""Cuts question text into typed segments.

``''.join(segment.source for segment in parse(text)) == text`` holds for every input, and what cannot be
understood becomes a :class:`Broken` segment that covers as little as possible.
"""

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from corpus.markup.controls import find_controls
from corpus.markup.scan import Scan

# Far above any question (the published ones have 32 at most): from here on a text is shown as it is written.
MARKUP_PER_TEXT = 1_000

BRACES_UNBALANCED = "braces-unbalanced"
MARKUP_TAG = "markup-tag"


@dataclass(frozen=True, slots=True)
class Text:
    """Ordinary text; ``body`` has escaped dollars unescaped."""

    source: str

    @property
    def body(self) -> str:
        return self.source.replace(r"\$", "$")


@dataclass(frozen=True, slots=True)
class Math:
    """A formula between dollars, or in ``\\(..\\)`` or ``\\[..\\]``."""

    source: str
    body: str
    display: bool = False


@dataclass(frozen=True, slots=True)
class Chemical:
    """A formula or equation in ``\\ce{..}``."""

    source: str
    body: str


@dataclass(frozen=True, slots=True)
class Unit:
    """A quantity in ``\\pu{..}``."""

    source: str
    body: str


@dataclass(frozen=True, slots=True)
class Smiles:
    """A molecule between SMILES tags."""

    source: str
    body: str


@dataclass(frozen=True, slots=True)
class ReactionSmiles:
    """A reaction between RXNSMILES tags."""

    source: str
    body: str


@dataclass(frozen=True, slots=True)
class Broken:
    """Markup that cannot be parsed: shown as it is written; ``code`` is the lint code of the fault."""

    source: str
    reason: str
    code: str = MARKUP_TAG

    @property
    def body(self) -> str:
        return self.source


Segment = Text | Math | Chemical | Unit | Smiles | ReactionSmiles | Broken
Formula = Math | Chemical | Unit


class _Opening(NamedTuple):
    """Where markup begins: the text that opens it and the offsets around that text."""

    text: str
    start: int
    end: int


_OPENING = re.compile(
    r"\\\$|\\(?:ce|pu)(?![A-Za-z])|\\\(|\\\[|\$\$?|\[/?[A-Za-z][A-Za-z_ -]{2,20}\]",
)
_TAG_WORDS = ("SMILES", "RXNSMILES")
_TAG_KINDS: dict[str, type[Smiles] | type[ReactionSmiles]] = {"SMILES": Smiles, "RXNSMILES": ReactionSmiles}
_TAG = re.compile(r"\[(START|END)_(SMILES|RXNSMILES)\]")
_TAG_LIKE = re.compile(r"\[/?(?:(?:START|END|BEGIN|STOP)[_ -]?)?([A-Z_ -]+)\]", re.IGNORECASE)
_BROKEN_RUN = re.compile(r"[^\s\\$]*")
_AMOUNT_IN_WORDS = re.compile(r"\d[\d.,]*(?:\s+[A-Za-z]{2}|\s*[-\N{EN DASH}]\s*$)[^\\^_={}]*$")
_TEX_SIGN = re.compile(r"[\\^_{]")
_GROUP_MACRO = re.compile(r"\\(?:ce|pu|text)\{")
_DOLLAR_OR_GROUP = re.compile(rf"{_GROUP_MACRO.pattern}|\\.|\$", re.DOTALL)


def parse(source: str) -> tuple[Segment, ...]:
    """Return the segments of ``source`` in order; no text is lost and neighbouring text is joined."""
    segments: list[Segment] = []
    text_start = 0
    for start, segment in _markup(source):
        if start > text_start:
            segments.append(Text(source[text_start:start]))
        segments.append(segment)
        text_start = start + len(segment.source)
    if text_start < len(source):
        segments.append(Text(source[text_start:]))
    return tuple(segments)


def braces_balanced(source: str) -> bool:
    """Say whether every brace of ``source`` has its partner; escaped braces do not count."""
    depth = 0
    for character in re.sub(r"\\.", "", source, flags=re.DOTALL):
        depth += (character == "{") - (character == "}")
        if depth < 0:
            return False
    return depth == 0


def _markup(source: str) -> Iterator[tuple[int, Segment]]:
    position = 0
    scan = Scan(source)
    for _ in range(MARKUP_PER_TEXT):
        match = _OPENING.search(source, position)
        if match is None:
            return
        segment = _segment_at(scan, _Opening(match.group(), match.start(), match.end()))
        if segment is None:
            position = match.end()
        else:
            yield match.start(), segment
            position = match.start() + len(segment.source)
    if match := _OPENING.search(source, position):
        yield match.start(), Broken(source[match.start() :], f"a text has at most {MARKUP_PER_TEXT} pieces of markup")


def _segment_at(scan: Scan, opening: _Opening) -> Segment | None:
    """Return the segment that begins here, or None where the opening is only text."""
    if opening.text == r"\$":
        return None
    if opening.text in (r"\ce", r"\pu"):
        return _braced(scan, opening)
    if opening.text in (r"\(", r"\["):
        return _backslash_math(scan, opening)
    if opening.text.startswith("$"):
        return _dollar_math(scan, opening)
    return _tagged(scan, opening)


def _braced(scan: Scan, opening: _Opening) -> Segment:
    source = scan.source
    brace = opening.end
    while source[brace : brace + 1] == " ":
        brace += 1
    if source[brace : brace + 1] != "{":
        end = _run_end(source, opening.end)
        return Broken(source[opening.start : end], f"{opening.text} is not followed by {{", BRACES_UNBALANCED)
    closing = scan.matching_brace(brace)
    if closing is None:
        end = _run_end(source, brace)
        return Broken(source[opening.start : end], f"{opening.text}{{ is never closed", BRACES_UNBALANCED)
    kind = Chemical if opening.text == r"\ce" else Unit
    return kind(source[opening.start : closing + 1], source[brace + 1 : closing])


def _run_end(source: str, start: int) -> int:
    """Return where the unbroken run of characters from ``start`` ends; it never reaches into other markup."""
    run = _BROKEN_RUN.match(source, start)
    end = run.end() if run else start
    tag = _OPENING.search(source, start, end)
    return tag.start() if tag else end


def _backslash_math(scan: Scan, opening: _Opening) -> Segment | None:
    source = scan.source
    closing_text = r"\)" if opening.text == r"\(" else r"\]"
    closing = scan.find(closing_text, opening.end)
    if closing == -1 or scan.has_blank_line(opening.end, closing):
        if opening.text == r"\[":
            return None
        return Broken(opening.text, rf"{opening.text} is never closed by {closing_text}", BRACES_UNBALANCED)
    body = source[opening.end : closing]
    return Math(source[opening.start : closing + 2], body, display=opening.text == r"\[")


def _dollar_math(scan: Scan, opening: _Opening) -> Math | None:
    source = scan.source
    closing = _closing_dollar(scan, opening.end)
    end = closing + len(opening.text)
    if closing == -1 or source[closing:end] != opening.text:
        return None
    body = source[opening.end : closing]
    display = opening.text == "$$"
    if (
        not body.strip()
        or scan.has_blank_line(opening.end, closing)
        or (not display and _is_money(body, source[end : end + 1]))
    ):
        return None
    return Math(source[opening.start : end], body, display=display)


def _closing_dollar(scan: Scan, start: int) -> int:
    """Return the offset of the next dollar that could close a formula, or -1."""
    position = start
    while found := _DOLLAR_OR_GROUP.search(scan.source, position):
        if found.group() == "$":
            return found.start()
        position = _after_group(scan, found) if found.group().endswith("{") and len(found.group()) > 2 else found.end()
    return -1


def _after_group(scan: Scan, group: re.Match[str]) -> int:
    """Step over a closed group with whole ``$..$`` inside: its dollars do not end the outer formula."""
    closing = scan.matching_brace(group.end() - 1)
    if closing is None or scan.n_dollars(group.end(), closing) % 2:
        return group.end()
    return closing + 1


def _is_money(body: str, following: str) -> bool:
    """Say whether dollars are prices: spaces inside them or a digit after them, and no TeX between them."""
    bare = body.replace(r"\$", "")
    if _AMOUNT_IN_WORDS.match(bare):
        return True
    edge_space = _has_edge_space(body)
    if following.isdigit():
        return edge_space or not _TEX_SIGN.search(bare)
    return edge_space and "\\" not in bare


def _has_edge_space(body: str) -> bool:
    if body[-1].isspace():
        return True
    damaged_macro = any(control.position == 0 for control in find_controls(body, in_formula=True))
    return body[0].isspace() and not damaged_macro


def _tagged(scan: Scan, opening: _Opening) -> Segment | None:
    source = scan.source
    tag = _TAG.fullmatch(opening.text)
    if tag is None:
        return _mistyped_tag(opening)
    word = tag.group(2)
    if tag.group(1) == "END":
        return Broken(opening.text, f"{opening.text} without [START_{word}] before it")
    closing_text = f"[END_{word}]"
    closing = scan.find(closing_text, opening.end)
    if closing == -1 or 0 <= scan.find("[START_", opening.end) < closing:
        return Broken(opening.text, f"{opening.text} is never closed by {closing_text}")
    body = source[opening.end : closing]
    return _TAG_KINDS[word](source[opening.start : closing + len(closing_text)], body)


def _mistyped_tag(opening: _Opening) -> Broken | None:
    like = _TAG_LIKE.fullmatch(opening.text)
    if like is None:
        return None
    close = difflib.get_close_matches(like.group(1).strip("_ -").upper(), _TAG_WORDS, n=1, cutoff=0.75)
    if not close:
        return None
    return Broken(
        opening.text,
        f"{opening.text} is not a tag; [START_{close[0]}] or [END_{close[0]}] was probably meant",
    )
