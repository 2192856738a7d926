"""Words and signs that change the number before them: multiplied where plain, else not read; never dropped."""

from decimal import Decimal

import pytest

from corpus.scoring.numbers import parse_number, read_number
from corpus.scoring.reading import read_answer, read_typed_number
from corpus.scoring.types import Asked, Kind, ReadStatus, ShownOption, Unread

MULTIPLIED = [
    ("5 million", "5000000", ""),
    ("-3 Million", "-3000000", ""),
    ("3 thousand", "3000", ""),
    ("2 dozen", "24", ""),
    ("1.5 billion g/mol", "1.5E9", "g/mol"),
    ("5 hundred thousand", "500000", ""),
    ("4.15 . 10^-21", "4.15E-21", ""),
    ("_42_", "42", ""),
    (r"\boxed{42}", "42", ""),
    (r"$\boxed{4.15\times10^{-21}}$", "4.15E-21", ""),
]
NOT_READ = ["100k", "5 hundredths", "3 tenths", "3π", "2 pi", "5e3e2", "5 squared", "2 cubed", "5 factorial"]
UNITS_STAY = [("300 K", "K"), ("2.5 kg", "kg"), ("5 pint", "pint"), ("3 kJ/mol", "kJ/mol"), ("12 mmol", "mmol")]


@pytest.mark.parametrize(("text", "value", "unit"), MULTIPLIED)
def test_multipliers_count(text: str, value: str, unit: str) -> None:
    read = parse_number(text)
    assert read is not None
    assert (read.value, read.unit) == (Decimal(value), unit)


@pytest.mark.parametrize("text", NOT_READ)
def test_a_factor_that_is_no_plain_multiplier_is_not_dropped(text: str) -> None:
    assert isinstance(read_number(text), Unread)
    assert read_typed_number(text).status is ReadStatus.UNPARSED


@pytest.mark.parametrize(("text", "unit"), UNITS_STAY)
def test_units_that_begin_alike_stay_units(text: str, unit: str) -> None:
    read = parse_number(text)
    assert read is not None
    assert read.unit == unit


CHOICES = [
    (r"[ANSWER]\boxed{B}[/ANSWER]", ("water", "ethanol"), ("k1",)),
    (r"[ANSWER]\boxed{\text{B}}[/ANSWER]", ("water", "ethanol"), ("k1",)),
    ("[ANSWER]option P[/ANSWER]", ("option P", "option Q", "option R"), ("k0",)),
    ("[ANSWER]Option A[/ANSWER]", ("Option P", "Option A"), ()),
    ("[ANSWER]A and B[/ANSWER]", ("both", "neither", "A and B"), ()),
    ("[ANSWER]A and B[/ANSWER]", ("water", "ethanol", "methane"), ("k0", "k1")),
    ("A, C are the correct answers, as one can see.", ("water", "ethanol", "methane"), ("k0", "k2")),
    ("[ANSWER]A, C are correct[/ANSWER]", ("water", "ethanol", "methane"), ("k0", "k2")),
]


@pytest.mark.parametrize(("text", "options", "keys"), CHOICES)
def test_boxes_labels_and_texts_that_look_like_letters(
    text: str, options: tuple[str, ...], keys: tuple[str, ...]
) -> None:
    shown = tuple(ShownOption("ABC"[index], f"k{index}", option) for index, option in enumerate(options))
    assert read_answer(text=text, asked=Asked(kind=Kind.CHOICE, shown=shown)).option_keys == keys
