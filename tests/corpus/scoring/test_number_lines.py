"""A number on one line and another on the next: which is the result, or that none is."""

from decimal import Decimal

import pytest

from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind

SEVERAL = [
    "11.1\n\npOH = 2.9",
    "11.1\npOH = 2.9",
    "**11.1**\n\npOH = 2.9",
    "- 11.1\n- pOH = 2.9",
    "11.1\r\n\r\npOH = 2.9",
    "11.1<br>pOH = 2.9",
    "eleven\n\npOH = 2.9",
    "11.1 pOH = 2.9",
    "11.1. pOH = 2.9",
    "11.1\n\nThe pOH = 2.9",
    "pH 11.1\npOH = 2.9",
    "The pH is 11.1.\n\nThe pOH is 2.9.",
    "29 g\n\nn = 0.5 mol",
    "11.1\n\n2.9 = pOH",
    "2.9 = pOH\n11.1 = pH",
    "pH = 11.1\npOH = 2.9",
    "pH=11.1\npOH=2.9",
    "pH ≈ 11.1\n\npOH ≈ 2.9",
    "- pOH = 2.9\n- pH = 11.1",
    "x = 11.1\n\ny = 2.9\n\nz = 3",
    "M = 58.44\n0.5\nm = 2",
    "5\n6",
]


@pytest.mark.parametrize("text", SEVERAL)
def test_of_two_numbers_on_two_lines_none_is_taken(text: str) -> None:
    for said in (text, f"[ANSWER]{text}[/ANSWER]", f"[ANSWER]\n{text}\n[/ANSWER]"):
        assert read_answer(text=said, asked=Asked(Kind.NUMBER)).number is None


ONE = [
    # the same again, with as many digits or fewer
    ("11.1\n\npH = 11.1", "11.1"),
    ("11.1\n\npH = 14 - 2.88 = 11.12", "11.12"),
    ("42 g\n\nn = 42/1 = 42", "42"),
    ("- 42 g\n- m = 42 g", "42"),
    ("11.1\n\nCheck: 14 - 2.9 = 11.1", "11.1"),
    # what explains it
    ("11.1\n\nBecause pOH = 2.9", "11.1"),
    ("11.1\n\nExplanation: pOH = 2.9", "11.1"),
    ("11.1\n(pOH = 2.9)", "11.1"),
    # a working, whose lines go on from one another
    ("pOH = 2.9\nso pH = 14 - 2.9 = 11.1", "11.1"),
    ("n = 0.5 mol\nm = 0.5 * 58 = 29 g", "29"),
    ("pOH = 2.9\nAnswer = 11.1", "11.1"),
    ("0.5 mol\n= 29 g", "29"),
    ("3.5 × 2\n= 7", "7"),
    ("2/3\n= 0.667", "0.667"),
    ("m = 42 g\nm = 42 g", "42"),
    # the other way round
    ("2.9 = pOH", "2.9"),
    ("42 g = m", "42"),
]


@pytest.mark.parametrize(("text", "value"), ONE)
def test_one_number_on_several_lines(text: str, value: str) -> None:
    for said in (text, f"[ANSWER]{text}[/ANSWER]"):
        assert read_answer(text=said, asked=Asked(Kind.NUMBER)).number == Decimal(value)


def test_a_number_above_an_explanation_counts() -> None:
    for rest in ("1. Add 2 and 3.\n2. Double it.", "Molar mass: 58.44 g/mol", "We add n = 2, m = 3 and so on."):
        assert read_answer(text=f"42\n\n{rest}", asked=Asked(Kind.NUMBER)).number == 42
    reading = read_answer(text="29 g\n\nm = 0.029 kg", asked=Asked(Kind.NUMBER, unit="g"))
    assert reading.number in {Decimal(29), None}
