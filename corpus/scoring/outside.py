"""Read what stands outside a box or a tag and belongs to its number: the sign, the power of ten, the unit."""

import re
from dataclasses import replace
from typing import NamedTuple

from corpus.scoring.contents import Content, number_content, read_content
from corpus.scoring.found import Found, found_at
from corpus.scoring.glyphs import one_spelling, without_latex
from corpus.scoring.numbers import NumberRead
from corpus.scoring.tags import Located
from corpus.scoring.types import Asked, Kind, Unread
from corpus.scoring.units import leading_unit

# Noted where a sign or a power of ten outside was taken into the number.
OUTSIDE = "outside"
_EXPRESSION = Unread("An expression around the number, not a number.", "expression")


class _Outside(NamedTuple):
    """The sign, the power of ten and the unit that stand outside ("" for none), and where they begin and end."""

    sign: str
    scale: str
    unit: str
    start: int
    end: int


def with_outside(text: str, opening: int, closing: int, found: Found, asked: Asked) -> Found:
    """Return `found` with what stands right before `opening` and behind `closing` and belongs to its number.

    A sign or a power of ten that makes no number with what stands inside makes an expression, which is not read.
    """
    content = found.content
    if asked.kind is not Kind.NUMBER or not isinstance(content, Content) or found.span is None:
        return found
    outside = _outside(text, opening, closing)
    if outside is None:
        return found
    if isinstance(outside, Unread):
        return replace(found, content=outside, is_attempt=True)
    unit = "" if content.unit else outside.unit
    if not (outside.sign or outside.scale):
        return _with_unit(found, content, unit, asked)
    read = _read_together(text[slice(*found.span)], outside._replace(unit=unit), asked)
    place = Located(outside.start, outside.end, found.form, is_complete=found.is_complete)
    return found_at(text, place, read, *found.notes, OUTSIDE)


def _with_unit(found: Found, content: Content, unit: str, asked: Asked) -> Found:
    """Return what was found with the unit that stands behind its place."""
    if not unit or content.number is None:
        return found
    return replace(found, content=number_content(NumberRead(content.number, unit, content.notes), asked))


_BEGINS_WITH_NUMBER = re.compile(r"[\s$*_\\({]{0,8}(?:[dt]?frac|boxed)?[\s{]{0,3}\.?[0-9]")


def _read_together(inner: str, outside: _Outside, asked: Asked) -> Content | Unread:
    if outside.sign and (_BEGINS_WITH_NUMBER.match(inner) is None or "=" in inner):
        return _EXPRESSION
    return read_content(f"{outside.sign}{inner.strip(' .,*_$')}{outside.scale} {outside.unit}", asked)


def _outside(text: str, opening: int, closing: int) -> _Outside | Unread | None:
    """Return what stands outside, or None where nothing of a number does."""
    before = _before(text, opening)
    behind = _behind(text, closing)
    if isinstance(before, Unread) or isinstance(behind, Unread):
        return _EXPRESSION
    if before is None and behind is None:
        return None
    sign, start = before or ("", opening)
    scale, unit, end = behind or ("", "", closing)
    return _Outside(sign, scale, unit, start, end)


_WINDOW = 24
_MARKUP_BEFORE = " \t$*({\\"
_SIGNS = frozenset("-+−–—±^m")
_SIGN = re.compile(r"(?P<sign>[-+−–—±]|\^|\\pm)(?P<gap>[ \t]{0,4})[$*({\\]{0,4}\Z")


def _before(text: str, opening: int) -> tuple[str, int] | Unread | None:
    """Return the sign in front of `opening` and where it stands; a dash between words and a bullet are none."""
    window = max(opening - _WINDOW, 0)
    if text[window:opening].rstrip(_MARKUP_BEFORE)[-1:] not in _SIGNS:
        return None
    match = _SIGN.search(text, window, opening)
    if match is None:
        return None
    sign, place = match["sign"], match.start()
    ahead = text[window:place]
    last = ahead.rstrip(_MARKUP_BEFORE)[-1:]
    if sign in {"±", "^", "\\pm"} or (last.isdigit() and not match["gap"]):
        return _EXPRESSION
    if ahead[-1:].isalnum() or ahead[-1:] in {")", "}", "]"}:
        return None
    if (match["gap"] or sign == "—") and last not in {"=", "≈"}:
        return None
    return ("" if sign == "+" else "-"), place


_CLOSERS = re.compile(r"(?:[ \t*_$}]|\\[)\]]|\\[,;:! ]){0,12}")
_TIMES = r"(?:\\times|\\cdot|[×x*·⋅∙])(?:\s|\\[,;! ]){0,3}"
_POWER = (
    r"(?:\^\s?(?:\{[^{}\n]{1,8}\}|\([^()\n]{1,8}\)|[-+−]?[0-9]{1,4})|\*\*\(?[-+−]?[0-9]{1,4}\)?|[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]{1,5})"
)
_SCALE = re.compile(
    rf"{_TIMES}10\s?{_POWER}|[eE]\s?[-+−]?[0-9]{{1,4}}(?![0-9A-Za-z.])"
    r"|(?:thousand|million|billion|trillion)(?![A-Za-z])"
)
_OPERATION = re.compile(r"[\s}$]{0,3}(?:\\times|\\cdot|[×·⋅/^])\s{0,2}[0-9{(]")
_MAY_BEGIN = frozenset("×x*·⋅∙\\eEtmbµμΩÅ°%‰^/")
_STRETCH = re.compile(r"(?:[^\n$,;.\\]|\\[^)\]\n]|\.(?=\w)){1,60}")


def _behind(text: str, closing: int) -> tuple[str, str, int] | Unread | None:
    """Return the power of ten and the unit behind `closing` on its line, and where they end."""
    if closing >= len(text) or text[closing] == "\n":
        return None
    closers = _CLOSERS.match(text, closing)
    start = closing if closers is None else closers.end()
    first = text[start : start + 1]
    if first not in _MAY_BEGIN and not first.isalpha():
        return None
    scale = _SCALE.match(text, start)
    end = start if scale is None else scale.end()
    if _OPERATION.match(text, end):
        return _EXPRESSION
    unit, behind = _unit_at(text, end)
    if scale is None and not unit:
        return None
    return (
        ("" if scale is None else f" {scale.group()}" if scale.group()[0] not in "eE" else scale.group()),
        unit,
        behind,
    )


def _unit_at(text: str, start: int) -> tuple[str, int]:
    """Return the unit at `start`, markup left out, and where its stretch ends."""
    closers = _CLOSERS.match(text, start)
    begin = start if closers is None else closers.end()
    stretch = _STRETCH.match(text, begin)
    unit = "" if stretch is None else leading_unit(without_latex(one_spelling(stretch.group())).strip())
    if not unit or stretch is None:
        return "", start
    place = text.find(unit, begin, stretch.end())
    return unit, stretch.end() if place < 0 else place + len(unit)
