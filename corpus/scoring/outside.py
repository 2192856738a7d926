"""Read what stands outside a box or a tag and belongs to its number: the sign, the power of ten, the unit."""

import re
from dataclasses import replace
from typing import NamedTuple

from corpus.scoring.contents import Content, number_content, read_content
from corpus.scoring.found import Found, found_at
from corpus.scoring.glyphs import UNIT_GLYPHS, one_spelling, without_latex
from corpus.scoring.number_labels import is_label
from corpus.scoring.number_units import bracketed_unit, unit_beside
from corpus.scoring.numbers import NumberRead, parse_number
from corpus.scoring.option_texts import BY_TEXT
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

    So for an option that is an amount and was read, or not found, by its text. A sign or a power of ten that makes no
    number with what stands inside makes an expression, which is not read.
    """
    if opening == 0 and closing == len(text):
        return found
    unit_inside = _unit_inside(text, found, asked)
    if unit_inside is None:
        return found
    outside = _outside(text, opening, closing)
    if outside is None:
        return found
    if isinstance(outside, Unread):
        return replace(found, content=outside, is_attempt=True)
    unit = "" if unit_inside else outside.unit
    if not (outside.sign or outside.scale):
        return _with_unit(text, found, unit, asked)
    read = _read_together(text[slice(*found.span or ())], outside._replace(unit=unit), asked)
    place = Located(outside.start, outside.end, found.form, is_complete=found.is_complete)
    return found_at(text, place, read, *found.notes, OUTSIDE)


def _unit_inside(text: str, found: Found, asked: Asked) -> str | None:
    """Return the unit that was written inside, "" for none; None where what stands inside is no number."""
    content = found.content
    if found.span is None:
        return None
    if asked.kind is Kind.NUMBER:
        return content.unit if isinstance(content, Content) else None
    is_text = BY_TEXT in content.notes if isinstance(content, Content) else not content.note
    inner = text[slice(*found.span)]
    if asked.kind is not Kind.CHOICE or not is_text or _BEGINS_WITH_NUMBER.match(inner) is None:
        return None
    number = parse_number(inner)
    return None if number is None else number.unit


def _with_unit(text: str, found: Found, unit: str, asked: Asked) -> Found:
    """Return what was found with the unit that stands behind its place."""
    content = found.content
    if not unit:
        return found
    if isinstance(content, Content) and content.number is not None:
        return replace(found, content=number_content(NumberRead(content.number, unit, content.notes), asked))
    return replace(found, content=read_content(f"{text[slice(*found.span or ())]} {unit}", asked))


def with_unit_beside(text: str, found: Found, asked: Asked) -> Found:
    """Return what was found with the unit that stands on a line of its own beside it (`Unit: mg`)."""
    content = found.content
    if asked.kind is not Kind.NUMBER or found.span is None or not isinstance(content, Content) or content.unit:
        return found
    return _with_unit(text, found, unit_beside(text, *found.span), asked)


_BEGINS_WITH_NUMBER = re.compile(r"[\s$*_\\({]{0,8}(?:[dt]?frac|boxed)?[\s{]{0,3}[-+−]?\.?[0-9]")
_SIGNED = re.compile(r"[\s$*_\\({]{0,8}[-+−]")
_IS_CHARGE = re.compile(r"[0-9]{1,3}|[IVX]{1,4}")


def _read_together(inner: str, outside: _Outside, asked: Asked) -> Content | Unread:
    bare = inner.strip(" .,*_$")
    if outside.sign and (_BEGINS_WITH_NUMBER.match(inner) is None or _SIGNED.match(inner) or "=" in inner):
        return _EXPRESSION
    if outside.scale in _CHARGES and _IS_CHARGE.fullmatch(bare) is None:
        return _EXPRESSION
    return read_content(f"{outside.sign}{bare}{outside.scale} {outside.unit}", asked)


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


_WINDOW = 40
# `\frac{1}{\boxed{2}}`, `10^{-\boxed{5}}`, `\log \boxed{2}`: the box is a piece of something else.
_FUNCTION_HINTS = frozenset("\\^")
_FUNCTION = re.compile(
    r"(?:(?:\\[dtc]?frac\s?(?:\{[^{}]{0,20}\}\s?)?|\\sqrt\s?(?:\[[^\[\]]{0,4}\]\s?)?|\^\s?)\{"
    r"|\\(?:log|ln|lg|exp)(?:_\{?[0-9]{1,2}\}?)?\s?[({]{0,2})[-+−–$(\s]{0,4}\Z"
)
_MARKUP_BEFORE = " \t$*({\\"
_SIGNS = frozenset("-+−–—±^m")
_SIGN = re.compile(r"(?P<sign>[-+−–—±]|\^|\\pm)(?P<gap>[ \t]{0,4})[$*({\\]{0,4}\Z")


def _before(text: str, opening: int) -> tuple[str, int] | Unread | None:
    """Return the sign in front of `opening` and where it stands; a dash between words and a bullet are none."""
    window = max(opening - _WINDOW, 0)
    if not _FUNCTION_HINTS.isdisjoint(text[window:opening]) and _FUNCTION.search(text, window, opening):
        return _EXPRESSION
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


_CLOSERS = re.compile(r"(?:[ \t*_$}~]|\\[)\]]|\\[,;:! ]|\\q?quad(?![A-Za-z])){0,12}")
_TIMES = r"(?:\\times|\\cdot|[×x*·⋅∙])(?:\s|\\[,;! ]){0,3}"
_POWER = (
    r"(?:\^\s?(?:\{[^{}\n]{1,8}\}|\([^()\n]{1,8}\)|[-+−]?[0-9]{1,4})|\*\*\(?[-+−]?[0-9]{1,4}\)?|[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]{1,5})"
)
_SCALE = re.compile(
    rf"{_TIMES}10\s?{_POWER}|[eE]\s?[-+−]?[0-9]{{1,4}}(?![0-9A-Za-z.])"
    r"|(?:thousand|million|billion|trillion)(?![A-Za-z])"
)
_OPERATION = re.compile(r"[\s}$]{0,3}(?:\\times|\\cdot|[×·⋅/^])\s{0,2}[-+−]?[0-9{(]")
_CHARGES = frozenset("+-")
_GLUED_SIGN = re.compile(
    r"[$*_}]{0,4}(?P<raised>\^\s?\{?\s?)?(?P<sign>[-+−–])(?![-+−–>])(?(raised)\s?\}?)"
    r"(?:(?P<end>[ \t$*_}]{0,8}(?:[.,;:!?)\n]|\\[)\]]|\Z))|(?P<word>[A-Za-z])|(?P<digit>[0-9.]))?"
)
_MAY_BEGIN = frozenset("×x*·⋅∙\\eEtmbµμΩÅ°%‰^/([{") | UNIT_GLYPHS
MAX_WORD = 30
_STRETCH = re.compile(r"(?:[^\n$,;.\\]|\\[^)\]\n]|\.(?=\w)){1,60}")


def _behind(text: str, closing: int) -> tuple[str, str, int] | Unread | None:
    """Return the power of ten and the unit behind `closing` on its line, and where they end."""
    if closing >= len(text) or text[closing] == "\n":
        return None
    glued = _GLUED_SIGN.match(text, closing)
    if glued is not None and (charge := _charge(text, glued)) is not None:
        return charge
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


def _charge(text: str, glued: re.Match[str]) -> tuple[str, str, int] | Unread | None:
    """Return the charge that a sign right behind a place makes of its number; None where the sign is a dash.

    A hyphen in front of words may be either.
    """
    if glued["word"]:
        return _EXPRESSION if is_label(text[glued.start("sign") : glued.end() + MAX_WORD]) else None
    if glued["digit"]:
        return _EXPRESSION
    if glued["raised"] or glued["end"] is not None:
        return "+" if glued["sign"] == "+" else "-", "", glued.end("sign")
    return None if glued["sign"] == "–" else _EXPRESSION


def _unit_at(text: str, start: int) -> tuple[str, int]:
    """Return the unit at `start`, markup left out, and where its stretch ends."""
    closers = _CLOSERS.match(text, start)
    begin = start if closers is None else closers.end()
    stretch = _STRETCH.match(text, begin)
    written = "" if stretch is None else without_latex(one_spelling(stretch.group())).strip()
    unit = bracketed_unit(written) if written.startswith(("(", "[", "{")) else leading_unit(written)
    if not unit or stretch is None:
        return "", start
    place = text.find(unit, begin, stretch.end())
    return unit, stretch.end() if place < 0 else place + len(unit)
