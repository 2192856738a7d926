"""Ranks and order."""

import math
from fractions import Fraction

import pytest

from leaderboard.ranking import RankBounds, in_order, is_missing, rank_bounds, shared_ranks

NAN = float("nan")


@pytest.mark.parametrize(
    ("scores", "ranks"),
    [
        ([], []),
        ([0.57, 0.57, 0.50], [1, 1, 3]),
        ([0.50, 0.57, 0.57], [3, 1, 1]),
        ([0.7, None, NAN, 0.2], [1, None, None, 2]),
        ([None, None], [None, None]),
        ([0.0, 0.0, 0.0], [1, 1, 1]),
        ([0.9, 0.8, 0.8, 0.8, 0.1], [1, 2, 2, 2, 5]),
        # Alike at one decimal of a percent, apart by one question: not a tie.
        ([Fraction(1590, 2788), Fraction(1591, 2788)], [2, 1]),
        # The same share of different counts is a tie, which floating point sums can miss.
        ([Fraction(3, 10), Fraction(30, 100), Fraction(1, 10)], [1, 1, 3]),
    ],
)
def test_ties_share_a_rank_and_missing_scores_have_none(scores: list, ranks: list) -> None:
    assert shared_ranks(scores) == ranks


@pytest.mark.parametrize(
    ("descending", "names"),
    [(True, ["best", "low", "none", "not a number"]), (False, ["low", "best", "none", "not a number"])],
)
def test_missing_scores_come_last_in_both_directions(descending: bool, names: list[str]) -> None:
    rows = [("none", None), ("best", 0.7), ("not a number", NAN), ("low", 0.2)]
    ordered = in_order(rows, key=lambda row: row[1], tie_break=lambda row: row[0], descending=descending)
    assert [name for name, _ in ordered] == names


@pytest.mark.parametrize("descending", [True, False])
def test_equal_scores_keep_one_order_whatever_order_they_came_in(descending: bool) -> None:
    rows = [("b", 0.5), ("a", 0.5), ("c", 0.5)]
    orders = {
        tuple(in_order(given, key=lambda row: row[1], tie_break=lambda row: row[0], descending=descending))
        for given in (rows, rows[::-1], [rows[1], rows[2], rows[0]])
    }
    assert orders == {(("a", 0.5), ("b", 0.5), ("c", 0.5))}


def test_rank_bounds_follow_from_intervals_that_do_not_overlap() -> None:
    intervals = [(0.80, 0.90), (0.75, 0.85), None, (0.10, 0.20), (0.20, 0.30)]
    assert rank_bounds(intervals) == [
        RankBounds(1, 2),
        RankBounds(1, 2),
        None,
        RankBounds(3, 4),
        RankBounds(3, 4),
    ]


def test_what_counts_as_missing() -> None:
    assert [is_missing(score) for score in (None, math.nan, 0, 0.0, Fraction(0))] == [True, True, False, False, False]
