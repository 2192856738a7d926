"""Bring a number from one written unit to another: SI prefixes by a table, all else by pint where it knows both."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from corpus.scoring.glyphs import one_spelling, without_latex

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
    "torr": "torr", "celsius": "°C", "minute": "min", "hours": "h", "hour": "h", "kilojoule": "kJ", "kilogram": "kg",
    "kilograms": "kg", "milligram": "mg", "milligrams": "mg", "milliliters": "mL", "millilitres": "mL",
    "milliliter": "mL", "millilitre": "mL", "nanometers": "nm", "nanometres": "nm", "pascal": "Pa", "pascals": "Pa",
    "volts": "V", "volt": "V", "mgs": "mg", "kgs": "kg", "mLs": "mL", "mls": "mL", "gm": "g", "gms": "g", "gs": "g",
    "µgs": "µg", "ugs": "µg", "µLs": "µL", "uLs": "µL", "Ls": "L", "hrs": "h", "hr": "h", "mins": "min", "sec": "s",
    "secs": "s", "gr": "g", "gramme": "g", "grammes": "g", "oC": "°C", "Fahrenheit": "°F", "fahrenheit": "°F",
}  # fmt: skip
_TOKEN = re.compile(
    r"(?P<name>[A-Za-zµΩÅ°%‰]+)\^?[({]?(?P<exponent>[+-]?\d{1,2})?[)}]?|(?P<slash>/{1,2})|[\s·×*.]+|[()]"
)


# Names that only pint can convert, known without loading it.
_ONLY_PINT = frozenset(
    [
        "°F",
        "torr",
        "Torr",
        "mmHg",
        "mm Hg",
        "psi",
        "day",
        "days",
        "week",
        "weeks",
        "year",
        "years",
        "Da",
        "kDa",
        "amu",
        "kcal",
    ]
)
_PINT_NAMES = {"%": "percent", "°": "degree", "°C": "degC", "°F": "degF", "Å": "angstrom", "µB": "bohr_magneton"}
_DEGREE_FAHRENHEIT = re.compile(r"(?:°|\bdeg(?:rees?)?)\s?(?:[fF]ahrenheit|F)(?![A-Za-z])")
_DEGREE_CELSIUS = re.compile(r"(?:°|\bdeg(?:rees?)?)\s?(?:[cC]elsius|C)(?![A-Za-z])|\b[cC]elsius\b")
_OF_WHAT = re.compile(r"\s(?:of|for|in|at|from|is|are)(?:\s|$)")
# `Jmol^-1`: two symbols with nothing between, the exponent that of the last.
_GLUED = re.compile(r"(?P<first>[kMm]?(?:J|cal)|[kmµ]?(?:g|mol)|[kM]?Pa)(?P<last>mol|K|L|dm|g|kg)")
_CAPITAL_KILO = re.compile(r"K(?:g|J|cal|Pa|Hz|eV|mol)")
_OF_HUNDRED = re.compile(r"\bper[\s-]cent\b")
_OF_MERCURY = re.compile(r"\b([mc]m)\s?Hg\b")
_OF_REACTION = re.compile(r"(?<=mol)(?:[\s_-]?[({]{0,2}rxn[)}]{0,2})")
_SUBSTANCE = re.compile(r"\(?[A-Za-z][A-Za-z0-9_()+{}]{0,40}[,;]?")
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
    written, wanted = _spelled(unit), _spelled(_without_markup(asked_unit))
    if (wanted == "°C" and written == "C") or _is_same_percent(written, wanted):
        return value, ""
    shift = _shift(written, wanted)
    if shift is not None:
        return (value.scaleb(shift), UNIT_CONVERTED) if shift else (value, "")
    line = _line(written, wanted)
    if line is None and written.casefold() == wanted.casefold():
        return value, ""
    if line is None:
        without_substance = _without_substance(written)
        if without_substance:
            return in_asked_unit(value=value, unit=without_substance, asked_unit=asked_unit)
        return value, UNIT_DIFFERS
    converted = value * line.factor + line.offset
    return (value, "") if converted == value else (converted, UNIT_CONVERTED)


# `ms^-1`: one in a millisecond, or a metre in a second where nothing else measures what is asked for.
_SECOND = re.compile(r"(?<![A-Za-z])(?P<first>[kcmn]?m|[mµn]?mol|[km]?J)s(?=\^?[({]?-)")


def _shift(written: str, wanted: str) -> int | None:
    """Return the power of ten between two units of the same measure; None where the tables know no such."""
    for first, second in (
        (written, wanted),
        (_SECOND.sub(r"\g<first> s", written), wanted),
        (written, _SECOND.sub(r"\g<first> s", wanted)),
    ):
        known, asked = _dimensions(first), _dimensions(second)
        if known is not None and asked is not None and known.powers == asked.powers:
            return known.tens - asked.tens
    return None


@lru_cache(maxsize=1024)
def is_known_unit(unit: str) -> bool:
    """Tell whether the tables know a written unit; words that stand in its place (`5 peaks`) are none."""
    return _dimensions(_spelled(unit)) is not None


def is_written_unit(unit: str) -> bool:
    """Tell whether the tables or pint's names here know a unit that holds something besides brackets and blanks."""
    return unit in _ONLY_PINT or (unit.strip("() ·*×./") != "" and is_known_unit(unit))


