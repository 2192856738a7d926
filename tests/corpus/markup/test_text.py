import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.markup.text import TextStyle, UnknownTextStyleError, render_plain, render_text, text_styles
from corpus.markup.unicode_macros import plain_formula
from tests.corpus.markup.test_segments import markup_text

QUESTION = r"Heat [START_SMILES]CCO[END_SMILES] in \ce{H2O} at \pu{25 \degree C}, $\Delta H$, for \$2."


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("tags-latex", QUESTION),
        ("plain-latex", r"Heat CCO in \ce{H2O} at \pu{25 \degree C}, $\Delta H$, for \$2."),
        ("tags-plain", "Heat [START_SMILES]CCO[END_SMILES] in H2O at 25 °C, ΔH, for $2."),
        ("plain", "Heat CCO in H2O at 25 °C, ΔH, for $2."),
    ],
)
def test_styles(style: TextStyle, expected: str) -> None:
    assert render_text(QUESTION, style) == expected


def test_the_styles_are_listed() -> None:
    assert text_styles() == ("tags-latex", "plain-latex", "tags-plain", "plain")


def test_an_unknown_style_is_refused_with_the_names() -> None:
    with pytest.raises(UnknownTextStyleError, match="tags-latex"):
        render_text("x", "fancy")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("tex", "plain"),
    [
        (r"\Delta H", "ΔH"),
        (r"a \cdot b", "a · b"),
        (r"25^\circ", "25°"),
        (r"25^{\circ}C", "25°C"),
        (r"T_\mathrm{melt}", "T_{melt}"),
        (r"\mathrm{pH}", "pH"),
        (r"\frac{1}{2}", "1/2"),
        (r"\frac{n R T_\mathrm{m}^2}{\Delta H}", "(n R T_m^2)/(ΔH)"),
        (r"\sqrt{2x}", "√(2x)"),
        (r"\pm 3 \%", "± 3 %"),
        (r"\ln x", "ln x"),
        (r"3.63 \A", "3.63 Å"),
        (r"\xrightarrow{H+}", r"\xrightarrow{H+}"),
        (r"\leftarrow", "←"),
    ],
)
def test_plain_formula(tex: str, plain: str) -> None:
    assert plain_formula(tex) == plain


@pytest.mark.parametrize("style", text_styles())
def test_rd_16_no_invisible_character_reaches_a_model(style: TextStyle) -> None:
    damaged = json.loads(r'"$\frac{a}{b}$, \beta, $\nu$"')
    text = render_text(damaged, style)

    assert not any(ord(character) < 32 for character in text)
    assert ("a/b" in text) if style.endswith("plain") else (r"\frac{a}{b}" in text)


@pytest.mark.parametrize("style", text_styles())
def test_rd_11_broken_markup_stays_as_written(style: TextStyle) -> None:
    source = "[END_RXNSMILES]CC>>CO[END_RXMSMILES]?"

    assert render_text(source, style) == source


def test_titles_are_one_line() -> None:
    assert render_plain("Heat\n\n  [START_SMILES]CCO[END_SMILES]\tin \\ce{H2O} ") == "Heat CCO in H2O"


@given(st.one_of(markup_text, st.text(alphabet=st.characters(codec=None), max_size=60)), st.sampled_from(text_styles()))
def test_no_input_raises(source: str, style: TextStyle) -> None:
    text = render_text(source, style)

    text.encode("utf-8")
    assert "\n" not in render_plain(source)
