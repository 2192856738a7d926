"""Texts without their markup."""

import pytest

from corpus.scoring.plain import closing_brace, plain_text

CASES = [
    ("plain", "plain"),
    ("  two   spaces ", "two spaces"),
    (r"\ce{H2O}", "H2O"),
    (r"\ce{Fe^{3+}}", "Fe^{3+}"),
    (r"\ce{\pu{1 g}}", "1 g"),
    (r"\text{a{2}b}c", "a{2}bc"),
    (r"a \ce{CO2} and \ce{Ca^{2+}} b", "a CO2 and Ca^{2+} b"),
    (r"\pu{25 %}", "25 %"),
    (r"$x$ and \(y\)", "x and y"),
    (r"\text{a}\mathrm{b}", "ab"),
    (r"12\,500", "12 500"),
    (r"50\%", "50%"),
    ("[START_SMILES]CCO[END_SMILES]", "CCO"),
    ("[SMILES]CCO[/SMILES]", "CCO"),
    ("[START_RXNSMILES]A>>B[END_RXNSMILES]", "A>>B"),
    ("C[C@H](O)N", "C[C@H](O)N"),
    (r"\ce{unclosed", "unclosed"),
]


@pytest.mark.parametrize(("markup", "plain"), CASES)
def test_plain_text(markup: str, plain: str) -> None:
    assert plain_text(markup) == plain


def test_closing_brace() -> None:
    assert closing_brace("{a{b}c}d", 1) == 6
    assert closing_brace("{a{b}c", 1) == 6
    assert closing_brace("{abcdef}", 1, limit=3) == 4
