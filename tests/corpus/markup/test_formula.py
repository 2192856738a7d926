import time
from pathlib import Path
from threading import Thread

import pytest

from corpus.markup import katex
from corpus.markup.formula import formula_html
from corpus.markup.katex import FormulaError, FormulaLimitError, KatexMissingError, katex_source, typeset
from corpus.markup.segments import parse


def html_of(source: str) -> str:
    (segment,) = parse(source)
    return formula_html(segment)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        # RD-12: the MathML carries the arrow a screen reader says, the picture the same.
        (r"\ce{A <=> B}", ["⇌"]),
        (r"\ce{A ->[H+][\Delta] B}", ["→", "H", "Δ"]),
        (r"\ce{A <=>> B}", ["⇌"]),
        (r"\ce{A <- B}", ["←"]),
        (r"\ce{AgCl v}", ["↓"]),
        (r"\ce{SO4^2- + Ba^2+ -> BaSO4 v}", ["↓", "→"]),
        (r"\ce{^{14}_{6}C}", ["14", "6"]),
        # RD-14
        (r"\pu{123 kJ//mol}", ["mfrac", "kJ", "mol"]),
        (r"\pu{1.2E3 J*s}", ["×", "10"]),
        (r"\pu{21.4 g cm-3}", ["−", "3"]),
        (r"\pu{273 K}", ["273", "K"]),
        # chemists' habits
        (r"\pu{25 %}", ["25", "%"]),
        (r"\pu{25 \%}", ["25", "%"]),
        (r"\pu{3.63 \A}", ["3.63", "˚"]),
        (r"\pu{20 \degree C}", ["°"]),
        (r"\pu{20 °C}", ["20"]),
        (r"\pu{5 µm}", ["µ"]),
        (r"$50 % + 1$", ["50", "%", "1"]),
    ],
)
def test_chemists_input_is_typeset(source: str, shown: list[str]) -> None:
    html = html_of(source)
    body = html.replace(html[html.index("<annotation") : html.index("</annotation>")], "")

    assert "<math" in body
    assert all(text in body for text in shown)
    assert "\\" not in body
    assert "katex-error" not in html
    assert "#cc0000" not in html


def test_rd_12_left_and_right_are_not_swapped() -> None:
    assert "←" not in html_of(r"\ce{A -> B}")
    assert "→" not in html_of(r"\ce{A <- B}")
    assert html_of(r"\ce{A <=>> B}") != html_of(r"\ce{A <<=> B}")


def test_rd_14_units_are_upright_and_exponents_raised() -> None:
    html = html_of(r"\pu{21.4 g cm-3}")

    assert "mathrm" in html
    assert "msupsub" in html
    assert "mathnormal" not in html


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (r"$\foo$", r"Undefined control sequence: \foo"),
        (r"$\frac{1}$", "Unexpected end of input"),
        (r"$\rho}$", "unbalanced braces"),
        ("$\frac{a}{b}$", "control character"),
        (r"$\href{javascript:alert(1)}{x}$", "not allowed"),
        (r"$\htmlClass{a}{x}$", "not allowed"),
        ("$" + "x" * 2_001 + "$", "longer than"),
        (r"$\def\a{\a\a}\a$", "Too many expansions"),
    ],
)
def test_what_cannot_be_typeset_says_why(source: str, message: str) -> None:
    with pytest.raises(FormulaError, match=message.replace("\\", r"\\")):
        html_of(source)


def test_a_formula_that_takes_too_long_is_stopped_and_the_next_one_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(katex, "MAX_FORMULA_LENGTH", 1_000_000)
    monkeypatch.setattr(katex, "TIME_LIMIT_SECONDS", 1)
    monkeypatch.setattr(katex, "_engine", katex._Engine())
    started = time.monotonic()

    with pytest.raises(FormulaLimitError, match="too long"):
        typeset(r"\ce{" + "a" * 60_000 + "}")

    assert time.monotonic() - started < 20
    assert "<math" in typeset("x")


def test_macros_of_one_formula_do_not_reach_the_next() -> None:
    typeset(r"\gdef\mine{x}\mine")

    with pytest.raises(FormulaError, match="Undefined"):
        typeset(r"\mine")


def test_each_thread_typesets() -> None:
    results: list[str] = []
    threads = [Thread(target=lambda: results.append(typeset(r"\ce{H2O}"))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert results == [typeset(r"\ce{H2O}")] * 3


def test_missing_katex_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(KatexMissingError, match="npm ci"):
        katex_source(tmp_path)
