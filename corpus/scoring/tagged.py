"""Read an answer between tags, before a lone closing tag, or behind one that was never closed."""

import re
from collections.abc import Sequence

from corpus.scoring.conclusions import last_result, last_statement, only_number
from corpus.scoring.contents import Content, read_content, read_leading, read_stated
from corpus.scoring.corrected import read_correction
from corpus.scoring.cues import last_announced
from corpus.scoring.denials import DENIED, is_called_wrong
from corpus.scoring.found import Found, found_at, united
from corpus.scoring.option_texts import BY_TEXT
from corpus.scoring.outside import with_outside
from corpus.scoring.tags import TAG, Located, TagScan, is_placeholder, last_group, opening_of, scan_tags
from corpus.scoring.types import Asked, Kind, Unread

MAX_UNCLOSED_LENGTH = 400
MAX_TAG_LENGTH = 40


def read_tagged(text: str, asked: Asked, is_cut: bool) -> Found | None:
    """Read the last complete tag that holds an answer; then a closing tag without an opening, or the reverse."""
    scan = scan_tags(text)
    filled = [tag for tag in scan.complete if _is_filled(text[tag.start : tag.end])]
    if filled:
        group = last_group(text, filled, asked.prompt)
        if group is None:
            return found_at(text, filled[-1], Unread("The words before the tag deny it.", DENIED))
        closing = TAG.match(text, group[-1].end)
        behind = group[-1].end if closing is None else closing.end()
        if _is_called_wrong(text, behind):
            return found_at(text, group[-1], Unread("The words behind the tag deny it.", DENIED))
        found = united(text, group, [_read_inside(text, tag, asked) for tag in group], asked)
        found = _with_outside(text, group, found, asked)
        return read_correction(text, behind, asked, found.content, is_direct=True) or found
    if scan.lone_closing is not None:
        return _read_before_closing(text, scan.lone_closing, asked)
    if scan.open_at_end is not None:
        return _read_after_opening(text, scan, asked, is_cut)
    if scan.complete:
        return found_at(text, scan.complete[-1], Unread("The answer tag is empty."))
    return None


_PREDICATE = re.compile(r"[ \t*_,]{0,4}(?:which\s)?(?:is|are|was|were|would|must|seems?|can)\b")


def _is_called_wrong(text: str, behind: int) -> bool:
    """Tell whether the words at `behind`, the end of a tag, say that it is wrong (`[ANSWER]A[/ANSWER] is wrong`)."""
    if _PREDICATE.match(text, behind) is None:
        return False
    return is_called_wrong(text[behind : behind + MAX_UNCLOSED_LENGTH])


def _with_outside(text: str, group: Sequence[Located], found: Found, asked: Asked) -> Found:
    """Return what was found with the sign before the first tag and the power of ten and the unit behind the last."""
    if asked.kind is Kind.CHOICE and isinstance(found.content, Content) and BY_TEXT not in found.content.notes:
        return found
    closing = TAG.search(text, group[-1].end, group[-1].end + MAX_TAG_LENGTH)
    opening = opening_of(text, group[0].start)
    return found if closing is None else with_outside(text, opening, closing.end(), found, asked)


def _is_filled(inner: str) -> bool:
    return bool(inner.strip()) and not is_placeholder(inner)


def _moved(located: Located, offset: int) -> Located:
    return located._replace(start=located.start + offset, end=located.end + offset)


def _read_inside(text: str, tag: Located, asked: Asked) -> Found:
    """Read a tag's content; a content that argues is read by what it announces or comes to in the end."""
    inner = text[tag.start : tag.end]
    content = read_leading(inner, asked)
    if isinstance(content, Content) or content.note:
        return found_at(text, tag, content)
    announced = last_announced(inner, is_number=asked.kind is Kind.NUMBER, prompt=asked.prompt)
    if announced is not None:
        return _read_part(text, tag, *read_stated(inner, announced, asked))
    result = (last_result(inner) or last_statement(inner) or only_number(inner)) if asked.kind is Kind.NUMBER else None
    if result is None:
        return found_at(text, tag, content)
    return _read_part(text, tag, result, read_content(inner[result.start : result.end], asked))


def _read_part(text: str, tag: Located, part: Located, content: Content | Unread) -> Found:
    """Return what was read of a part of a tag's content, the span that of the part."""
    return found_at(text, _moved(part, tag.start)._replace(form=tag.form, is_complete=tag.is_complete), content)


def _read_before_closing(text: str, closing: re.Match[str], asked: Asked) -> Found | None:
    """`... = 42,257 moles [/ANSWER]`: the line before the tag, or what follows it where that line is empty."""
    start = text.rfind("\n", 0, closing.start()) + 1
    line = Located(start, closing.start(), "closing tag")
    if not text[start : closing.start()].strip():
        line = Located(closing.end(), len(text), "closing tag")
    announced = last_announced(text[line.start : line.end], is_number=asked.kind is Kind.NUMBER, prompt=asked.prompt)
    if announced is not None:
        line = _moved(announced, line.start)._replace(form="closing tag", is_complete=True)
    return found_at(text, line, read_leading(text[line.start : line.end], asked), "lone-closing-tag")


def _read_after_opening(text: str, scan: TagScan, asked: Asked, is_cut: bool) -> Found:
    """`[ANSWER] C` with no closing tag: read only where the rest is nothing but the answer and nothing was cut."""
    located = Located(scan.open_at_end or 0, len(text), "opening tag", is_complete=False)
    rest = text[located.start :]
    if is_cut or len(rest) > MAX_UNCLOSED_LENGTH:
        return found_at(text, located, Unread("The answer tag was never closed."))
    return found_at(text, located, read_content(rest, asked), "unclosed-tag")
