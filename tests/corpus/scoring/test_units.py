"""Units that differ from the one asked for."""

from decimal import Decimal

import pytest

from corpus.scoring.units import UNIT_CONVERTED, UNIT_DIFFERS, in_asked_unit

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
    ("5", "furlong", "m", "5", UNIT_DIFFERS),
    ("5", "Furlong", "furlong", "5", ""),
    ("5", "g/mol", "g", "5", UNIT_DIFFERS),
    ("5", "g?", "g", "5", UNIT_DIFFERS),
    ("5", "g ?mol", "g", "5", UNIT_DIFFERS),
    ("5", "J/(mol K)", "J mol^-1 K^-1", "5", ""),
    ("5", "min", "h", "5", UNIT_DIFFERS),
]


@pytest.mark.parametrize(("value", "unit", "asked", "converted", "note"), CASES)
def test_in_asked_unit(value: str, unit: str, asked: str, converted: str, note: str) -> None:
    assert in_asked_unit(value=Decimal(value), unit=unit, asked_unit=asked) == (Decimal(converted), note)
