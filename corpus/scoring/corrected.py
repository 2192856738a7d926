"""Read what is said behind an answer: another one in its place, or that it does not hold."""

import re

from corpus.scoring.contents import Content, long_letters, read_content, read_stated
from corpus.scoring.corrections import Behind, corrections
from corpus.scoring.cues import is_corrected, last_announced
from corpus.scoring.denials import end_of_denied
from corpus.scoring.found import Found, found_at
from corpus.scoring.option_texts import BY_TEXT, option_texts
from corpus.scoring.reasons import last_conclusion
from corpus.scoring.statements import only_statement
from corpus.scoring.tags import Located, last_boxed
from corpus.scoring.types import Asked, Kind, Unread
from corpus.scoring.units import is_known_unit

WITHDRAWN = "withdrawn"
CORRECTED = "corrected"
MIN_CORRECTION_LENGTH = 2
# Farther from the end of a reply nothing is put right any more.
MAX_DISTANCE = 20_000
MIN_ANNOUNCED_LENGTH = 12


def read_correction(
    text: str, start: int, asked: Asked, stated: Content | Unread, *, is_direct: bool = False
) -> Found | None:
    """Read the last answer behind `start` that words before it put in the place of what was stated.

    Where such words take the answer back and put nothing in its place, it is unread. None where nothing is said of
    it, or the same is said again. `is_direct` says that nothing but what follows the answer stands behind `start`.
    """
    if len(text) - start > MAX_DISTANCE:
        start, is_direct = len(text) - MAX_DISTANCE, False
    rest = text[start:]
    if len(rest) < MIN_CORRECTION_LENGTH:
        return None
    announced = _announced_again(rest, asked) if len(rest) >= MIN_ANNOUNCED_LENGTH else None
    for behind in corrections(rest, is_first=is_direct):
        if announced is not None and announced[0].start >= behind.start:
            break
        content = _said(rest, behind, asked, stated)
        if content is not None:
            return _found(text, start, behind.answer or Located(behind.start, behind.start, ""), content, stated)
    if announced is None and asked.kind is Kind.CHOICE:
        announced = _concluded_otherwise(rest, asked)
    return None if announced is None else _found(text, start, *announced, stated)


MAX_CONFIRMED_DISTANCE = 400
_ONE = r"[*_(]{0,3}(?:option\s)?[^\s.,;:!?*_()]{1,20}[*_)]{0,3}"
_CONFIRMED = re.compile(
    rf"\byes[,:!]?\s(?:(?:it|that|the\sanswer)(?:['’]s|\sis)\s)?(?P<yes>(?!that|it|this){_ONE})(?=[.,;!\s]|\Z)|\byes[.!]?\s*\Z"
    rf"|(?P<still>{_ONE})\s(?:is|was)\s(?:still|indeed)\s(?:the\s)?(?:right|correct|best)"
    r"|\b(?:that|it|this)(?:['’]s|\sis)\s(?:still\s|indeed\s|actually\s)?(?:right|correct|fine)\b|\banswer\s(?:still\s)?stands\b",
    re.IGNORECASE,
)


_OBJECTED = re.compile(
    r"(?:\A|(?<=[.!?\n]))[\s.;*_]{0,4}(?:but|however|yet|although|though|wait|hmm{0,3}|actually)\b[^.!?\n]{1,200}\Z",
    re.IGNORECASE,
)
_OBJECTION_WINDOW = 220


def _concluded_otherwise(rest: str, asked: Asked) -> tuple[Located, Content] | None:
    """Return the letter that an objection comes to with the last words of `rest` (`But ethanol is heavier, so B.`)."""
    located = last_conclusion(rest)
    if located is None or not _OBJECTED.search(rest[max(located.start - _OBJECTION_WINDOW, 0) : located.start]):
        return None
    content = read_content(rest[located.start : located.end], asked)
    return (located, content) if isinstance(content, Content) else None


