import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.core.cache import caches
from django.utils.safestring import SafeString
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpus.markup import katex
from corpus.markup.html import CACHE_ALIAS, render_html
from tests.corpus.markup.test_segments import markup_text

SAFE_TAG_NAMES = (
    "div p span br figure figcaption code small svg g path ellipse title desc "
    "math semantics annotation mrow mi mo mn mtext mspace msub msup msubsup mfrac msqrt mroot mover munder "
    "munderover mstyle mpadded mtable mtr mtd mphantom menclose line"
)
SAFE_TAGS = set(SAFE_TAG_NAMES.split())


class Tags(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    handle_startendtag = handle_starttag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    caches[CACHE_ALIAS].clear()


def test_text_is_escaped_and_lines_are_kept() -> None:
    html = render_html("if x<y & z\nsecond line\n\nnew paragraph")

    assert isinstance(html, SafeString)
    assert html == (
        '<div class="markup"><p class="markup-paragraph">if x&lt;y &amp; z<br>second line</p>'
        '<p class="markup-paragraph">new paragraph</p></div>'
    )


@pytest.mark.parametrize(
    "source",
    [
        # RD-18
        "<img src=x onerror=alert(1)>",
        "$<img src=x onerror=alert(1)>%$",
        r"\href{javascript:alert(1)}{x}",
        r"$\href{javascript:alert(1)}{x}$",
        "if x<y and y>z",
        r"\ce{<script>alert(1)</script>}",
        r"\pu{<b onclick=x>}",
        '[START_SMILES]"><script>alert(1)</script>[END_SMILES]',
        "[START_RXNSMILES]<script>>><b>[END_RXNSMILES]",
        r"\ce{<script>",
        r"$\htmlStyle{color:red}{x}$ $\includegraphics{http://x/y}$",
    ],
)
@pytest.mark.parametrize("inline", [True, False])
def test_rd_18_nothing_of_a_question_runs(source: str, inline: bool) -> None:
    page = Tags(render_html(source, place='"><script>', inline=inline))

    assert set(page.tags) <= SAFE_TAGS
    assert not [name for name, _value in page.attributes if name.startswith("on") or name in {"href", "src"}]
    assert "javascript" not in "".join(value for _name, value in page.attributes)


def test_rd_18_comparison_signs_stay() -> None:
    assert Tags(render_html("if x<y and y>z")).text == "if x<y and y>z"


def test_a_molecule_is_drawn_with_its_smiles_beside_it() -> None:
    html = render_html("What is [START_SMILES]CC(=O)O[END_SMILES]?", place="stem")

    assert '<figure class="molecule">' in html
    assert '<code class="smiles">CC(=O)O</code>' in html
    assert 'role="img" aria-labelledby="stem-1-title" aria-describedby="stem-1-desc"' in html
    assert '<title id="stem-1-title">Structure CC(=O)O</title>' in html
    assert "C2H4O2" not in html, "a formula in the title could give an answer away"


def test_ids_are_unique_per_place_and_the_cache_keeps_that() -> None:
    source = "[START_SMILES]C[END_SMILES][START_SMILES]CC[END_SMILES]"
    both = render_html(source, place="one") + render_html(source, place="two")
    ids = re.findall(r' id="([^"]+)"', both)

    assert len(ids) == len(set(ids)) == 8
    assert set(re.findall(r'aria-labelledby="([^"]+)"', both)) <= set(ids)


def test_inline_uses_phrasing_elements_only() -> None:
    page = Tags(render_html("a\n\n[START_SMILES]CC[END_SMILES] \\ce{H2O}", inline=True))

    assert not {"div", "p", "figure", "figcaption"} & set(page.tags)
    assert "br" in page.tags
    assert ("role", "figure") in page.attributes


@pytest.mark.parametrize("smiles", ["C1CC", "c1ccc", "C(C)(C)(C)(C)C", "", "   "])
def test_rd_06_an_invalid_smiles_is_shown_in_place_with_a_note(smiles: str) -> None:
    page = Tags(render_html(f"before [START_SMILES]{smiles}[END_SMILES] after"))

    assert "svg" not in page.tags
    assert page.text.startswith("before ")
    assert page.text.endswith(" after")
    assert smiles.strip() in page.text
    assert ("class", "markup-note") in page.attributes


def test_rd_08_above_the_limit_only_text_is_shown() -> None:
    smiles = "C" * 301
    page = Tags(render_html(f"[START_SMILES]{smiles}[END_SMILES]"))

    assert "svg" not in page.tags
    assert smiles in page.text
    assert "more than 300 atoms" in page.text


def test_rd_09_agents_stand_over_the_arrow() -> None:
    html = render_html("[START_RXNSMILES]CCO.CC(=O)O>OS(=O)(=O)O>CCOC(C)=O.O[END_RXNSMILES]")
    step = html[html.index('class="reaction-step"') : html.index('class="reaction-arrow"')]

    assert html.count("molecule-drawing") == 5
    assert "Structure OS(=O)(=O)O" in step
    assert step.count("molecule-drawing") == 1
    assert html.count("reaction-plus") == 2
    assert '<code class="smiles">CCO.CC(=O)O&gt;OS(=O)(=O)O&gt;CCOC(C)=O.O</code>' in html


def test_rd_09_empty_sides_are_said() -> None:
    assert "no product given" in render_html("[START_RXNSMILES]CCO>>[END_RXNSMILES]")
    assert "no reactant given" in render_html("[START_RXNSMILES]>>CCO[END_RXNSMILES]")
    assert "not drawn: the reaction has no molecules" in render_html("[START_RXNSMILES]>>[END_RXNSMILES]")


def test_rd_01_isomers_differ_as_products_too() -> None:
    def drawing(product: str) -> str:
        html = render_html(f"[START_RXNSMILES]C>>{product}[END_RXNSMILES]", place="p")
        return html[html.index("reaction-arrow") : html.index("figcaption")].split("<g ")[-1]

    assert drawing(r"C/C=C\Br") != drawing("C/C=C/Br")


def test_rd_11_broken_tags_are_shown_and_swallow_nothing() -> None:
    page = Tags(render_html("Which reagent: [END_RXNSMILES]CC>>CO[END_RXMSMILES]?"))

    assert re.sub(r" \([^)]*\)", "", page.text) == "Which reagent: [END_RXNSMILES]CC>>CO[END_RXMSMILES]?"


def test_rd_16_damaged_formulas_are_shown_as_they_were_meant() -> None:
    html = render_html("$\frac{a}{b}$ and $\\beta$")

    assert '<code class="markup-source">$\\frac{a}{b}$</code>' in html
    assert "\f" not in html
    assert "\u03b2" in html


def test_a_formula_stays_with_its_punctuation() -> None:
    html = render_html(r"Is it (\ce{A})?")

    assert '<span class="formula-glue">(<span class="formula">' in html
    assert Tags(re.sub(r"<math.*?</math>", "", html)).text == "Is it (A)?"


def test_a_formula_in_a_label_is_named_in_plain_characters() -> None:
    inline, block = render_html(r"$\Delta H$", inline=True), render_html(r"$\Delta H$")

    assert '<span class="formula" role="math" aria-label="ΔH">' in inline
    assert "aria-label" not in block


def test_wide_drawings_can_be_scrolled_by_keyboard_but_never_take_the_click_of_a_label() -> None:
    source = "[START_SMILES]" + "C" * 60 + "[END_SMILES] " + r"\ce{" + "A + " * 20 + "B}"

    assert render_html(source).count('tabindex="0"') == 2
    assert "tabindex" not in render_html(source, inline=True)
    assert "tabindex" not in render_html("[START_SMILES]CC[END_SMILES]")


def test_punctuation_between_two_formulas_is_shown_once() -> None:
    html = render_html(r"""\ce{A}."'(\ce{B})""")

    assert Tags(re.sub(r"<math.*?</math>", "", html)).text == """A."'(B)"""


def test_without_katex_the_source_is_shown_and_not_cached(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    read_source = katex.katex_source
    with monkeypatch.context() as patch:
        patch.setattr(katex, "_engine", katex._Engine())
        patch.setattr(katex, "katex_source", lambda: read_source(tmp_path))
        assert "npm ci" in render_html(r"\ce{H2O}")

    assert "<math" in render_html(r"\ce{H2O}")


def test_what_hit_a_limit_is_not_kept_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(_segment: object) -> str:
        raise katex.FormulaLimitError("too long")

    kept: list[int | None] = []
    monkeypatch.setattr("corpus.markup.html.formula_html", stopped)
    monkeypatch.setattr(caches[CACHE_ALIAS], "set", lambda _key, _html, timeout: kept.append(timeout))
    render_html(r"\ce{A}")
    render_html("text")

    assert kept[0]
    assert kept[1] is None


def test_rendered_markup_comes_from_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    first = render_html(r"\ce{H2O}", place="a")
    monkeypatch.setattr("corpus.markup.html.formula_html", lambda _segment: "drawn again")

    assert render_html(r"\ce{H2O}", place="a") == first
    assert "drawn again" in render_html(r"\ce{H2O}", place="a", inline=True)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(markup_text, st.text(alphabet=st.characters(codec=None), max_size=60)))
def test_no_input_raises_and_no_unsafe_element_comes_out(source: str) -> None:
    html = render_html(source)

    assert set(Tags(html).tags) <= SAFE_TAGS
    assert "\0" not in html
    html.encode("utf-8")
