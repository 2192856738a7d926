"""Where the unit of a number stands, and in which spelling: read and converted, or noted, never passed over."""

from decimal import Decimal

import pytest

from corpus.scoring.number_units import bracketed_unit, unit_beside, unit_of, unit_of_quantity
from corpus.scoring.reading import read_answer, read_typed_number
from corpus.scoring.types import Asked, Kind

SPELLINGS = [
    # units in one character, signs for a degree
    *[(text, "K", "298.15") for text in ("25 ℃", "25 ºC", "25 ˚C", "25∘C", "25 oC", "25 º C")],
    ("77 ℉", "°C", "25"),
    ("77 degrees Fahrenheit", "°C", "25"),
    ("250 ㎖", "L", "0.250"),
    ("500 ㎎", "g", "0.5"),
    ("500 ㎍", "mg", "0.5"),
    ("5 ㎏", "g", "5000"),
    ("5 ㎝", "m", "0.05"),
    ("5 ㎞", "m", "5000"),
    ("5 ㎡", "cm^2", "50000"),
    ("5 ㎥", "L", "5000"),
    ("5 ℓ", "mL", "5000"),
    # LaTeX
    *[(text, "g", "0.5") for text in (r"500\,{\rm mg}", r"500~{\rm mg}", r"500\enspace mg", r"500\thinspace\text{mg}")],
    *[(text, "g", "0.0005") for text in (r"500\,\upmu\text{g}", r"500 \textmu g", r"500\,\textmu{}g", r"500 \micro g")],
    *[
        (text, "K", "298.15")
        for text in (r"25 {}^\circ\text{C}", r"25\,\textdegree C", r"25\textdegree{}C", r"25 \celsius")
    ],
    (r"$5\,{\rm kJ\,mol^{-1}}$", "J/mol", "5000"),
    # plurals
    *[(text, "g", "0.5") for text in ("500 mgs", "500 (milligrams)", "500 mg (in all)")],
    ("500 mLs", "L", "0.5"),
    ("5 kgs", "g", "5000"),
    # in brackets, in words
    *[
        (text, "g", "0.5")
        for text in ("500 (mg)", "500 [mg]", "500 {mg}", "500 (in mg)", "500 in mg", "500 (unit: mg)")
    ],
    ("5 (kJ/mol)", "J/mol", "5000"),
    ("5 (J/(mol K))", "kJ/(mol K)", "0.005"),
    # a quantity over its unit
    *[(text, "L", "0.025") for text in ("V/mL = 25", "V / mL = 25", "V (mL) = 25", "V in mL = 25", "V/(mL) = 25")],
    ("ΔH/(kJ/mol) = -42", "J/mol", "-42000"),
    ("T/K = 298.15", "°C", "25"),
    # on a line of its own
    *[(text, "g", "0.5") for text in ("500\nUnit: mg", "500\n\nUnits: mg", "Value: 500\nUnit: mg")],
    # JSON
    ('{"answer": 500, "answer_unit": "mg"}', "g", "0.5"),
    ('{"answer": 500, "unit_of_answer": "mg"}', "g", "0.5"),
    ('{"final_answer": "500", "final_answer_units": "mg"}', "g", "0.5"),
    ('{"answer": {"value": 500, "unit": "mg"}}', "g", "0.5"),
    ('{"value": 500, "unit": "mg"}', "g", "0.5"),
]


@pytest.mark.parametrize(("text", "unit", "value"), SPELLINGS)
def test_a_unit_is_converted_in_any_spelling(text: str, unit: str, value: str) -> None:
    for said in (text, f"[ANSWER]{text}[/ANSWER]"):
        reading = read_answer(text=said, asked=Asked(Kind.NUMBER, unit=unit))
        assert reading.number is not None
        assert (round(reading.number, 9), reading.notes) == (Decimal(value), ("unit-converted",))


OUTSIDE = [
    "[ANSWER]500[/ANSWER] (mg)",
    r"\boxed{500} ㎎",
    "[ANSWER]500[/ANSWER]\nUnit: mg",
    "**[ANSWER]500[/ANSWER]**\n\n**Unit:** mg",
    "Answer: 500\nUnit: mg",
    "FINAL ANSWER: 500\nUnit: $\\text{mg}$",
    "Unit: mg\nAnswer: 500",
    "- **Unit:** mg\n- **Answer:** 500",
]


@pytest.mark.parametrize("text", OUTSIDE)
def test_a_unit_beside_an_answer_is_converted(text: str) -> None:
    reading = read_answer(text=text, asked=Asked(Kind.NUMBER, unit="g"))
    assert (reading.number, reading.unit, reading.notes) == (Decimal("0.5"), "mg", ("unit-converted",))


NOTED = [
    "500 (mol)",
    "500 flurbs",
    "500 мг",
    "500 克",
    r"500 \flurb",
    "[ANSWER]500[/ANSWER]\nUnit: flurbs",
    "V/mL = 500",
]


@pytest.mark.parametrize("text", NOTED)
def test_a_unit_that_cannot_be_converted_is_noted(text: str) -> None:
    reading = read_answer(text=text, asked=Asked(Kind.NUMBER, unit="g"))
    assert (reading.number, reading.notes) == (500, ("unit-differs",))


PASSED_OVER = [
    "500 (approx)",
    "500 (in total)",
    "n/V = 500",
    "m (NaCl) = 500",
    "CO2 (g) = 500",
    "C(s) = 500",
    "m/s = 500",
    "g/mol = 500",
    "[ANSWER]500[/ANSWER]\nUnit: none",
    "[ANSWER]500[/ANSWER]\nUnit conversion: mg to g",
    "[ANSWER]500[/ANSWER]\nThe unit: mg",
    r"\boxed{500} (A is the first)",
]


@pytest.mark.parametrize("text", PASSED_OVER)
def test_what_is_no_unit_is_none(text: str) -> None:
    reading = read_answer(text=text, asked=Asked(Kind.NUMBER, unit="g"))
    assert (reading.number, reading.unit, reading.notes) == (500, "", ())


def test_pieces() -> None:
    assert [unit_of(text) for text in (" mg", " (mg) of it", "(wet)", " in total", "")] == [
        "mg",
        "mg",
        "",
        "in total",
        "",
    ]
    assert [bracketed_unit(text) for text in ("(mg)", " [in kJ/mol] ", "( )", "(%)", "mg")] == [
        "mg",
        "kJ/mol",
        "",
        "%",
        "",
    ]
    assert [unit_of_quantity(text) for text in ("m/mg ", "m", "", "x" * 99)] == ["mg", "", "", ""]
    assert unit_beside("5\nUnit: mg", 0, 1) == "mg"
    assert unit_beside("Units: mg\n5", 10, 11) == "mg"
    assert read_typed_number("500 (mg)", unit="g").number == Decimal("0.5")
