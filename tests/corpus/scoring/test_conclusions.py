"""Numbers of a concluding sentence: the result, not what explains it; several results are not read."""

import pytest

from corpus.scoring.conclusions import last_result, last_statement
from corpus.scoring.reading import read_answer
from corpus.scoring.tags import Located
from corpus.scoring.types import Asked, Kind


def read(text: str) -> str:
    reading = read_answer(text=text, asked=Asked(Kind.NUMBER))
    return "unparsed" if reading.number is None else str(reading.number)


CONCLUDED = [
    ("Hence, the mass is 5 g (molar mass = 58.44 g/mol).", "5"),
    ("Hence, the mass is **5 g** (molar mass = 58.44 g/mol).", "5"),
    ("Hence k = 2 at T = 300.", "2"),
    ("Hence k = 2 s^-1 at T = 300 K.", "2"),
    ("So the pH is 7, where Kw = 1e-14.", "7"),
    ("Thus V = 5 L (using R = 0.082).", "5"),
    ("Therefore, the mass is 5 g, which is 0.2 mol.", "5"),
    ("Therefore, the mass is 5 g, i.e. the amount is 0.2 mol.", "5"),
    ("Therefore, the mass is 5 g assuming density is 1.", "5"),
    ("Therefore, the mass is 5 g when T is 300 K.", "5"),
    ("Therefore, the mass is 5 g.", "5"),
    ("So the amount is n = m/M = 5/10 = 0.5 mol.", "0.5"),
    ("Therefore, m = 2 × 3 = 6 g.", "6"),
    ("The mass is 5 g, so the amount is 0.2 mol.", "0.2"),
    ("If n = 2 and V = 4, therefore c = 0.5.", "0.5"),
    ("So the total, which is the sum, is 12.", "12"),
    ("Thus the answer: 5 g", "5"),
    ("Thus m = 2 × 3 = 6 g, roughly.", "6"),
    ("So the volume is only 7 mL.", "7"),
    ("Thus the answer is: (5 g)", "5"),
    ("So it is (2 + 3) = 5", "5"),
    ("Therefore, the mass is 5 g (of 2-butanol).", "5"),
    ("The pH of a 0.1 M HCl solution is 1.0.", "1.0"),
    ("The mass of 0.5 mol of it is 5 g.", "5"),
    ("At 25 °C the solubility is 5 g.", "5"),
]
NOT_CONCLUDED = [
    "So x = 4 * (2 + 3)",
    "So x = 4 × (2 + 3)",
    "So x = 4* (2 + 3)",
    "Therefore, pH = 3.5 and pOH = 10.5.",
    "Therefore, x1 = 5 and x2 = 6.",
    "Therefore, m = 5 g and n = 0.2 mol.",
    "Thus, n = 3, l = 2.",
    "Therefore a = 3; b = 4.",
    "Therefore the pH is 7 or it is 8.",
    "Thus, the roots are x = 2 and x = 3.",
    "Therefore the yield is 80% and the purity is 95%.",
    "Therefore, the mole ratio is 2:3.",
    "Therefore, the mole ratio is 2 : 3.",
    "Therefore, the ratio is 1:2:1.",
    "Therefore, the product is 1,2-dibromoethane.",
    "Therefore, the compound is 2-butanol.",
    "Therefore, the ring is 6-membered.",
    "Therefore, where R = 8.3, the value is 5.",
    "The 0.1 M solution is 10 times as strong.",
    "A mass of 5 g is 0.2 mol, 3 of it solid.",
    "5 g is 0.2 mol.",
    "The yield from 3 g and 4 g is 5 g.",
    "It has 5 rings and 4 of them are 6-membered.",
    "The mass, 5 g, is 0.2 mol.",
    "Of 5 g are 4 g solid.",
    "The pH of a 0.1 M solution is 1 and that of a 1 M one is 0.",
]


@pytest.mark.parametrize(("text", "expected"), CONCLUDED)
def test_a_result_with_an_explanation(text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize("text", NOT_CONCLUDED)
def test_what_concludes_with_no_one_number(text: str) -> None:
    assert read(text) == "unparsed"


def test_where_a_statement_and_a_result_stand() -> None:
    assert last_statement("It melts. It is 5 g ") == Located(16, 19, "conclusion")
    assert last_result("x = 3\ny = 5 ") == Located(9, 11, "derivation")
