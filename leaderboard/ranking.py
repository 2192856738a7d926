"""Ranks and order. Pure; scores are compared exactly, before any rounding."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

Row = TypeVar("Row")
Score = Fraction | float | int | None


class RankBounds(NamedTuple):
    """The best and the worst rank an entrant's interval allows."""

    low: int
    high: int


def is_missing(score: Score) -> bool:
    """Say whether there is no score: None or NaN."""
    return score is None or (isinstance(score, float) and math.isnan(score))


def shared_ranks(scores: Sequence[Score]) -> list[int | None]:
    """Return the rank of each score, 1 for the highest.

    Equal scores share a rank and the next one skips (0.57, 0.57, 0.50: 1, 1, 3). A missing score (None, NaN) has no
    rank. Scores are compared as they are: give exact values (`Fraction`) so that a tie is a tie.
    """
    present = sorted((score for score in scores if not is_missing(score)), reverse=True)  # type: ignore[type-var]
    first: dict[Any, int] = {}
    for position, score in enumerate(present, start=1):
        first.setdefault(score, position)
    return [None if is_missing(score) else first[score] for score in scores]


def in_order(
    rows: Sequence[Row],
    *,
    key: Callable[[Row], Any],
    tie_break: Callable[[Row], Any],
    descending: bool,
) -> list[Row]:
    """Return rows sorted by `key`; where it is None or NaN the row comes last in both directions.

    Rows equal in `key` are in ascending order of `tie_break` whatever the direction, so each load shows one order.
    """
    steady = sorted(rows, key=tie_break)
    present = [row for row in steady if not is_missing(key(row))]
    absent = [row for row in steady if is_missing(key(row))]
    return sorted(present, key=key, reverse=descending) + absent


def rank_bounds(intervals: Sequence[tuple[float, float] | None]) -> list[RankBounds | None]:
    """Return the ranks that intervals allow, None where there is no interval.

    The best rank is 1 + the entrants whose whole interval lies above this one's; the worst is the number of entrants
    with an interval less those whose whole interval lies below. Intervals that touch do not tell two entrants apart.
    """
    known = [pair for pair in intervals if pair is not None]
    bounds: list[RankBounds | None] = []
    for pair in intervals:
        if pair is None:
            bounds.append(None)
            continue
        above = sum(low > pair[1] for low, _ in known)
        below = sum(high < pair[0] for _, high in known)
        bounds.append(RankBounds(1 + above, len(known) - below))
    return bounds
