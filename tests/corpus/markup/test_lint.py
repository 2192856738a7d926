import json

import pytest

from corpus.markup.lint import lint_markup


def codes(source: str) -> list[str]:
    return [finding.code for finding in lint_markup(source)]


@pytest.mark.parametrize(
    "source",
    [
        r"Heat [START_SMILES]CCO[END_SMILES] in \ce{H2O} at \pu{25 %}, $\Delta H$, for \$2 or $5 {sic}.",
        "[START_RXNSMILES]CCO>>[END_RXNSMILES]",
        "It costs $5 and later $10.",
        "two\nlines\tand [brackets]",
        "[START_SMILES]" + "C" * 400 + "[END_SMILES]",
        "",
    ],
)
def test_sound_markup_has_no_finding(source: str) -> None:
    assert codes(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"\ce{Cr^{+3}", ["braces-unbalanced"]),
        (r"\ce[PMe3}", ["braces-unbalanced"]),
        (r"$\rho}$", ["braces-unbalanced"]),
        (r"\ce{Li}}", ["braces-unbalanced"]),
        ("{ \\ce{A} }", []),
        ("a \x07 b", ["control-character"]),
        ("[END_RXNSMILES]CC>>CO[END_RXMSMILES]", ["markup-tag", "markup-tag"]),
        ("[SMILES]CC[/SMILES]", ["markup-tag", "markup-tag"]),
        ("[START_SMILES]C1CC[END_SMILES]", ["smiles-invalid"]),
        ("[START_SMILES][END_SMILES]", ["smiles-invalid"]),
        ("[START_RXNSMILES]>>[END_RXNSMILES]", ["reaction-invalid"]),
        ("[START_RXNSMILES]CCO>C1CC[END_RXNSMILES]", ["reaction-invalid"]),
        (r"$\foo$", ["formula-invalid"]),
        (r"the rate \frac{1}{2}", ["macro-outside-math"]),
    ],
)
def test_codes(source: str, expected: list[str]) -> None:
    assert codes(source) == expected


@pytest.mark.parametrize(
    ("json_text", "name", "meant"),
    [
        (r'"$\frac{a}{b}$"', "form feed", r"\frac"),
        (r'"at $\beta_1$"', "backspace", r"\beta"),
        (r'"$a\times b$"', "tab", r"\times"),
        (r'"$\rho$"', "carriage return", r"\rho"),
        (r'"$\nu$"', "line feed", r"\nu"),
        (r'"V_\text{max} of"', "tab", r"\text"),
    ],
)
def test_rd_16_the_message_names_what_was_meant_and_how_to_write_it(json_text: str, name: str, meant: str) -> None:
    (finding,) = lint_markup(json.loads(json_text))

    assert finding.code == "control-character"
    assert name in finding.message
    assert f'"\\{meant}"' in finding.message
    assert meant in finding.excerpt


def test_rd_11_the_tag_is_named() -> None:
    (finding,) = lint_markup("CC[END_RXMSMILES]")

    assert "[END_RXMSMILES]" in finding.message
    assert "[END_RXNSMILES]" in finding.message


def test_formula_findings_carry_the_message_of_katex() -> None:
    (finding,) = lint_markup(r"$\foo$")

    assert finding.message == r"Undefined control sequence: \foo"
    assert finding.excerpt == r"$\foo$"


def test_excerpts_are_short() -> None:
    (finding,) = lint_markup("[START_SMILES]" + "(" * 500 + "[END_SMILES]")

    assert len(finding.excerpt) <= 80
