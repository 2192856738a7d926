"""The ways a reply states its answer, strongest first. Each is a small named piece.

tag: `[ANSWER]...[/ANSWER]` · boxed: `\\boxed{...}` · announced: `ANSWER: C`, `The correct answer is C.` · bare: the
reply is nothing but the answer · conclusion: its last sentence concludes with a number · first-line: its first line
is nothing but the answer.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from corpus.scoring.contents import Content, read_content, read_leading
from corpus.scoring.cues import concluding_value, is_corrected, last_announced, last_result, run_on_start
from corpus.scoring.tags import Located, TagScan, is_placeholder, last_boxed, scan_tags
from corpus.scoring.types import Asked, Kind, Unread

NOTHING = Unread("The reply states no answer.")
MAX_BARE_LENGTH = 400
MIN_CORRECTION_LENGTH = 16


@dataclass(frozen=True, slots=True)
class Found:
    """What was found: the content read or why not, where, in which form, and whether it was written to its end.

    `is_attempt` is true where the reply tried to answer (a letter that no option has), so that it is no refusal.
    """

    content: Content | Unread
    form: str = ""
    span: tuple[int, int] | None = None
    is_complete: bool = False
    is_attempt: bool = False
    notes: tuple[str, ...] = ()


Protocol = Callable[[str, Asked, bool], Found | None]


def find_answer(text: str, asked: Asked, *, is_cut: bool = False) -> Found:
    """Return the answer that `text` states. In a reply that was cut off, only what was written to its end counts."""
    run_on = run_on_start(text)
    if run_on is not None:
        before = _find(text[:run_on], asked, is_cut=False)
        if before.span is not None:
            return replace(before, notes=(*before.notes, "run-on"))
    return _find(text, asked, is_cut=is_cut)


def _find(text: str, asked: Asked, *, is_cut: bool) -> Found:
    for protocol in PROTOCOLS.values():
        found = protocol(text, asked, is_cut)
        if found is not None:
            return found
    return Found(NOTHING)


def _found(text: str, located: Located, content: Content | Unread, *notes: str) -> Found:
    inner = text[located.start : located.end]
    start = located.start + len(inner) - len(inner.lstrip())
    span = (start, max(start, located.start + len(inner.rstrip())))
    is_attempt = isinstance(content, Unread) and content.note != ""
    return Found(content, located.form, span, located.is_complete, is_attempt, notes)


def read_tagged(text: str, asked: Asked, is_cut: bool) -> Found | None:
    """Read the last complete tag that holds an answer; then a closing tag without an opening, or the reverse."""
    scan = scan_tags(text)
    for located in reversed(scan.complete):
        inner = text[located.start : located.end]
        if inner.strip() and not is_placeholder(inner):
            content = _read_inside(inner, asked)
            return _correction(text, located.end, asked, content) or _found(text, located, content)
    if scan.lone_closing is not None:
        return _read_before_closing(text, scan.lone_closing, asked)
    if scan.open_at_end is not None:
        return _read_after_opening(text, scan, asked, is_cut)
    if scan.complete:
        return _found(text, scan.complete[-1], Unread("The answer tag is empty."))
    return None


def _correction(text: str, start: int, asked: Asked, tagged: Content | Unread) -> Found | None:
    """Read another answer announced after the last tag, where words before it take the tag back."""
    if len(text) - start < MIN_CORRECTION_LENGTH:
        return None
    announced = last_announced(text[start:], is_number=asked.kind is Kind.NUMBER)
    if announced is None or not is_corrected(text[start : start + announced.start]):
        return None
    located = announced._replace(start=start + announced.start, end=start + announced.end)
    content = read_leading(text[located.start : located.end], asked)
    if isinstance(content, Unread) or (isinstance(tagged, Content) and _is_same(content, tagged)):
        return None
    return _found(text, located, content, "corrected")


def _is_same(first: Content, second: Content) -> bool:
    return (first.option_keys, first.number) == (second.option_keys, second.number)


def _read_inside(inner: str, asked: Asked) -> Content | Unread:
    """Read a tag's content; a content that argues is read by what it announces in the end."""
    content = read_leading(inner, asked)
    if isinstance(content, Content) or content.note:
        return content
    announced = last_announced(inner, is_number=asked.kind is Kind.NUMBER)
    if announced is not None:
        return read_leading(inner[announced.start : announced.end], asked)
    if asked.kind is not Kind.NUMBER:
        return content
    result = last_result(inner) or concluding_value(inner)
    return content if result is None else read_content(inner[result.start : result.end], asked)


