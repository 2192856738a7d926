"""Bring a number from one written unit to another: SI prefixes by a table, all else by pint where it knows both."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import pint

UNIT_CONVERTED = "unit-converted"
UNIT_DIFFERS = "unit-differs"
UNIT_UNDECLARED = "unit-undeclared"

_PREFIXES = {
    "f": -15, "p": -12, "n": -9, "µ": -6, "u": -6, "m": -3, "c": -2, "d": -1, "": 0, "k": 3, "M": 6, "G": 9, "T": 12,
}  # fmt: skip
_BASES = frozenset(
    ["g", "m", "s", "mol", "J", "Pa", "L", "V", "A", "W", "N", "Hz", "K", "eV", "C", "bar", "cal", "M", "t", "Å"]
)
_WITHOUT_PREFIX = frozenset(["°", "°C", "min", "h", "Dq", "D", "atm"])
_SHARE = "share"
_TENS_OF_SHARES = {"dimensionless": 0, "%": -2, "‰": -3, "ppm": -6, "ppb": -9}
_WORDS = {
    "percent": "%", "permille": "‰",
    "fraction": "dimensionless", "gram": "g", "grams": "g", "mole": "mol", "moles": "mol",
    "mols": "mol",
    "l": "L", "litre": "L", "liter": "L", "litres": "L", "liters": "L", "joule": "J", "joules": "J", "kilojoules": "kJ",
    "meter": "m", "meters": "m", "metre": "m", "metres": "m", "second": "s", "seconds": "s", "kelvin": "K",
    "Angstrom": "Å", "angstrom": "Å", "angstroms": "Å", "Angstroms": "Å", "degrees": "°", "minutes": "min",
    "minute": "min", "hours": "h", "hour": "h",
}  # fmt: skip
_TOKEN = re.compile(
    r"(?P<name>[A-Za-zµΩÅ°%‰]+)\^?[({]?(?P<exponent>[+-]?\d{1,2})?[)}]?|(?P<slash>/{1,2})|[\s·×*.]+|[()]"
)


_PINT_NAMES = {"%": "percent", "°": "degree", "°C": "degC", "Å": "angstrom", "µB": "bohr_magneton"}
_DEGREE_CELSIUS = re.compile(r"(?:°|\bdeg(?:rees?)?)\s?(?:[cC]elsius|C)(?![A-Za-z])|\b[cC]elsius\b")
_OF_WHAT = re.compile(r"\s(?:of|for|in|at|from|is|are)(?:\s|$)")
_PERCENT = re.compile(
    r"(?P<before>wt|w|mass|mol|vol|v|at)?\.?[\s-]?(?:%|percent)"
    r"(?:\s?\(?(?P<after>w/w|v/v|by (?:mass|weight|volume|moles?))\)?)?"
)
_SHARES = {"wt": "mass", "w": "mass", "w/w": "mass", "weight": "mass", "v": "vol", "v/v": "vol", "volume": "vol"}
_SHARES |= {"mole": "mol", "moles": "mol"}


class _Dimensions(NamedTuple):
    powers: Mapping[str, int]
    tens: int


class _Line(NamedTuple):
    """A conversion: the value times `factor`, plus `offset` (degrees of temperature only)."""

    factor: Decimal
    offset: Decimal


def in_asked_unit(*, value: Decimal, unit: str, asked_unit: str) -> tuple[Decimal, str]:
    """Return the value in `asked_unit` and a note: "" (same unit), `unit-converted`, or `unit-differs` (left as is)."""
    if unit == asked_unit:
        return value, ""
    written, wanted = _spelled(unit), _spelled(asked_unit)
    if (wanted == "°C" and written == "C") or _is_same_percent(written, wanted):
        return value, ""
    known, asked = _dimensions(written), _dimensions(wanted)
    if known is not None and asked is not None and known.powers == asked.powers:
        shift = known.tens - asked.tens
        return (value.scaleb(shift), UNIT_CONVERTED) if shift else (value, "")
    line = _line(written, wanted)
    if line is None:
        return value, "" if written.casefold() == wanted.casefold() else UNIT_DIFFERS
    converted = value * line.factor + line.offset
    return (value, "") if converted == value else (converted, UNIT_CONVERTED)


@lru_cache(maxsize=1024)
def is_known_unit(unit: str) -> bool:
    """Tell whether the tables know a written unit; words that stand in its place (`5 peaks`) are none."""
    return _dimensions(_spelled(unit)) is not None


def _spelled(unit: str) -> str:
    """Return a unit without what it is a unit of, degrees Celsius in one spelling."""
    return _OF_WHAT.split(_DEGREE_CELSIUS.sub("°C", unit))[0].strip()


def _is_same_percent(unit: str, asked_unit: str) -> bool:
    """Tell whether both are percent of the same kind of share, or one of them does not say of which kind."""
    written, wanted = _PERCENT.fullmatch(unit), _PERCENT.fullmatch(asked_unit)
    if written is None or wanted is None:
        return False
    shares = {_share(match) for match in (written, wanted)} - {""}
    return len(shares) < 2


def _share(match: re.Match[str]) -> str:
    word = match["before"] or (match["after"] or "").removeprefix("by ")
    return _SHARES.get(word, word)


def _factors(unit: str) -> Iterator[tuple[str, int] | None]:
    """Yield the unit's factors with their exponents; None for what cannot be a factor."""
    position, sign = 0, 1
    for token in _TOKEN.finditer(unit):
        if token.start() != position:
            break
        position = token.end()
        if token["slash"] or token["name"] == "per":
            sign = -1
        elif token["name"]:
            yield _WORDS.get(token["name"], token["name"]), sign * int(token["exponent"] or 1)
    if position != len(unit):
        yield None


