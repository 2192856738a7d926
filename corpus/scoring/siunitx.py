"""Write the units of the LaTeX package siunitx plainly: `\\kilo\\joule\\per\\mole` is `kJ mol^-1`."""

import re

_PREFIXES = {
    "femto": "f", "pico": "p", "nano": "n", "micro": "µ", "milli": "m", "centi": "c", "deci": "d", "kilo": "k",
    "mega": "M", "giga": "G",
}  # fmt: skip
_UNITS = {
    "gram": "g", "metre": "m", "meter": "m", "second": "s", "mole": "mol", "joule": "J", "pascal": "Pa", "litre": "L",
    "liter": "L", "volt": "V", "ampere": "A", "watt": "W", "newton": "N", "hertz": "Hz", "kelvin": "K",
    "electronvolt": "eV", "coulomb": "C", "bar": "bar", "angstrom": "Å", "celsius": "°C", "degreeCelsius": "°C",
    "minute": "min", "hour": "h", "percent": "%", "degree": "°", "atm": "atm", "calorie": "cal", "molar": "M",
}  # fmt: skip
_BEFORE = {"square": 2, "cubic": 3}
_BEHIND = {"squared": 2, "cubed": 3}
_COMMAND = re.compile(r"\\([A-Za-z]{1,20})")


def plain_units(written: str) -> str:
    """Return units with the commands of siunitx written as symbols and exponents; other text stays."""
    if "\\" not in written:
        return written
    factors: list[tuple[str, int]] = []
    prefix, sign, power = "", 1, 1
    for name in _COMMAND.findall(written):
        if name in _PREFIXES:
            prefix = _PREFIXES[name]
        elif name == "per":
            sign = -1
        elif name in _BEFORE:
            power = _BEFORE[name]
        elif name in _BEHIND and factors:
            factors[-1] = (factors[-1][0], factors[-1][1] * _BEHIND[name])
        elif name in _UNITS:
            factors.append((prefix + _UNITS[name], sign * power))
            prefix, sign, power = "", 1, 1
        else:
            return written
    return " ".join(symbol if exponent == 1 else f"{symbol}^{exponent}" for symbol, exponent in factors)
