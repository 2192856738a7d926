"""The grammar of one written number: mantissa, separators, power of ten, fraction, uncertainty, charge."""

import re
from decimal import Decimal
from typing import NamedTuple

AMBIGUOUS_SEPARATOR = "ambiguous-separator"
DECIMAL_COMMA = "decimal-comma"
FRACTION = "fraction"
UNCERTAINTY = "uncertainty"
# `1.5e^-5`: meant as a power of ten, written as one of e; `100e^-2` is written as no power of ten is.
DOUBTFUL_POWER = "doubtful-power"
TRAILING_SIGN = "trailing-sign"


class NumberToken(NamedTuple):
    """A number at the start of a text, the index where it ends and notes on how it was written."""

    value: Decimal
    end: int
    notes: tuple[str, ...]


_MANTISSA = (
    # 12,500 and 1,234,567.8
    r"(?P<comma>[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?)(?![0-9]|,[0-9])"
    # 1.234,5 and 1.234.567
    r"|(?P<dots>[1-9][0-9]{0,2}(?:(?:\.[0-9]{3})+,[0-9]+|(?:\.[0-9]{3}){2,}))(?![0-9]|[.,][0-9])"
    # 12 500 and 12'500
    r"|(?P<spaced>[1-9][0-9]{0,2}(?:(?: [0-9]{3})+|(?:'[0-9]{3})+)(?:\.[0-9]+|,[0-9]{1,2}(?![0-9]))?)"
    r"(?![0-9]|[ '][0-9]{3}|(?:Sn|Pt|Hg|Xe|Cd|Te|Tl|Rh|Ag)(?![a-z]))"
    # 12,5 and 0,082
    r"|(?P<decimal>[0-9]+,[0-9]+)(?![0-9]|[.,][0-9])"
    r"|(?P<plain>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?!,[0-9])"
)
_SCALE = (
    r"(?:\s{0,2}[eE]\s{0,2}(?P<e>[+-]?\s{0,2}[0-9]{1,4})(?![0-9.])"
    r"|\s{0,2}E(?:\s?\^\s?[({]{0,2}|\{|\((?=[+-]))(?P<raised>[+-]?\s?[0-9]{1,4})[)}]{0,2}(?![0-9.])"
    r"|(?P<doubtful>\s{0,2}e(?:\s?\^\s?[({]{0,2}|[({](?=[+-]))(?P<hat>[+-]?\s?[0-9]{1,4})[)}]{0,2}(?![0-9.]))"
    r"|\s{0,3}[x×X*]\s{0,3}10\s?(?:\^\s?[({]{0,2}\s?(?P<caret>[+-]?\s?[0-9]{1,4})\s?[)}]{0,2}"
    r"|[({]{0,2}(?P<bare>[+-][0-9]{1,4})[)}]{0,2}))"
)
_PLUS_MINUS = r"\s{0,2}(?:(?:±|\+/-|\+-)\s{0,2}[0-9.]+(?:,[0-9]+)?|\((?:±|\+/-|\+-)\s{0,2}[0-9.]+(?:,[0-9]+)?\))"
_NUMBER = re.compile(
    rf"(?P<bracket>\()?(?P<sign>[+-]?)\s{{0,2}}(?:{_MANTISSA})"
    rf"(?P<uncertainty>{_PLUS_MINUS}|(?<=[0-9])\([0-9]{{1,3}}\)(?!\s?[A-Za-z]{{3}}))?(?(bracket)\))"
    rf"(?:{_SCALE})?(?P<after>{_PLUS_MINUS})?"
)
_POWER = re.compile(r"(?P<sign>[+-]?)\s?10\s?\^\s?[({]{0,2}\s?(?P<caret>[+-]?\s?[0-9]{1,4})\s?[)}]{0,2}")
_FRACTION = re.compile(
    r"(?P<sign>[+-]?)\s?(?:(?P<whole>[0-9]{1,6})\s{1,3})?(?P<top>[0-9]{1,9})\s?/\s?(?P<bottom>[0-9]{1,9})(?![0-9.,/])"
)
_CHARGE = re.compile(r"\^?[({]?(?P<digits>[0-9]{1,3})\s?\^?[({]?(?P<sign>[+-])[)}]?$")


def match_number(text: str) -> NumberToken | None:
    """Return the number at the start of `text`, or None where there is none."""
    return _match_charge(text) or _match_fraction(text) or _match_power(text) or _match_decimal(text)


def _match_charge(text: str) -> NumberToken | None:
    """Read `4-`, `3^+` and `^{2-}`, the way charges are written."""
    match = _CHARGE.match(text)
    if match is None:
        return None
    value = Decimal(match["sign"] + match["digits"])
    return NumberToken(value, match.end(), (TRAILING_SIGN,))


def _match_fraction(text: str) -> NumberToken | None:
    match = _FRACTION.match(text)
    if match is None or int(match["bottom"]) == 0:
        return None
    value = int(match["whole"] or 0) + Decimal(match["top"]) / Decimal(match["bottom"])
    return NumberToken(-value if match["sign"] == "-" else value, match.end(), (FRACTION,))


def _match_power(text: str) -> NumberToken | None:
    match = _POWER.match(text)
    if match is None:
        return None
    value = Decimal(f"{match['sign']}1E{_joined(match['caret'])}")
    return NumberToken(value, match.end(), ())


def _match_decimal(text: str) -> NumberToken | None:
    match = _NUMBER.match(text)
    if match is None:
        return None
    digits, notes = _mantissa(match)
    exponent = match["e"] or match["caret"] or match["bare"] or match["raised"] or match["hat"] or "0"
    if match["doubtful"]:
        if ("." not in digits and exponent[0] != "-") or not 1 <= Decimal(digits) < 10:
            return NumberToken(Decimal(match["sign"] + digits), match.start("doubtful"), notes)
        notes = (*notes, DOUBTFUL_POWER)
    if match["uncertainty"] or match["after"]:
        notes = (*notes, UNCERTAINTY)
    return NumberToken(Decimal(f"{match['sign']}{digits}E{_joined(exponent)}"), match.end(), notes)


def _mantissa(match: re.Match[str]) -> tuple[str, tuple[str, ...]]:
    """Return the digits with a dot as the decimal sign, and notes on the separators."""
    if match["comma"] and _is_before_power(match):
        return match["comma"].replace(",", "."), (DECIMAL_COMMA, AMBIGUOUS_SEPARATOR)
    if match["comma"]:
        is_ambiguous = match["comma"].count(",") == 1 and "." not in match["comma"]
        return match["comma"].replace(",", ""), (AMBIGUOUS_SEPARATOR,) if is_ambiguous else ()
    if match["dots"]:
        return match["dots"].replace(".", "").replace(",", "."), (DECIMAL_COMMA,) if "," in match["dots"] else ()
    if match["spaced"]:
        digits = match["spaced"].replace(" ", "").replace("'", "")
        return digits.replace(",", "."), (DECIMAL_COMMA,) if "," in digits else ()
    if match["decimal"]:
        return match["decimal"].replace(",", "."), (DECIMAL_COMMA,)
    return match["plain"], ()


def _is_before_power(match: re.Match[str]) -> bool:
    """Tell whether a comma is the decimal sign of one digit before a power of ten (`6,022e23`)."""
    has_power = match["e"] or match["caret"] or match["bare"] or match["raised"] or match["hat"]
    return bool(has_power) and len(match["comma"]) == len("6,022")


def _joined(exponent: str) -> str:
    return exponent.replace(" ", "")
