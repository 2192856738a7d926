"""Text that was made to be slow: it is read in one pass, typeset up to a limit, and the rest is shown as written."""

import time

import pytest
from django.core.cache import caches

from corpus.markup import html
from corpus.markup.html import CACHE_ALIAS, FORMULAS_PER_TEXT, render_html
from corpus.markup.segments import MARKUP_PER_TEXT, Broken, parse
from corpus.markup.text import render_text

HOSTILE = {
    "never closed": r"\ce{" * 25_000,
    "dollars": "$" * 100_001,
    "dollars apart": "$ " * 50_000,
    "dollars in groups": r"$\text{" * 10_000 + "}" * 10_000 + "$ ",
    "round": r"\(" * 50_000,
    "round, empty line": r"\(" * 50_000 + "\n\n" + r"\)",
    "a long price": "$1 " + "a" * 100_000 + "=$",
    "tags": "[START_SMILES]" * 7_000,
    "no brace": r"\pu " * 25_000,
    "braces": "{" * 100_000 + "$}$",
}


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    caches[CACHE_ALIAS].clear()


@pytest.mark.parametrize("name", HOSTILE)
def test_reading_takes_no_longer_than_the_text_is_long(name: str) -> None:
    source = HOSTILE[name]
    started = time.process_time()
    segments = parse(source)
    taken = time.process_time() - started
    assert "".join(segment.source for segment in segments) == source
    # A pass takes hundredths of a second; what reads a text anew at every sign of it takes many seconds.
    assert taken < 2


def test_after_the_last_piece_allowed_the_rest_is_as_written() -> None:
    source = "a $x$ " * (MARKUP_PER_TEXT + 2)
    *_, last = parse(source)
    assert isinstance(last, Broken)
    assert last.source == "$x$ a $x$ "
    assert render_text(source, "plain").endswith("a x a $x$ a $x$ ")


def test_formulas_over_the_limit_are_shown_as_written_with_a_note() -> None:
    shown = render_html("$x$ " * (FORMULAS_PER_TEXT + 2))
    assert shown.count('class="katex"') == FORMULAS_PER_TEXT
    assert shown.count('<code class="markup-source">$x$</code>') == 2
    assert shown.count(f"at most {FORMULAS_PER_TEXT} formulas") == 2


def test_drawings_over_the_limit_are_shown_as_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "FORMULAS_PER_TEXT", 2)
    shown = render_html("[START_SMILES]CC[END_SMILES]" * 3)
    assert shown.count("<svg") == 2
    assert shown.count("not drawn: a text has at most 2") == 1


def test_a_text_that_takes_too_long_is_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "SECONDS_PER_TEXT", 0.0)
    assert "takes too long to typeset" in render_html("$x$")


def test_what_was_cut_short_is_not_kept_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "SECONDS_PER_TEXT", 0.0)
    kept = []
    monkeypatch.setattr(caches[CACHE_ALIAS], "set", lambda key, value, timeout: kept.append(timeout))
    render_html("$x$")
    assert kept
    assert kept[0] is not None


def test_invisible_characters_of_ordinary_text_are_made_visible() -> None:
    shown = render_html("a \x07lpha \x1b[31m of \x00 text")
    assert not any(character in shown for character in "\x00\x07\x1b")
    assert "lpha" in shown


@pytest.mark.parametrize("source", ["5 $ and 10 $.", "It costs 5 $ here, 10 $ there."])
def test_dollars_behind_amounts_are_money(source: str) -> None:
    (segment,) = parse(source)
    assert segment.source == source
