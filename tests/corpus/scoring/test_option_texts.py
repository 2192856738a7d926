"""Options recognised by their text: other spellings of it, parts of it, amounts."""

import pytest

from corpus.scoring.choices import ChoiceRead, read_choice
from corpus.scoring.types import ShownOption

SIGNS = (r"$\ce{CO2}$", r"$\ce{SO4^{2-}}$", "10 °C", "A = 1", "BD")
COUNTS = ("12 signals", "2 signals", "7", "1.5", "1:1", "not 9")
CHANGES = ("increases", "decreases", "does not change", "is not soluble in water", "no reaction at all")

WRITTEN = [
    *[(text, SIGNS, "A") for text in ("CO₂", "CO2", r"\ce{CO2}", "A. CO₂", "𝐀")],
    *[(text, SIGNS, "B") for text in ("SO₄²⁻", "SO4^2-", "B) SO₄²⁻", "𝖡")],
    *[(text, SIGNS, "C") for text in ("10°C", "10 °C", r"10\,^\circ\text{C}")],
    *[(text, SIGNS, "D") for text in ("A = 1", "A=1", "A =1")],
    *[(text, COUNTS, "A") for text in ("12", "12 signals")],
    *[(text, COUNTS, "C") for text in ("7", "7 signals", "7 different signals")],
    ("1.5 mol", COUNTS, "D"),
    ("12 peaks", COUNTS, None),
    ("1 signal", COUNTS, None),
    ("1 and 7", COUNTS, None),
    ("9", COUNTS, None),
    # a part must not drop a denial
    ("change", CHANGES, None),
    ("soluble in water", CHANGES, None),
    ("reaction", CHANGES, None),
    ("increases, change", CHANGES, None),
    ("does not change", CHANGES, "C"),
    ("not change", CHANGES, "C"),
    ("not soluble", CHANGES, "D"),
    ("no reaction", CHANGES, "E"),
]


@pytest.mark.parametrize(("text", "texts", "expected"), WRITTEN)
def test_texts(text: str, texts: tuple[str, ...], expected: str | None) -> None:
    options = tuple(ShownOption("ABCDEF"[i], str(i), option) for i, option in enumerate(texts))
    read = read_choice(text, options)
    letters = "".join(options[i].letter for i in read.positions) if isinstance(read, ChoiceRead) else None
    assert letters == expected


def test_texts_that_differ_in_spaces_alone() -> None:
    options = (ShownOption("A", "a", "1 2"), ShownOption("B", "b", "12"), ShownOption("C", "c", "1  2 3"))
    assert read_choice("12", options) == ChoiceRead((1,), ("by-text",))
    assert read_choice("1 2", options) == ChoiceRead((0,), ("by-text",))
    assert read_choice("1 23", options) == ChoiceRead((2,), ("by-text",))
