"""Replies to number questions as people and models write them, with what was expected before they were read."""

from decimal import Decimal

import pytest

from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind

CASES = [
    # one sentence, or a label and its number
    ("The mass of NaCl required is 42 g.", "g", "42"),
    ("You would need 42 g of NaCl.", "g", "42"),
    ("Mass: 42 g", "g", "42"),
    ("Mass (mg): 500", "g", "0.5"),
    ("Mass in mg: 500", "g", "0.5"),
    ("**Answer (in mg):** 500", "g", "0.5"),
    ("Answer (approx): 500", "g", "500"),
    ("Molar mass: 58.44 g/mol", "g/mol", "58.44"),
    ("Half-life: 14 min", "min", "14"),
    ("Number of signals: 6", "", "6"),
    ("The oxidation number of Mn is +7.", "", "7"),
    ("The charge is -2.", "", "-2"),
    ("pH of 2.82", "", "2.82"),
    ("The pOH is 2.9, so the pH is 11.1.", "", "11.1"),
    ("→ 0.5 mol", "mol", "0.5"),
    ("∴ 0.5 mol", "mol", "0.5"),
    # sentences that do not state one number
    ("Is the mass 42 g?", "g", None),
    ("Is it true that the mass is 42 g?", "g", None),
    ("The mass of 3 mol is 42 g", "g", "42"),
    ("The mass isn't 42 g", "g", None),
    ("The mass is not 42 g", "g", None),
    ("The mass could be 42 g", "g", None),
    ("The mass is over 42 g", "g", None),
    ("The mass is 40-42 g", "g", None),
    ("The mass is 42 g or 43 g", "g", None),
    ("If M = 58, the mass is 42 g", "g", None),
    ("The pH is 11.1 and the pOH is 2.9.", "", None),
    ("The ratio is 2:1", "", None),
    ("The product is 2-butanol", "", None),
    # one number over another
    ("# 11.1\n\npOH = 2.9", "", None),
    ("> 11.1\n\npOH = 2.9", "", None),
    ("[ANSWER]x = 2.9 or x = 11.1[/ANSWER]", "", None),
    ("| pH | 11.1 |\n| pOH | 2.9 |", "", None),
    ("(a) 11.1\n(b) 2.9", "", None),
    # how it is written
    ("5.0 × ten to the minus two", "mg", None),
    ("5.0 x 102 mg", "g", None),
    ("5.0 10^-2 mg", "mg", None),
    ("40 g ± 2 g", "g", "40"),
    ("40 g (± 2)", "g", "40"),
    ("40 g ± 5%", "g", "40"),
    ("40 ± 2 mg", "g", "0.04"),
    (r"\ang{109.5}", "°", "109.5"),
    ("[ANSWER]50 per cent[/ANSWER]", "%", "50"),
    ("42 gr", "g", "42"),
    ("1,00,000", "", None),
    ("1.000.000", "", "1000000"),
    (r"\boxed{1.5 \times 10^{-3}}\ \text{M}", "M", "0.0015"),
    (r"$K_{sp} = 1.8 \times 10^{-10}$", "", "1.8E-10"),
    ("42 J/(g·°C)", "J/(g K)", "42"),
    (r"42 M^{-1}\,s^{-1}", "L/(mol s)", "42"),
]


@pytest.mark.parametrize(("text", "unit", "value"), CASES)
def test_a_reply_is_read_as_expected(text: str, unit: str, value: str | None) -> None:
    reading = read_answer(text=text, asked=Asked(Kind.NUMBER, unit=unit))
    assert reading.number == (None if value is None else Decimal(value))
