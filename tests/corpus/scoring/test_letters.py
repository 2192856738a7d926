"""Option letters."""

import pytest

from corpus.scoring.letters import letter_index, option_letter


@pytest.mark.parametrize(
    ("index", "letter"), [(0, "A"), (1, "B"), (25, "Z"), (26, "AA"), (27, "AB"), (51, "AZ"), (52, "BA"), (701, "ZZ")]
)
def test_letter_and_index_are_inverse(index: int, letter: str) -> None:
    assert option_letter(index) == letter
    assert letter_index(letter) == index


def test_index_reads_lower_case() -> None:
    assert letter_index("ab") == 27


def test_negative_index_is_refused() -> None:
    with pytest.raises(ValueError, match="starts at 0"):
        option_letter(-1)


@pytest.mark.parametrize("letter", ["", "1", "A1", "É", " A"])
def test_what_is_no_letter_is_refused(letter: str) -> None:
    with pytest.raises(ValueError, match="A to Z"):
        letter_index(letter)
