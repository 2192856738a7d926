"""Units that differ from the one asked for."""

import subprocess
import sys
from decimal import Decimal

import pytest

from corpus.scoring.reading import read_answer, read_typed_number
from corpus.scoring.types import Asked, Kind
from corpus.scoring.units import UNIT_CONVERTED, UNIT_DIFFERS, in_asked_unit, leading_unit

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
    # spelt in other ways
    ("2500", "Jmol^-1", "kJ/mol", "2.5", UNIT_CONVERTED),
    ("2500", "Jmol^{-1}", "kJ/mol", "2.5", UNIT_CONVERTED),
    ("2500", "JK^-1mol^-1", "J/(mol K)", "2500", ""),
    ("2", "ms^-1", "m/s", "2", ""),
    ("8", "gL^-1", "mg/L", "8000", UNIT_CONVERTED),
    ("2", "gmol", "g/mol", "2", UNIT_DIFFERS),
    ("2500", "J/mol rxn", "kJ/mol", "2.5", UNIT_CONVERTED),
    ("2500", "J/mol_rxn", "kJ/mol", "2.5", UNIT_CONVERTED),
    ("2500", "J/mol-rxn", "kJ/mol", "2.5", UNIT_CONVERTED),
    ("2500", "J/mol_{rxn}", "kJ/mol", "2.5", UNIT_CONVERTED),
    ("2500", "Joules/mol", "kJ/mol", "2.5", UNIT_CONVERTED),
    ("2500", "Joules per Mole", "kJ/mol", "2.5", UNIT_CONVERTED),
    ("42", "KJ/mol", "J/mol", "42000", UNIT_CONVERTED),
    ("2", "Kcal/mol", "kJ/mol", "8.368", UNIT_CONVERTED),
    ("5", "Kg", "g", "5000", UNIT_CONVERTED),
    ("101.3", "KPa", "Pa", "101300", UNIT_CONVERTED),
    ("298", "Kelvin", "°C", "24.85", UNIT_CONVERTED),
    ("760", "Torr", "atm", "1", UNIT_CONVERTED),
    ("5", "Kt", "t", "5", UNIT_DIFFERS),
    ("2500", "J/mol", r"\pu{kJ mol-1}", "2.5", UNIT_CONVERTED),
    ("2500", "J/mol", r"$\mathrm{kJ\,mol^{-1}}$", "2.5", UNIT_CONVERTED),
    ("5", "g", r"\text{g}", "5", ""),
    # what it is a unit of
    ("500", "mg NaCl", "g", "0.5", UNIT_CONVERTED),
    ("250", "mL water", "L", "0.25", UNIT_CONVERTED),
    ("250", "mL water at", "L", "0.25", UNIT_CONVERTED),
    ("1", "kcal water", "kJ", "4.184", UNIT_CONVERTED),
    ("250", "mL water", "mL", "250", ""),
    ("5", "J K", "J", "5", UNIT_DIFFERS),
    ("5", "J hectare", "J", "5", UNIT_DIFFERS),
    ("5", "C atoms", "°C", "5", UNIT_DIFFERS),
    ("5", "mg -wet", "g", "5", UNIT_DIFFERS),
    ("5", "mg NaCl", "mol", "5", UNIT_DIFFERS),
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


def test_millimetres_of_mercury_are_one_unit() -> None:
    for unit in ("mm Hg", "mmHg"):
        value, note = in_asked_unit(value=Decimal(760), unit=unit, asked_unit="atm")
        assert (round(value, 4), note) == (1, UNIT_CONVERTED)


# A reply to a question for grams, the number and the unit.
SENTENCES = [
    ("The answer is 500 mg of sodium chloride dissolved in water.", "0.5", "mg"),
    ("The answer is 500 mg NaCl dissolved in the water of the beaker.", "0.5", "mg"),
    ("500 mg. We multiply the amount by the molar mass.", "0.5", "mg"),
    ("500 mg. We multiply it.", "0.5", "mg"),
    ("500 mg, which is the mass of the salt in the solution.", "0.5", "mg"),
    ("[ANSWER]500 mg (that is what all of the salt weighs)[/ANSWER]", "0.5", "mg"),
    ("500 mg NaCl", "0.5", "mg NaCl"),
    ("500 of them as far as can be told from the spectrum given", "500", ""),
    ("500 m is the symbol for metres, which is a length", "500", ""),
    ("500 peaks are seen in the spectrum of this substance", "500", ""),
    ("500 g is the symbol for grams, which is a mass", "500", ""),
    ("500 A atoms are in this piece of the whole substance", "500", ""),
]


@pytest.mark.parametrize(("text", "value", "unit"), SENTENCES)
def test_a_unit_at_the_head_of_a_sentence_counts(text: str, value: str, unit: str) -> None:
    reading = read_answer(text=text, asked=Asked(Kind.NUMBER, unit="g"))
    assert (reading.number, reading.unit) == (Decimal(value), unit)


LEADING = [
    ("mg of salt", "mg"),
    ("J mol^-1 K^-1 for this substance", "J mol^-1 K^-1"),
    ("J/(mol K), as is known", "J/(mol K)"),
    ("g.", "g"),
    ("A of current", "A"),
    ("A ring", ""),
    ("m is a length", ""),
    ("peaks", ""),
    ("mm Hg of pressure", "mm Hg"),
    ("", ""),
]


@pytest.mark.parametrize(("words", "unit"), LEADING)
def test_leading_unit(words: str, unit: str) -> None:
    assert leading_unit(words) == unit


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


SECONDS = [
    ("m/s", "ms^-1", "5", ""),
    ("m/s", "ms^{-1}", "5", ""),
    ("m/s", "m s^-1", "5", ""),
    ("ms^-1", "m/s", "5", ""),
    ("ms^-1", "m s^-1", "5", ""),
    ("m s^-2", "ms^-2", "5", ""),
    ("m/s", "kms^-1", "5000", UNIT_CONVERTED),
    ("km/s", "ms^-1", "0.005", UNIT_CONVERTED),
    ("mmol/s", "mmols^-1", "5", ""),
    ("s^-1", "ms^-1", "5000", UNIT_CONVERTED),
    ("s", "ms", "0.005", UNIT_CONVERTED),
    ("m/s", "ms", "5", UNIT_DIFFERS),
    ("m/s", "ms^1", "5", UNIT_DIFFERS),
]


@pytest.mark.parametrize(("asked", "unit", "value", "note"), SECONDS)
def test_a_second_glued_to_a_metre(asked: str, unit: str, value: str, note: str) -> None:
    assert in_asked_unit(value=Decimal(5), unit=unit, asked_unit=asked) == (Decimal(value), note)
