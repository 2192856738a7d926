"""Numbers that mean something else than their first digits, and more spellings of plain ones."""

from decimal import Decimal

import pytest

from corpus.scoring.reading import read_answer, read_typed_number
from corpus.scoring.types import Asked, Kind

READ = [
    # a comma of one digit before a power of ten
    ("6,022e23", "6.022E23", ("decimal-comma", "ambiguous-separator")),
    ("6,022 × 10^23", "6.022E23", ("decimal-comma", "ambiguous-separator")),
    (r"6,022 \times 10^{23}", "6.022E23", ("decimal-comma", "ambiguous-separator")),
    ("6,022", "6022", ("ambiguous-separator",)),
    ("12,500e3", "12500E3", ("ambiguous-separator",)),
    ("1,234,567e3", "1234567E3", ()),
    # more spellings
    (r"\num{4.15e-21}", "4.15E-21", ()),
    (r"\SI{4.15e-21}{\joule}", "4.15E-21", ()),
    (r"\qty{4.15e-21}{J}", "4.15E-21", ("unit-undeclared",)),
    ("4.15 times 10 to the power of -21", "4.15E-21", ()),
    ("4.15 times 10 to the -21", "4.15E-21", ()),
    ("4.15 multiplied by 10^-21", "4.15E-21", ()),
    ("22 800,5", "22800.5", ("decimal-comma",)),
    ("1 234 567,89", "1234567.89", ("decimal-comma",)),
    ("12,5±0,3", "12.5", ("decimal-comma", "uncertainty")),
    ("12.5 (±0.3)", "12.5", ("uncertainty",)),
    ("12.5 (± 0.3) g", "12.5", ("uncertainty", "unit-undeclared")),
    (r"\frac12", "0.5", ("fraction",)),
    (r"\frac{1}{2}", "0.5", ("fraction",)),
    ("4-", "-4", ("trailing-sign",)),
    ("1.85 D", "1.85", ("unit-undeclared",)),
    ("-0.6 Dq", "-0.6", ("unit-undeclared",)),
    ("10e-", "10", ()),
    ("300 K", "300", ("unit-undeclared",)),
    ("5 mol/h", "5", ("unit-undeclared",)),
    ("0.05 d-1", "0.05", ()),
    ("2 h", "2", ("unit-undeclared",)),
    ("2 nF", "2", ()),
    ("0.5 T", "0.5", ()),
    ("2 halogens", "2", ()),
    ("3 Fe", "3", ()),
    # a function of a quantity on the left side
    ("log K = 5", "5", ("transformed",)),
    (r"$\ln k = 5$", "5", ("transformed",)),
    ("1/T = 5", "5", ("transformed",)),
    ("r^2 = 5", "5", ("transformed",)),
    ("pH = -log(0.001) = 3", "3", ()),
    ("n = m/M = 3", "3", ()),
    ("catalog = 3", "3", ()),
    ("2/3 ≈ 0.67", "0.67", ()),
]


@pytest.mark.parametrize(("text", "value", "notes"), READ)
def test_read(text: str, value: str, notes: tuple[str, ...]) -> None:
    reading = read_typed_number(text)
    assert (reading.number, reading.notes) == (Decimal(value), notes)


EXPRESSIONS = ["2**10", "2^10", "4.15D-21", "3d5", "1e", "1E", "3.5-", "5 divided by two", "5 times ten", "5 log two"]
EXPRESSIONS += [
    "5 and a half",
    "5 and one half",
    "5 halves",
    "3 quarters",
    "5 plus two",
    "1.5 RT",
    "1.5RT",
    "3 R",
    "2 kT",
]
EXPRESSIONS += ["2h/m", "3 k_B T", "3 N_A", "1.5 x 10e-3"]


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_expressions_are_not_cut(text: str) -> None:
    assert read_typed_number(text).notes == ("expression",)
    assert read_answer(text=f"[ANSWER]{text}[/ANSWER]", asked=Asked(Kind.NUMBER)).notes == ("expression",)


SEVERAL = ["1. 12", "4.\n5", "5\n6", "x=5, y=6", "x = 5 and y = 6", "a = 5; b = 6; c = 7"]


@pytest.mark.parametrize("text", SEVERAL)
def test_several_numbers(text: str) -> None:
    assert read_answer(text=f"[ANSWER]{text}[/ANSWER]", asked=Asked(Kind.NUMBER)).notes == ("several-numbers",)


ONE = [
    ("42. It follows", "42"),
    ("42 g. It follows from 2 equations", "42"),
    ("42 g\nby adding", "42"),
    ("m = 3, n = 5, so x = m + n = 8", "8"),
    ("V = 2 L,\n so n = 8", "8"),
]


@pytest.mark.parametrize(("text", "value"), ONE)
def test_one_number_and_an_explanation(text: str, value: str) -> None:
    assert read_answer(text=f"[ANSWER]{text}[/ANSWER]", asked=Asked(Kind.NUMBER)).number == Decimal(value)
