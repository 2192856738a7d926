"""Units that differ from the one asked for."""

import subprocess
import sys
from decimal import Decimal

import pytest

from corpus.scoring.reading import read_answer, read_typed_number
from corpus.scoring.types import Asked, Kind
from corpus.scoring.units import UNIT_CONVERTED, UNIT_DIFFERS, in_asked_unit

CASES = [
    ("2300", "mmol", "mol", "2.300", UNIT_CONVERTED),
    ("2.3", "mol", "mol", "2.3", ""),
    ("2.3", "moles", "mol", "2.3", ""),
    ("1.5", "kJ/mol", "J/mol", "1500", UNIT_CONVERTED),
    ("1.5", "kJ mol^-1", "kJ/mol", "1.5", ""),
    ("1.5", "kJ mol^{-1}", "kJ mol-1", "1.5", ""),
    ("2", "cm^3", "m^3", "0.000002", UNIT_CONVERTED),
    ("2", "µg", "g", "0.000002", UNIT_CONVERTED),
    ("60", "percent", "%", "60", ""),
    ("5", "g", "mol", "5", UNIT_DIFFERS),
    ("5", "smidgens", "m", "5", UNIT_DIFFERS),
    ("5", "Smidgens", "smidgens", "5", ""),
    ("5", "g/mol", "g", "5", UNIT_DIFFERS),
    ("5", "rad", " of a circle", "5", UNIT_DIFFERS),
    ("5", "g?", "g", "5", UNIT_DIFFERS),
    ("12", "m·m", "m", "12", UNIT_DIFFERS),
    ("5", "g ?mol", "g", "5", UNIT_DIFFERS),
    ("5", "J/(mol K)", "J mol^-1 K^-1", "5", ""),
    # what only pint knows
    ("90", "min", "h", "1.5", UNIT_CONVERTED),
    ("1", "kcal", "kJ", "4.184", UNIT_CONVERTED),
    ("1", "kcal per mole", "kJ/mol", "4.184", UNIT_CONVERTED),
    ("1", "atm", "kPa", "101.325", UNIT_CONVERTED),
    ("12", "cm^3", "mL", "12", ""),
    ("2", "mL", "cm^3", "2", ""),
    ("0", "kcal", "kJ", "0", ""),
    ("5", "mM", "mol/L", "0.005", UNIT_CONVERTED),
    ("0.2", "M", "mol dm^-3", "0.2", ""),
    ("8", "g/cm3", "kg/m^3", "8000", UNIT_CONVERTED),
    ("1", "eV", "J", "1.602176634E-19", UNIT_CONVERTED),
    ("1", "eV", "kJ/mol", "1", UNIT_DIFFERS),
    ("50", "ppm", "%", "0.005", UNIT_CONVERTED),
    ("50", "ppb", "ppm", "0.050", UNIT_CONVERTED),
    ("5", "‰", "%", "0.5", UNIT_CONVERTED),
    ("0.5", "%", "‰", "5", UNIT_CONVERTED),
    ("5", "ppb", "fraction", "5E-9", UNIT_CONVERTED),
    ("5", "ppm", "ppm", "5", ""),
    ("5", "ppm", "mg/L", "5", UNIT_DIFFERS),
    ("3", "m99", "m98", "3", UNIT_DIFFERS),
    ("1", "dB", "W", "1", UNIT_DIFFERS),
    # pint measures a level against no unit at all
    ("1", "dB", "fraction", "1", UNIT_DIFFERS),
    ("5", "pH", "pH", "5", ""),
    # temperatures have an offset
    ("25", "°C", "K", "298.15", UNIT_CONVERTED),
    ("298.15", "K", "degrees Celsius", "25", UNIT_CONVERTED),
    ("25", "degC", "°C", "25", ""),
    ("25", "C", "°C", "25", ""),
    ("25", "C", "K", "25", UNIT_DIFFERS),
    # percent goes by the unit the question declares
    ("60", "%", "%", "60", ""),
    ("60", "%", "fraction", "0.6", UNIT_CONVERTED),
    ("0.6", "fraction", "%", "60", UNIT_CONVERTED),
    ("60", "percent", "%", "60", ""),
    ("60", "wt%", "%", "60", ""),
    ("60", "% by mass", "wt%", "60", ""),
    ("60", "% (w/w)", "wt.%", "60", ""),
    ("60", "mol%", "% by moles", "60", ""),
    ("60", "vol%", "% v/v", "60", ""),
    ("60", "mol%", "wt%", "60", UNIT_DIFFERS),
    ("60", "% by volume", "% by weight", "60", UNIT_DIFFERS),
    ("60", "% yields", "%", "60", UNIT_DIFFERS),
    ("5", "kJ per mol of", "kJ/mol", "5", ""),
    # what it is a unit of
    ("42", "moles of gas", "mol", "42", ""),
    ("42", "mmol in total", "mol", "0.042", UNIT_CONVERTED),
    ("2.5", "Dq", "dq", "2.5", ""),
    ("5", "mg", "Mg", "5E-9", UNIT_CONVERTED),
    ("5", "", "mol", "5", UNIT_DIFFERS),
    ("5", "apples", "mol", "5", UNIT_DIFFERS),
    ("5", "mol", "apples", "5", UNIT_DIFFERS),
]