def _read_before_closing(text: str, closing: re.Match[str], asked: Asked) -> Found | None:
    """`... = 42,257 moles [/ANSWER]`: the line before the tag, or what follows it where that line is empty."""
    start = text.rfind("\n", 0, closing.start()) + 1
    line = Located(start, closing.start(), "closing tag")
    if not text[start : closing.start()].strip():
        line = Located(closing.end(), len(text), "closing tag")
    announced = last_announced(text[line.start : line.end], is_number=asked.kind is Kind.NUMBER)
    if announced is not None:
        line = Located(line.start + announced.start, line.start + announced.end, "closing tag")
    return _found(text, line, read_leading(text[line.start : line.end], asked), "lone-closing-tag")


def _read_after_opening(text: str, scan: TagScan, asked: Asked, is_cut: bool) -> Found:
    """`[ANSWER] C` with no closing tag: read only where the rest is nothing but the answer and nothing was cut."""
    located = Located(scan.open_at_end or 0, len(text), "opening tag", is_complete=False)
    rest = text[located.start :]
    if is_cut or len(rest) > MAX_BARE_LENGTH:
        return _found(text, located, Unread("The answer tag was never closed."))
    return _found(text, located, read_content(rest, asked), "unclosed-tag")


def read_boxed(text: str, asked: Asked, is_cut: bool) -> Found | None:
    """Read the last closed box."""
    if "boxed" not in text:
        return None
    located = last_boxed(text)
    if located is None:
        return None
    return _found(text, located, read_content(text[located.start : located.end], asked))


def read_announced(text: str, asked: Asked, is_cut: bool) -> Found | None:
    """Read what the last announcement announces."""
    located = last_announced(text, is_number=asked.kind is Kind.NUMBER)
    if located is None or (is_cut and not located.is_complete):
        return None
    inner = text[located.start : located.end]
    if not inner.strip():
        return None
    return _found(text, located, read_leading(inner, asked))


def read_bare(text: str, asked: Asked, is_cut: bool) -> Found | None:
    """Read a reply that is nothing but the answer."""
    if is_cut or len(text.strip()) > MAX_BARE_LENGTH:
        return None
    located = Located(0, len(text), "bare reply")
    content = read_content(text, asked)
    is_longer_text = asked.kind is Kind.NUMBER and "\n" in text.strip()
    if isinstance(content, Unread) and (is_longer_text or not content.note):
        return None
    return _found(text, located, content)


def read_first_line(text: str, asked: Asked, is_cut: bool) -> Found | None:
    """Read a reply whose first line is nothing but the answer, an explanation following."""
    start = len(text) - len(text.lstrip())
    end = text.find("\n", start)
    if end < 0 or end - start > MAX_BARE_LENGTH or "=" in text[start:end]:
        return None
    content = read_content(text[start:end], asked)
    return None if isinstance(content, Unread) else _found(text, Located(start, end, "first line"), content)


def read_conclusion(text: str, asked: Asked, is_cut: bool) -> Found | None:
    """Read the number that the last sentence concludes with."""
    if asked.kind is not Kind.NUMBER or is_cut:
        return None
    located = concluding_value(text)
    if located is None:
        return None
    content = read_content(text[located.start : located.end], asked)
    return None if isinstance(content, Unread) else _found(text, located, content)


PROTOCOLS: dict[str, Protocol] = {
    "tag": read_tagged,
    "boxed": read_boxed,
    "announced": read_announced,
    "bare": read_bare,
    "conclusion": read_conclusion,
    "first-line": read_first_line,
}
