"""The probability of the words an answer was read from."""

import math

import pytest

from evaluations.token_probabilities import span_probability

TOKENS = [["It is ", -0.5], ["B", -0.1], [" or", -3.0], [" not.", -0.2]]
TEXT = "It is B or not."


@pytest.mark.parametrize(
    ("start", "end", "logarithm"),
    [(6, 7, -0.1), (6, 8, -0.1), (0, 2, -0.5), (4, 7, -0.6), (6, 10, -3.1), (0, 15, -3.8)],
)
def test_tokens_that_share_a_letter_with_the_span_count(start, end, logarithm) -> None:
    assert span_probability(TOKENS, TEXT, start, end) == pytest.approx(math.exp(logarithm))


def test_a_reply_kept_without_its_blanks_is_found_among_the_tokens() -> None:
    assert span_probability([["\n", -1.0], *TOKENS, ["\n", -1.0]], TEXT, 6, 7) == pytest.approx(math.exp(-0.1))


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        (TOKENS, "Another text"),
        (TOKENS, ""),
        ([["It is ", -0.5], ["B", None], [" or not.", -3.0]], TEXT),
        ([["It is ", -0.5], ["B"], [" or not.", -3.0]], TEXT),
        ([["It is ", -0.5], ["B", "-0.1"], [" or not.", -3.0]], TEXT),
        ([], TEXT),
    ],
)
def test_nothing_is_guessed(tokens, text) -> None:
    assert span_probability(tokens, text, 6, 7) is None


def test_no_probability_above_one_and_none_of_an_empty_span() -> None:
    assert span_probability([["B", 1e-9]], "B", 0, 1) == 1.0
    assert span_probability(TOKENS, TEXT, 6, 6) is None
