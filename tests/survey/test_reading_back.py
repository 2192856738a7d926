"""Which number a person is told was read."""

from decimal import Decimal

import pytest

from survey.reading_back import number_choices, shown_number


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        ("4.15E-21", "4.15 × 10⁻²¹"),
        ("12500", "12500"),
        ("-0.6", "−0.6"),
        ("-4.0E+30", "−4.0 × 10³⁰"),
        ("0.0001", "0.0001"),
        ("0.00001", "1 × 10⁻⁵"),
        ("0", "0"),
        ("6.02E+23", "6.02 × 10²³"),
        ("9999999", "9999999"),
        ("10000000", "1.0000000 × 10⁷"),
    ],
)
def test_number_is_shown_as_people_write_it(number: str, shown: str) -> None:
    assert shown_number(Decimal(number)) == shown


@pytest.mark.parametrize(
    ("typed", "numbers"),
    [
        ("4.15×10^-21", ["4.15E-21"]),
        ("12,5", ["12.5"]),
        ("1,234", ["1234", "1.234"]),
        ("22,800", ["22800", "22.800"]),
        ("1,234,567", ["1234567"]),
        ("1,234.5", ["1234.5"]),
        ("0,082", ["0.082"]),
        ("asdf", []),
        ("no idea", []),
        ("   ", []),
    ],
)
def test_every_number_that_may_be_meant_is_offered(typed: str, numbers: list[str]) -> None:
    assert [choice.value for choice in number_choices(typed)] == numbers


def test_unit_is_read_back_with_the_number() -> None:
    assert number_choices("2.30 mmol")[0].shown == "2.30 mmol"


def test_stored_text_of_each_choice_reads_as_its_number() -> None:
    for choice in number_choices("1,234"):
        assert number_choices(choice.text)[0].number == choice.number
