"""The rule by which the answers of people put a key in doubt. Pure; it says why in words.

It is a reason to look at a question, not a verdict: of many sound questions that are hard and have one tempting wrong
answer, some will be named.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from survey.statistics import correlation_upper_bound, sign_test

LARGEST_CHANCE = 0.05
PEOPLE_FOR_DISCRIMINATION = 10
PEOPLE_ON_EITHER_SIDE = 3
PEOPLE_ON_ANOTHER_NUMBER = 3


@dataclass(frozen=True, slots=True)
class AnswerCount:
    """How many people gave the same whole answer.

    `share_elsewhere` is the mean, over these people, of their share right in the other questions they answered (None:
    there are none).
    """

    label: str
    is_key: bool
    n: int
    share_elsewhere: float | None = None


@dataclass(frozen=True, slots=True)
class Doubt:
    """A reason to doubt a key. `chance` is how often such a thing happens where the key is no worse than the rest."""

    code: str
    text: str
    chance: float


def doubts_of(
    *, is_number: bool, counts: Sequence[AnswerCount], discrimination: float, n_answers: int
) -> tuple[Doubt, ...]:
    """Return the reasons the answers give to doubt a key; empty for none.

    `another_answer`: more people gave one wrong answer than the key, by a one-sided sign test between the two at 5 %.
    `another_number`: at least three people agree on one number that is not the key, and they are more than gave the
    key. `negative_discrimination`: at least ten people answered, three or more of them right and three or more not, and
    the upper 95 % bound of the corrected discrimination is below zero.
    """
    first = _another_number(counts) if is_number else _another_answer(counts)
    found = [first, _negative(discrimination, n_answers, n_right=_key_and_rival(counts)[0].n)]
    return tuple(doubt for doubt in found if doubt)


def _key_and_rival(counts: Sequence[AnswerCount]) -> tuple[AnswerCount, AnswerCount | None]:
    key = next((count for count in counts if count.is_key), AnswerCount("the key", is_key=True, n=0))
    rivals = [count for count in counts if not count.is_key]
    return key, max(rivals, key=lambda count: count.n, default=None)


def _another_answer(counts: Sequence[AnswerCount]) -> Doubt | None:
    key, rival = _key_and_rival(counts)
    if rival is None:
        return None
    chance = sign_test(rival.n, key.n)
    if rival.n <= key.n or chance >= LARGEST_CHANCE:
        return None
    text = f"{_people(rival.n)} answered {rival.label}, {key.n} the key. {_elsewhere(rival, key)}".strip()
    return Doubt("another_answer", text, chance)


def _another_number(counts: Sequence[AnswerCount]) -> Doubt | None:
    key, rival = _key_and_rival(counts)
    if rival is None or rival.n < PEOPLE_ON_ANOTHER_NUMBER or rival.n <= key.n:
        return None
    text = f"{_people(rival.n)} agree on {rival.label}, {key.n} gave the key. {_elsewhere(rival, key)}".strip()
    return Doubt("another_number", text, sign_test(rival.n, key.n))


def _negative(discrimination: float, n_answers: int, n_right: int) -> Doubt | None:
    bound = correlation_upper_bound(discrimination, n_answers)
    # One good chemist who slips where everybody else is right is no sign of a wrong key.
    smaller_side = min(n_right, n_answers - n_right)
    if n_answers < PEOPLE_FOR_DISCRIMINATION or smaller_side < PEOPLE_ON_EITHER_SIDE:
        return None
    if math.isnan(bound) or bound >= 0:
        return None
    text = (
        f"People who do well elsewhere do worse here: discrimination {signed(discrimination)} over {n_answers} people "
        f"(95 % bound {signed(bound)})."
    )
    # The bound was reached at 5 %; how far beyond it is not worked out.
    return Doubt("negative_discrimination", text, LARGEST_CHANCE)


def _elsewhere(rival: AnswerCount, key: AnswerCount) -> str:
    if rival.share_elsewhere is None:
        return ""
    text = f"In the other questions they are right in {rival.share_elsewhere:.0%}"
    return (
        f"{text}, those who gave the key in {key.share_elsewhere:.0%}."
        if key.share_elsewhere is not None
        else text + "."
    )


def _people(n: int) -> str:
    return f"{n} {'person' if n == 1 else 'people'}"


def signed(value: float) -> str:
    """Return a correlation with two decimals and a real minus sign."""
    return f"{value:.2f}".replace("-", "\N{MINUS SIGN}")