def is_said_again(rest: str, asked: Asked, stated: Content) -> bool:
    """Tell whether `rest`, what stands behind an answer, comes to the same once more (`Wait ... Yes, A is correct`)."""
    confirmed = _CONFIRMED.search(rest[:MAX_CONFIRMED_DISTANCE])
    if confirmed is not None:
        said = confirmed["yes"] or confirmed["still"]
        content = stated if said is None else read_content(said, asked)
        return isinstance(content, Content) and _is_same(content, stated)
    located = _last_stated(rest, asked)
    content = Unread("") if located is None else read_stated(rest, located, asked)[1]
    return isinstance(content, Content) and _is_same(content, stated)


def _found(text: str, start: int, place: Located, content: Content | Unread, stated: Content | Unread) -> Found | None:
    if isinstance(content, Content) and isinstance(stated, Content) and _is_same(content, stated):
        return None
    moved = place._replace(start=place.start + start, end=place.end + start)
    return found_at(text, moved, content, *([CORRECTED] if isinstance(content, Content) else []))


def _announced_again(rest: str, asked: Asked) -> tuple[Located, Content] | None:
    """Return the last announcement behind words that take something back, where it can be read."""
    if not is_corrected(rest):
        return None
    places = [place for place in (last_boxed(rest), _last_stated(rest, asked)) if place is not None]
    located = max(places, key=lambda place: place.start, default=None)
    if located is None or not is_corrected(rest[: located.start]):
        return None
    located, content = read_stated(rest, located, asked)
    return (located, content) if isinstance(content, Content) else None


def _last_stated(text: str, asked: Asked) -> Located | None:
    """Return the last announcement, or where there is none the letters called correct."""
    announced = last_announced(text, is_number=asked.kind is Kind.NUMBER, prompt=asked.prompt, is_firm=True)
    if announced is not None or asked.kind is not Kind.CHOICE:
        return announced
    return only_statement(text, long_letters(asked), asked.prompt)


def _said(rest: str, behind: Behind, asked: Asked, stated: Content | Unread) -> Content | Unread | None:
    """Return what replaces an answer, why it no longer holds, or None where nothing is said of it."""
    if behind.denied is not None and not _is_stated(rest, behind.denied, asked, stated):
        return None
    content = None if behind.answer is None else _read_in_place(rest, behind, behind.answer, asked)
    if isinstance(content, Content) and not behind.is_doubt:
        return content
    if content is None and not behind.is_retracted:
        return None
    if isinstance(content, Content) and isinstance(stated, Content) and _is_same(content, stated):
        return None
    return Unread("What was stated is taken back or doubted right behind it.", WITHDRAWN)


def _is_stated(rest: str, place: Located, asked: Asked, stated: Content | Unread) -> bool:
    content = read_content(rest[place.start : place.end], asked)
    return isinstance(content, Content) and isinstance(stated, Content) and _is_same(content, stated)


_VERB = re.compile(r"\b(?:is|are|was|were|has|have|can|could|does|do|will|would|may|might|should|must|not)\b")
_WORD = re.compile(r"[A-Za-z]{3,}")


def _read_in_place(rest: str, behind: Behind, place: Located, asked: Asked) -> Content | Unread | None:
    """Read the words that would replace an answer; None where they are a sentence about something else."""
    words = rest[place.start : place.end]
    content = read_content(words, asked)
    if isinstance(content, Unread):
        return content if content.note == "alternatives" and (behind.is_doubt or behind.is_claimed) else None
    if asked.kind is Kind.CHOICE:
        is_loose = BY_TEXT in content.notes and (not behind.is_claimed or _VERB.search(words) is not None)
        return None if is_loose and option_texts(asked.shown).position_of(words) is None else content
    unit = content.unit if is_known_unit(content.unit) else ""
    is_plain = behind.is_claimed or _WORD.search(words[end_of_denied(words) :].removesuffix(unit)) is None
    return content if asked.kind is Kind.NUMBER and is_plain else None


def _is_same(first: Content, second: Content) -> bool:
    return (first.option_keys, first.number) == (second.option_keys, second.number)
