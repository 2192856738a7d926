"""Which of several numbers is the result where equations stand behind it, in brackets or not."""

from decimal import Decimal

import pytest

from corpus.scoring.numbers import read_number
from corpus.scoring.reading import read_answer
from corpus.scoring.types import Asked, Kind, Unread

RESULTS = [
    ("10 (4n+2, n = 2)", "10"),
    ("10 (4n+2, n ≈ 2)", "10"),
    ("6 π electrons (4n + 2 with n = 1).", "6"),
    ("6 (Hückel's rule, n = 1)", "6"),
    ("6 (Hückel's rule (4n+2), n = 1)", "6"),
    ("4 (2^n, n = 2)", "4"),
    ("4 (2^n, n = 2", "4"),
    ("5.2 g (from n = m/M, M = 58.4)", "5.2"),
    ("about ten (4n+2, n = 2)", "10"),
    ("x = 10 (4n+2, n = 2)", "10"),
    ("4n+2 = 10 (n = 2)", "10"),
    ("10 (4n+2, n = 2) electrons", "10"),
    ("42 g (n = 3)", "42"),
    # a bracket that goes on from what stands before it, or holds no equation
    ("5200 J (= 5.2 kJ)", "5.2"),
    *[
        (f"about 5 kJ ({word} Q = 5.2)", "5.2")
        for word in ("so", "thus", "hence", "therefore", "giving", "or", "that is")
    ],
    ("the mass (m = 5 g)", "5"),
    ("water H2O (M = 18)", "18"),
    ("3 (M = 5) = 7", "7"),
    ("x (in g) = 7", "7"),
    # conditions without brackets
    ("it is 4 based on n = 5", "4"),
    *[(f"4 {words} n = 5", "4") for words in ("from", "by", "via", "according to", "due to", "because", "at")],
    ("4, since n = 5", "4"),
    ("4. Check: n = 5", "4"),
    ("k at T = 300", "300"),
    ("4 with n = 5 = 6", "6"),
]


@pytest.mark.parametrize(("text", "value"), RESULTS)
def test_the_result_counts_and_not_what_explains_it(text: str, value: str) -> None:
    for said in (f"[ANSWER]{text}[/ANSWER]", f"The answer is {text}"):
        assert read_answer(text=said, asked=Asked(Kind.NUMBER)).number == Decimal(value)


def test_a_bracket_that_says_it_again_counts() -> None:
    assert read_answer(text="[ANSWER]5 kJ (i.e. Q = 5.2)[/ANSWER]", asked=Asked(Kind.NUMBER)).number == Decimal("5.2")


SEVERAL = [
    "10, n = 2",
    "10; and n = 2",
    "between 2 and 3 (n = 1)",
    "10 = 4n+2 (n = 2)",
    "10 with 4n+2 electrons, n = 2",
    "5 L at T = 300 K and P = 1 atm",
    "x = 5, y = 6 (n = 1)",
]


@pytest.mark.parametrize("text", SEVERAL)
def test_of_several_numbers_none_is_taken(text: str) -> None:
    reading = read_answer(text=f"[ANSWER]{text}[/ANSWER]", asked=Asked(Kind.NUMBER))
    assert (reading.number, reading.notes) == (None, ("several-numbers",))


def test_what_follows_a_bracket_stays_with_its_number() -> None:
    assert read_answer(text="500 (n = 3) mg", asked=Asked(Kind.NUMBER, unit="g")).number == Decimal("0.5")
    assert read_number("x != 5 (n = 3)") == Unread("What stands before a bracket is not one number.", "several-numbers")


POWERS_OF_E = [
    ("2e^-3", "0.002"),
    ("2e^-3 g", "0.002"),
    ("1e^-3", "0.001"),
    ("9.9e^{-3}", "0.0099"),
    ("-2e^-3", "-0.002"),
    ("100e^-2", None),
    ("10e^-2", None),
    ("10.5e^2", None),
    ("0.5e^-2", None),
    ("N = 100e^{-2}", None),
    ("3e^2", None),
]


@pytest.mark.parametrize(("text", "value"), POWERS_OF_E)
def test_a_power_of_e_is_one_of_ten_only_where_it_is_written_like_one(text: str, value: str | None) -> None:
    for said in (text, rf"\boxed{{{text}}}"):
        reading = read_answer(text=said, asked=Asked(Kind.NUMBER, unit="g"))
        assert reading.number == (None if value is None else Decimal(value))
        assert reading.notes == (("expression",) if value is None else ("doubtful-power",))