def _dimensions(unit: str) -> _Dimensions | None:
    """Return base units with their powers and the power of ten, or None for a unit not in the tables."""
    powers: Counter[str] = Counter()
    tens = 0
    for factor in _factors(unit):
        known = None if factor is None else _known(factor[0])
        if factor is None or known is None:
            return None
        powers[known[0]] += factor[1]
        tens += known[1] * factor[1]
    return _Dimensions({base: power for base, power in powers.items() if power}, tens)


def _known(name: str) -> tuple[str, int] | None:
    """Split `kJ` into its base and power of ten."""
    if name in _TENS_OF_SHARES:
        return _SHARE, _TENS_OF_SHARES[name]
    if name in _BASES or name in _WITHOUT_PREFIX:
        return name, 0
    prefix, base = name[:1], name[1:]
    return (base, _PREFIXES[prefix]) if prefix in _PREFIXES and base in _BASES else None


@lru_cache(maxsize=4096)
def _line(unit: str, asked_unit: str) -> _Line | None:
    """Return the conversion by pint, or None where it does not know both units or they measure different things."""
    written, wanted = _pint_unit(unit), _pint_unit(asked_unit)
    if written is None or wanted is None or written.dimensionality != wanted.dimensionality:
        return None
    try:
        at_zero, at_one = (_registry().Quantity(Decimal(place), written).to(wanted).magnitude for place in (0, 1))
    except (ArithmeticError, TypeError, ValueError, AttributeError):
        return None
    return _Line(at_one - at_zero, at_zero)


def _pint_unit(unit: str) -> "pint.Unit | None":
    """Return a written unit as pint's, factor by factor: pint never parses an expression of the answerer's."""
    product = _registry().Unit("")
    for factor in _factors(unit):
        if factor is None:
            return None
        try:
            product = product * _registry().Unit(_PINT_NAMES.get(factor[0], factor[0])) ** factor[1]
        except (AttributeError, ValueError, TypeError):
            return None
    return product if unit else None


@cache
def _registry() -> "pint.UnitRegistry[Decimal]":
    """Return pint's units in decimal. Importing and building it takes a second, so only a unit in need of it does."""
    import pint

    return pint.UnitRegistry(non_int_type=Decimal)
