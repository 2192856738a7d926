"""What several publications tell of one person together: how many of their results stay possible on each set. Pure."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

# A linear programme is solved to about seven digits.
_ROUNDING = 1e-6


class Telling(NamedTuple):
    """What one publication tells of people on a set of questions (roots).

    `possible` are, by participant, the lowest and the highest number of right answers that would be told alike.
    """

    root_ids: frozenset[int]
    possible: Mapping[int, tuple[int, int]]


class _Bounds(NamedTuple):
    low: int
    high: int


def n_possible(tellings: Sequence[Telling], participant_id: int) -> dict[frozenset[int], int]:
    """Return, by set, how many numbers of right answers of one person all these tellings leave possible together.

    Sets share questions, so that what is told on one bounds the other: right answers are counted by the parts of
    questions that are in the same sets, and the lowest and highest sums of these are found by linear programming.
    """
    bounds: dict[frozenset[int], _Bounds] = {}
    for telling in tellings:
        if (found := telling.possible.get(participant_id)) is not None:
            known = bounds.get(telling.root_ids, _Bounds(*found))
            bounds[telling.root_ids] = _Bounds(max(known.low, found[0]), min(known.high, found[1]))
    if len(bounds) < 2:
        return {root_ids: high - low + 1 for root_ids, (low, high) in bounds.items()}
    counts = _counts(_parts(tuple(bounds)), tuple(bounds.values()))
    return dict(zip(bounds, counts, strict=True))


@lru_cache(maxsize=64)
def _parts(sets: tuple[frozenset[int], ...]) -> tuple[tuple[tuple[bool, ...], int], ...]:
    """Return the parts of questions that are in the same sets: in which, and how many questions."""
    every = frozenset().union(*sets)
    return tuple(Counter(tuple(root_id in each for each in sets) for root_id in every).items())


@lru_cache(maxsize=4096)
def _counts(parts: tuple[tuple[tuple[bool, ...], int], ...], bounds: tuple[_Bounds, ...]) -> tuple[int, ...]:
    # Scipy takes a while to import; only who publishes waits for it.
    from scipy.optimize import linprog

    rows = [[float(is_in[number]) for is_in, _ in parts] for number in range(len(bounds))]
    limits = {
        "A_ub": [*rows, *([-cell for cell in row] for row in rows)],
        "b_ub": [*(each.high for each in bounds), *(-each.low for each in bounds)],
        "bounds": [(0, size) for _, size in parts],
    }
    counts = []
    for row in rows:
        lowest = linprog(row, **limits)
        highest = linprog([-cell for cell in row], **limits)
        if not (lowest.success and highest.success):
            # Verdicts changed in between: nothing is known of what both tell together.
            return (0,) * len(rows)
        counts.append(math.floor(-highest.fun + _ROUNDING) - math.ceil(lowest.fun - _ROUNDING) + 1)
    return tuple(counts)
