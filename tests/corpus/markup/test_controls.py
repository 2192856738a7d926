import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.markup.controls import find_controls, make_visible


@pytest.mark.parametrize(
    ("json_text", "meant"),
    [
        (r'"$\frac{a}{b}$"', r"\frac"),
        (r'"$\beta_1$"', r"\beta"),
        (r'"$a \times b$"', r"\times"),
        (r'"$\rho$"', r"\rho"),
        (r'"$\nu$"', r"\nu"),
        (r'"$a \neq b$"', r"\neq"),
        (r'"$\text{max}$"', r"\text"),
    ],
)
def test_rd_16_a_single_backslash_in_json_is_found_and_restored(json_text: str, meant: str) -> None:
    damaged = json.loads(json_text)

    (control,) = find_controls(damaged, in_formula=True)

    assert control.meant == meant
    assert make_visible(damaged, in_formula=True) == json_text[1:-1]


@pytest.mark.parametrize("text", ["a\nnu b", "one\tto two", "line\r\nline", "a\nnot b", "\u00e9 \u03b2 \u200d"])
def test_ordinary_white_space_in_prose_is_no_finding(text: str) -> None:
    assert find_controls(text) == ()


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("a\x07b", "a\u2407b"),
        ("a\u202eb", "a<U+202E>b"),
        ("a\x00b", "a\u2400b"),
        ("a\ud800b", "a<U+D800>b"),
        ("a\r\nb\tc", "a\nb c"),
        ("\fraction", "\u240craction"),
    ],
)
def test_invisible_characters_are_shown(text: str, visible: str) -> None:
    assert make_visible(text) == visible


@given(st.text(alphabet=st.characters(codec=None)), st.booleans())
def test_nothing_invisible_is_left(text: str, in_formula: bool) -> None:
    visible = make_visible(text, in_formula=in_formula)

    assert not set(visible) & {chr(code) for code in range(32) if chr(code) != "\n"}
    assert visible.encode("utf-8").decode("utf-8") == visible
    assert make_visible(visible) == visible
