"""Words out of a text that stand for all of it, and pieces of a list or name that do not."""

import pytest

from corpus.scoring.pieces import is_piece

PIECES = [
    ("acetic acid", "acetic"),
    ("acetic acid.", "acetic"),
    ("methyl ethanoate: ester", "ethanoate"),
    ("halide X", "halide"),
    ("acetic acid, neat", "acetic acid"),
    # a piece of a word
    ("zincate", "zinc"),
    ("a zincate", "zinc"),
]
WHOLE = [
    ("24 K", "24"),
    ("Ethanol, because it is acidic", "Ethanol"),
    ("an Aldol condensation", "condensation"),
    ("high, because ethanol is", "high"),
]


@pytest.mark.parametrize(("whole", "part"), PIECES)
def test_pieces(whole: str, part: str) -> None:
    assert is_piece(whole, part)


@pytest.mark.parametrize(("whole", "part"), WHOLE)
def test_what_stands_for_the_whole(whole: str, part: str) -> None:
    assert not is_piece(whole, part)
