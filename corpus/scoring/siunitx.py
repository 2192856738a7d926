"""Write the units of the LaTeX package siunitx plainly: `\\kilo\\joule\\per\\mole` is `kJ mol^-1`."""

import re
from collections.abc import Iterable

_PREFIXES = {
    "femto": "f", "pico": "p", "nano": "n", "micro": "µ", "milli": "m", "centi": "c", "deci": "d", "hecto": "h",
    "kilo": "k", "mega": "M", "giga": "G", "tera": "T",
}  # fmt: skip
_UNITS = {
    "gram": "g", "metre": "m", "meter": "m", "second": "s", "mole": "mol", "joule": "J", "pascal": "Pa", "litre": "L",
    "liter": "L", "volt": "V", "ampere": "A", "watt": "W", "newton": "N", "hertz": "Hz", "kelvin": "K",
    "electronvolt": "eV", "coulomb": "C", "bar": "bar", "angstrom": "Å", "celsius": "°C", "degreeCelsius": "°C",
    "minute": "min", "hour": "h", "percent": "%", "degree": "°", "atm": "atm", "calorie": "cal", "molar": "M",
    "l": "L",
}  # fmt: skip
_BEFORE = {"square": 2, "cubic": 3}
_BEHIND = {"squared": 2, "cubed": 3}
# A command, a symbol, an exponent (`^{-1}`, `\\tothe{-1}`), a sign of division; blanks and signs of multiplication.
_PIECE = re.compile(
    r"\\(?:tothe|raiseto)\s?\{(?P<raised>-?[0-9]{1,2})\}|\\(?P<name>[A-Za-z]{1,20})"
    r"|\^(?:\{(?P<exponent>-?[0-9]{1,2})\}|(?P<digits>-?[0-9]))|(?P<symbol>[A-Za-zµΩÅ°%]{1,20})|(?P<slash>/)|[\s.~·×*]+"
)
_PREFIXED = re.compile(rf"(?P<prefix>{'|'.join(_PREFIXES)})(?P<unit>[A-Za-z]+)")
# `\ug`: the abbreviations of the package are the symbols, with a u for the sign of a millionth.
_MILLIONTH = re.compile(r"u(?=(?:g|m|s|mol|A|V|W|J|L|l|M)\Z)")


def plain_units(written: str) -> str:
    """Return units with the commands of siunitx written as symbols and exponents.

    A command that is no unit of the package stays by its name, as all do in what is no mere list of units.
    """
    pieces = list(_PIECE.finditer(written))
    if sum(len(piece.group()) for piece in pieces) != len(written):
        return written.replace("\\", " ")
    return " ".join(symbol if exponent == 1 else f"{symbol}^{exponent}" for symbol, exponent in _factors(pieces))


def _factors(pieces: Iterable[re.Match[str]]) -> list[tuple[str, int]]:
    """Return the units and their exponents; `\\per` divides by the next unit, a slash by all that follow."""
    factors: list[tuple[str, int]] = []
    prefix, sign, power, ahead = "", 1, 1, 1
    for piece in pieces:
        name = piece["name"] or piece["symbol"]
        exponent = piece["raised"] or piece["exponent"] or piece["digits"] or _BEHIND.get(name)
        if exponent is not None:
            factors[-1:] = [(symbol, before * int(exponent)) for symbol, before in factors[-1:]]
        elif piece["slash"]:
            sign = ahead = -1
        elif name == "per":
            sign = -1
        elif name in _BEFORE:
            power = _BEFORE[name]
        elif name in _PREFIXES:
            prefix = _PREFIXES[name]
        elif name:
            factors.append((prefix + _symbol(name), sign * power))
            prefix, sign, power = "", ahead, 1
    return factors


def _symbol(name: str) -> str:
    """Return the symbol for the name of a unit (`kilogram`) or its abbreviation (`mg`, `uL`)."""
    prefixed = _PREFIXED.fullmatch(name)
    if prefixed is not None and prefixed["unit"] in _UNITS:
        return _PREFIXES[prefixed["prefix"]] + _UNITS[prefixed["unit"]]
    return _UNITS.get(name) or _MILLIONTH.sub("µ", name)
