"""Units in the commands of the LaTeX package siunitx."""

from decimal import Decimal

import pytest

from corpus.scoring.reading import read_typed_number
from corpus.scoring.siunitx import plain_units

UNITS = [
    (r"\kilo\joule\per\mole", "kJ mol^-1"),
    (r"\kilogram\per\cubic\metre", "kg m^-3"),
    (r"\kilogram", "kg"),
    (r"\microlitre", "µL"),
    (r"\megahertz\tera\watt", "MHz TW"),
    (r"\mg", "mg"),
    (r"\mL", "mL"),
    (r"\ml", "ml"),
    (r"\l", "L"),
    (r"\uL", "µL"),
    (r"\ug", "µg"),
    (r"\J", "J"),
    (r"\pm", "pm"),
    (r"\kJ\per\mol", "kJ mol^-1"),
    (r"\joule\per\mole\per\kelvin", "J mol^-1 K^-1"),
    (r"\joule\per\mole\kelvin", "J mol^-1 K"),
    (r"\joule/\mole\kelvin", "J mol^-1 K^-1"),
    (r"\square\cm", "cm^2"),
    (r"\cm\squared", "cm^2"),
    (r"\per\second\cubed", "s^-3"),
    (r"\cm\tothe{3}", "cm^3"),
    (r"\cm\raiseto{-3}", "cm^-3"),
    (r"\cm^3", "cm^3"),
    (r"\square\metre\per\square\second", "m^2 s^-2"),
    ("J.mol^{-1}.K^{-1}", "J mol^-1 K^-1"),
    ("kJ/mol", "kJ mol^-1"),
    ("J~mol^-1", "J mol^-1"),
    (r"\furlong", "furlong"),
    (r"\kilofurlong\per\umbrella", "kilofurlong umbrella^-1"),
    (r"\joule/(\mole\kelvin)", " joule/( mole kelvin)"),
    ("", ""),
    (r"\squared", ""),
]


@pytest.mark.parametrize(("written", "plain"), UNITS)
def test_units_are_written_plainly(written: str, plain: str) -> None:
    assert plain_units(written) == plain


QUANTITIES = [
    (r"\SI{500}{\mg}", "g", "0.5"),
    (r"\qty{250}{\mL}", "L", "0.25"),
    (r"\SI{5200}{\J}", "kJ", "5.2"),
    (r"\SI{2}{\kilogram}", "g", "2000"),
    (r"\SI{1000}{\kilogram\per\cubic\metre}", "kg/m^3", "1000"),
    (r"\SI[round-precision=3]{500}{\milli\gram}", "g", "0.5"),
    (r"\qty [round-precision=3]{500}{\milli\gram}", "g", "0.5"),
    (r"500 \si[per-mode=symbol]{\milli\gram}", "g", "0.5"),
    (r"\SI{8.314}{J.mol^{-1}.K^{-1}}", "J/(mol K)", "8.314"),
    (r"\SI{5200}{\joule/\mole}", "kJ/mol", "5.2"),
    (r"500~mg", "g", "0.5"),
    (r"500~µg", "mg", "0.5"),
]


@pytest.mark.parametrize(("text", "unit", "value"), QUANTITIES)
def test_a_quantity_has_its_unit(text: str, unit: str, value: str) -> None:
    assert read_typed_number(text, unit=unit).number == Decimal(value)


def test_a_unit_that_nobody_knows_is_noted() -> None:
    reading = read_typed_number(r"\SI{5}{\wizzle}", unit="g")
    assert (reading.number, reading.unit, reading.notes) == (5, "wizzle", ("unit-differs",))


def test_a_tilde_between_numbers_is_no_space() -> None:
    assert read_typed_number("500~600").number is None