@pytest.mark.parametrize(("value", "unit", "asked", "converted", "note"), CASES)
def test_in_asked_unit(value: str, unit: str, asked: str, converted: str, note: str) -> None:
    assert in_asked_unit(value=Decimal(value), unit=unit, asked_unit=asked) == (Decimal(converted), note)


def test_an_answer_is_converted_and_one_without_a_unit_is_left_alone() -> None:
    asked = Asked(Kind.NUMBER, unit="kJ")
    reading = read_answer(text="[ANSWER]-12 kcal[/ANSWER]", asked=asked)
    assert (reading.number, reading.unit, reading.notes) == (Decimal("-50.208"), "kcal", (UNIT_CONVERTED,))
    assert read_answer(text="[ANSWER]-12[/ANSWER]", asked=asked).notes == ()
    assert read_answer(text="[ANSWER]-12 kcal[/ANSWER]", asked=Asked(Kind.NUMBER)).number == -12


def test_a_typed_number_is_converted_like_any_other() -> None:
    reading = read_typed_number("250 mmol", unit="mol")
    assert (reading.number, reading.unit, reading.notes) == (Decimal("0.250"), "mmol", (UNIT_CONVERTED,))
    assert read_typed_number("250 g", unit="mol").notes == (UNIT_DIFFERS,)
    assert read_typed_number("250 mmol").number == 250
    assert read_typed_number("250", unit="mol").notes == ()
    assert read_typed_number("2 µB", unit="J/T").notes == (UNIT_CONVERTED,)


SAID_TWICE = [("200 g (0.201 kg)", "200"), ("200 g (0.202 kg)", None), ("54 g (54)", None), ("54 g (heavy)", "54")]


@pytest.mark.parametrize(("text", "number"), SAID_TWICE)
def test_an_amount_in_two_units_is_one_number_where_both_agree(text: str, number: str | None) -> None:
    reading = read_answer(text=f"[ANSWER]{text}[/ANSWER]", asked=Asked(Kind.NUMBER, unit="g"))
    assert reading.number == (None if number is None else Decimal(number))
    assert read_answer(text="54 g (54 kg)", asked=Asked(Kind.NUMBER)).number is None


LAZY = """
import sys
from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind
for text in ("42", "[ANSWER]42[/ANSWER]", "42 mmol"):
    assert read_answer(text=text, asked=Asked(Kind.NUMBER, unit="mol")).number
assert "pint" not in sys.modules
assert read_answer(text="90 min", asked=Asked(Kind.NUMBER, unit="h")).number
assert "pint" in sys.modules
"""


def test_pint_is_loaded_only_for_a_unit_that_needs_it() -> None:
    subprocess.run([sys.executable, "-c", LAZY], check=True)


UNDECLARED = [("0.042 kg", True), ("25%", True), ("5 ‰", True), ("5 mol/L", True), ("5", False), ("5 peaks", False)]


@pytest.mark.parametrize(("text", "is_noted"), UNDECLARED)
def test_a_unit_where_the_question_declares_none(text: str, is_noted: bool) -> None:
    assert ("unit-undeclared" in read_typed_number(text).notes) is is_noted
    assert "unit-undeclared" not in read_typed_number(text, unit="g").notes
