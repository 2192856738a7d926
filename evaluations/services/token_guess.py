"""What a call will take, guessed before it is sent: the endpoint's limit of tokens is kept by it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluations.providers.lessons import TOKEN_LIMITS

_FIRST_GUESS_OF_TOKENS_OUT = 1000
_GUESS_OF_TOKENS_A_CHARACTER = 1 / 3


@dataclass(frozen=True, slots=True)
class Grant:
    """What one call was let out for: the words it sends, and the tokens that were counted for it in a bucket."""

    words: str
    n_tokens: int
    bucket: int


class TokenGuess:
    """What a call will take, from the calls before it; at first from the parameters and the length of the prompt.

    The mean and one standard deviation of what replies took: of many calls at once none, of one now and then some, take
    more than was counted for them.
    """

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        limits = [parameters[name] for name in TOKEN_LIMITS if isinstance(parameters.get(name), int)]
        self._tokens_out = float(min([*limits, _FIRST_GUESS_OF_TOKENS_OUT]))
        self._characters = self._n = self._in = self._out = self._out_squared = 0

    def of(self, words: str) -> int:
        """Return the tokens in and out that a call which says so much will probably take."""
        each = self._in / self._characters if self._characters else _GUESS_OF_TOKENS_A_CHARACTER
        return max(1, math.ceil(len(words) * each + self._of_reply()))

    def learn(self, words: str, tokens_in: int, tokens_out: int) -> None:
        """Take a call's true counts into account."""
        self._characters += max(1, len(words))
        self._n += 1
        self._in += tokens_in
        self._out += tokens_out
        self._out_squared += tokens_out**2

    def _of_reply(self) -> float:
        if not self._n:
            return self._tokens_out
        mean = self._out / self._n
        return mean + math.sqrt(max(0.0, self._out_squared / self._n - mean**2))
