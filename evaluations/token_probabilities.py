"""The probability of a part of a reply, from the log-probabilities of its tokens. Pure."""

import math
from collections.abc import Sequence
from typing import Any


def span_probability(tokens: Sequence[Any], text: str, start: int, end: int) -> float | None:
    """Return the probability of the tokens that hold characters `start` to `end` of a reply, given all before them.

    `tokens` are pairs of a token and its natural log-probability. The probability is exp of the sum over the tokens
    that share a character with the span, blanks left out. None where the tokens are not the reply's, one of them has no
    log-probability, or the span is empty.
    """
    pairs = [pair for pair in tokens if isinstance(pair, list | tuple) and len(pair) == 2]
    whole = "".join(str(token) for token, _ in pairs)
    before = whole.find(text) if text else -1
    if before < 0 or len(pairs) != len(tokens):
        return None
    first, last, place, total, is_any = before + start, before + end, 0, 0.0, False
    for token, value in pairs:
        place, begin = place + len(token), place
        if place <= first or begin >= last or not whole[max(begin, first) : min(place, last)].strip():
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return None
        total, is_any = total + value, True
    return min(math.exp(min(total, 0.0)), 1.0) if is_any else None