# A symbol that stands for an element, a letter or a word as well, and a verb behind any symbol: `A is the ampere`.
_DOUBTFUL_SYMBOLS = frozenset("ACDKMNTVWadhmstu°")
_VERBS = frozenset({"is", "are", "was", "were", "means", "stands", "denotes"})
_PREPOSITIONS = frozenset(["of", "for", "in", "at", "from", "and", "because", "since", "which", "as", "to", "when"])
_NO_UNITS = _PREPOSITIONS | _VERBS
_WORDS_OF_UNIT = 4


def leading_unit(words: str) -> str:
    """Return the unit with which `words` begin, the longest that is known, or "" where they begin with none."""
    parts = words.split(" ", _WORDS_OF_UNIT + 1)
    for count in range(min(len(parts), _WORDS_OF_UNIT), 0, -1):
        unit = " ".join(parts[:count]).rstrip(",;:.!")
        if not _NO_UNITS.isdisjoint(parts[:count]) or not (is_known_unit(unit) or unit in _ONLY_PINT):
            continue
        if count == len(parts) or not unit.endswith(parts[count - 1]) or parts[count] in _PREPOSITIONS:
            return unit
        return "" if unit in _DOUBTFUL_SYMBOLS or parts[count] in _VERBS else unit
    return ""


@lru_cache(maxsize=256)
def _without_markup(asked_unit: str) -> str:
    return without_latex(one_spelling(asked_unit)).strip()


def _spelled(unit: str) -> str:
    """Return a unit without what it is a unit of, degrees Celsius and millimetres of mercury in one spelling."""
    if "Hg" in unit:
        unit = _OF_MERCURY.sub(r"\1Hg", unit)
    if "per" in unit:
        unit = _OF_HUNDRED.sub("percent", unit)
    if "rxn" in unit:
        unit = _OF_REACTION.sub("", unit)
    if "F" in unit or "fahr" in unit:
        unit = _DEGREE_FAHRENHEIT.sub("°F", unit)
    return _OF_WHAT.split(_DEGREE_CELSIUS.sub("°C", unit))[0].strip()


def _without_substance(unit: str) -> str:
    """Return the unit in front of what it is a unit of (`mg NaCl`), where those words are no unit; "" for none."""
    parts = unit.split(" ")
    for count in range(len(parts) - 1, 0, -1):
        shorter = " ".join(parts[:count])
        if is_known_unit(shorter) and shorter not in _DOUBTFUL_SYMBOLS and shorter not in _TENS_OF_SHARES:
            return shorter if _SUBSTANCE.fullmatch(parts[count]) and _pint_unit(parts[count]) is None else ""
    return ""


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
            glued = _GLUED.fullmatch(token["name"]) if token["exponent"] and token["exponent"][0] == "-" else None
            if glued is not None:
                yield glued["first"], sign
            name = token["name"] if glued is None else glued["last"]
            yield _named(name), sign * int(token["exponent"] or 1)
    if position != len(unit):
        yield None


def _named(name: str) -> str:
    """Return a unit's symbol for its name (`Joules`), with a small k for the kilo that is written `K`."""
    if _CAPITAL_KILO.fullmatch(name):
        return "k" + name[1:]
    is_capitalised = len(name) > 3 and name[0].isupper() and name[1:].islower()
    return _WORDS.get(name) or (_WORDS.get(name.lower(), name) if is_capitalised else name)


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
