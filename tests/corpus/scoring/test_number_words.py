"""Words and labels behind a number that make no second number of it, and those that do."""

from decimal import Decimal

import pytest

from corpus.scoring.number_words import without_isotope, without_same_count
from corpus.scoring.numbers import parse_number

COUNTS = [
    *[(text, "3") for text in ("3 13C NMR signals", "three 13C NMR signals", "3 ¹³C signals", "three ¹³C peaks")],
    *[
        (text, "3")
        for text in ("3 $^{13}$C signals", "3 13C-NMR signals", "3 13C NMR", "3 119Sn signals", "3 195Pt lines")
    ],
    ("5 ¹H signals", "5"),
    ("5 1H environments", "5"),
    ("5 $^1$H NMR signals", "5"),
    ("12 500 Ag", "12500"),
    ("3 13C atoms", None),
    ("3 13 NMR signals", None),
    ("There are 6 unique carbon environments, so 6 signals.", "6"),
    ("6 environments, thus there are 6 signals", "6"),
    ("6 environments giving 6 signals", "6"),
    ("6 environments, hence we expect 6 signals", "6"),
    ("6 environments, so 5 signals", None),
    ("6 environments, so 6 or 7 signals", None),
    ("6 environments, so 6", None),
    ("500 mL of NaOH needed to neutralise the acid", "500"),
    ("500 mg of salt needed to reach saturation", "500"),
    ("500 mL to neutralise it", "500"),
    *[(f"5 signals up to {word}", None) for word in ("ten", "about ten", "several", "many", "infinity", "a few")],
    ("5 to ten", None),
    ("5 signals to tenable ends", "5"),
]


@pytest.mark.parametrize(("text", "value"), COUNTS)
def test_what_is_counted_is_no_second_number(text: str, value: str | None) -> None:
    read = parse_number(text)
    assert (None if read is None else read.value) == (None if value is None else Decimal(value))


def test_the_nucleus_is_left_out_only_at_the_head() -> None:
    assert without_isotope(" 13C NMR signals in 13C NMR signals") == " signals in 13C NMR signals"
    assert without_isotope(" signals of 13C NMR signals") == " signals of 13C NMR signals"


def test_the_same_count_is_left_out_and_another_stays() -> None:
    assert without_same_count(" carbons, so 6 signals", Decimal(6)) == " carbons signals"
    assert without_same_count(" carbons, so 5 signals", Decimal(6)) == " carbons, so 5 signals"
