"""Hedged words, refusals and replies that break off, each function by itself."""

import pytest

from corpus.scoring.statuses import SHORTEST_BROKEN_OFF, is_broken_off, is_given_up, is_hedged, is_refusal

LONG = "It is so, and " * 80


@pytest.mark.parametrize(
    ("text", "hedged", "refused"),
    [
        ("As an AI language model, I have no lab. The answer is B.", True, False),
        ("I cannot help with that.", True, True),
        ("I'm sorry, but I can't assist with that request. B", True, True),
        ("As an AI I cannot answer this.", True, True),
        ("The ion is unable to react, so B.", False, False),
        ("It will not dissolve: B", False, False),
        ("[ANSWER]B[/ANSWER]", False, False),
        ("", False, False),
    ],
)
def test_hedged_and_refusing_words(text: str, hedged: bool, refused: bool) -> None:
    assert (is_hedged(text), is_refusal(text)) == (hedged, refused)


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        ("then", True),
        ("then,", True),
        ("so.", False),
        ('so.)"', False),
        ("so!**", False),
        ("\\]", False),
        ("$x$", False),
        ("```", False),
        ("[/ANSWER]", False),
        ("so.)))))", True),
        ("so. \n", False),
    ],
)
def test_a_long_reply_that_ends_in_the_middle_is_broken_off(end: str, expected: bool) -> None:
    assert is_broken_off(LONG + end, LONG + end) is expected


def test_a_short_reply_is_never_broken_off() -> None:
    text = "a" * SHORTEST_BROKEN_OFF
    assert is_broken_off(text, text)
    assert not is_broken_off(text[1:], text[1:])
    assert not is_broken_off(text[1:] + " \n", text)


def test_the_stop_text_of_an_agent_is_its_own() -> None:
    assert is_given_up("\n Agent stopped due to max iterations.")
    assert not is_given_up("The agent stopped due to max iterations.")
