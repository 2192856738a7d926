"""Bring a number from one written unit to another where they differ by SI prefixes only."""

import re
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

UNIT_CONVERTED = "unit-converted"
UNIT_DIFFERS = "unit-differs"

_PREFIXES = {
    "f": -15, "p": -12, "n": -9, "µ": -6, "u": -6, "m": -3, "c": -2, "d": -1, "": 0, "k": 3, "M": 6, "G": 9, "T": 12,
}  # fmt: skip
_BASES = {
    "g",
    "m",
    "s",
    "mol",
    "J",
    "Pa",
    "L",
    "l",
    "V",
    "A",
    "W",
    "N",
    "Hz",
    "K",
    "eV",
    "C",
    "bar",
    "cal",
    "M",
    "t",
    "Å",
}
_WORDS = {
    "percent": "%", "gram": "g", "grams": "g", "mole": "mol", "moles": "mol", "mols": "mol", "litre": "L",
    "liter": "L", "litres": "L", "liters": "L", "joule": "J", "joules": "J", "kilojoules": "kJ", "meter": "m",
    "meters": "m", "metre": "m", "metres": "m", "second": "s", "seconds": "s", "kelvin": "K", "l": "L", "Angstrom": "Å",
    "angstrom": "Å", "angstroms": "Å", "Angstroms": "Å", "degrees": "°", "minutes": "min", "minute": "min",
    "hours": "h", "hour": "h",
}  # fmt: skip
_TOKEN = re.compile(
    r"(?P<name>[A-Za-zµΩÅ°%]+)\^?[({]?(?P<exponent>[+-]?\d{1,2})?[)}]?|(?P<slash>/{1,2})|[\s·×*.]+|[()]"
)


class _Dimensions(NamedTuple):
    powers: Mapping[str, int]
    tens: int


def in_asked_unit(*, value: Decimal, unit: str, asked_unit: str) -> tuple[Decimal, str]:
    """Return the value in `asked_unit` and a note: "" (same unit), `unit-converted`, or `unit-differs` (left as is)."""
    written, wanted = _dimensions(unit), _dimensions(asked_unit)
    if written is None or wanted is None:
        same = unit.strip().casefold() == asked_unit.strip().casefold()
        return value, "" if same else UNIT_DIFFERS
    if written.powers != wanted.powers:
        return value, UNIT_DIFFERS
    shift = written.tens - wanted.tens
    return (value.scaleb(shift), UNIT_CONVERTED) if shift else (value, "")


def _dimensions(unit: str) -> _Dimensions | None:
    """Return base units with their powers and the power of ten, or None for a unit not known here."""
    powers: Counter[str] = Counter()
    tens, position, sign = 0, 0, 1
    for token in _TOKEN.finditer(unit):
        if token.start() != position:
            return None
        position = token.end()
        if token["slash"]:
            sign = -1
        elif token["name"]:
            known = _known(token["name"])
            if known is None:
                return None
            base, power = known
            exponent = sign * int(token["exponent"] or 1)
            powers[base] += exponent
            tens += power * exponent
    if position != len(unit):
        return None
    return _Dimensions({base: power for base, power in powers.items() if power}, tens)


def _known(name: str) -> tuple[str, int] | None:
    """Split `kJ` into its base and power of ten. A decimetre cubed is a litre only to people, so it stays apart."""
    name = _WORDS.get(name, name)
    if name in _BASES:
        return name, 0
    if name in {"%", "°", "°C", "min", "h", "Dq", "D", "ppm", "atm"}:
        return name, 0
    prefix, base = name[:1], name[1:]
    return (base, _PREFIXES[prefix]) if prefix in _PREFIXES and base in _BASES else None
