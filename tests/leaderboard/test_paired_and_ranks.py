"""Pairs, many tests at once, groups and ranks: against scipy, enumeration and simulation."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from leaderboard.statistics import (
    compare_pair,
    group_letters,
    holm,
    holm_table,
    indistinct_groups,
    mcnemar_p_value,
    mcnemar_table,
    paired_bootstrap_interval,
    rank_intervals,
    sign_flip_p_value,
    told_apart,
)
from tests.statistics_simulation import family_wise_error, rank_coverage


def test_mcnemar_agrees_with_the_binomial_test() -> None:
    for better, worse in [(0, 0), (1, 0), (0, 7), (5, 5), (12, 3), (40, 61), (300, 211), (900, 1100), (1500, 900)]:
        n = better + worse
        expected = stats.binomtest(better, n).pvalue if n else 1.0
        assert mcnemar_p_value(better, worse) == pytest.approx(expected, abs=1e-9)


def test_mcnemar_table_takes_each_pair_on_its_common_questions() -> None:
    right = np.array([[1, 1, 1, 1, np.nan, 0], [0, 0, 0, 1, 1, 0], [np.nan] * 5 + [1]])
    table = mcnemar_table(right)
    assert table[0, 1] == table[1, 0] == pytest.approx(mcnemar_p_value(3, 0))
    assert table[1, 2] == pytest.approx(mcnemar_p_value(0, 1))
    assert np.isnan(np.diag(table)).all()
    assert np.isnan(mcnemar_table(np.array([[1, np.nan], [np.nan, 1]]))).all()


def test_mcnemar_table_refuses_shares() -> None:
    with pytest.raises(ValueError, match="sign-flip"):
        mcnemar_table(np.array([[0.5, 1.0], [0.0, 1.0]]))


def test_sign_flip_is_the_share_of_all_signs_and_mcnemar_for_one_repeat() -> None:
    generator = np.random.default_rng(3)
    first, second = generator.integers(0, 6, (2, 11)) / 5
    steps = np.rint(5 * (first - second))
    sums = np.array(list(product([-1, 1], repeat=steps.size))) @ steps
    expected = np.mean(np.abs(sums) >= abs(steps.sum()))
    assert sign_flip_p_value(first, second, 5) == pytest.approx(expected, abs=1e-12)
    once, other = generator.integers(0, 2, (2, 400)).astype(float)
    pair = compare_pair(once, other)
    assert sign_flip_p_value(once, other, 1) == pytest.approx(pair.p_value, abs=1e-9)


def test_sign_flip_refuses_means_of_other_repeats() -> None:
    with pytest.raises(ValueError, match="repeats"):
        sign_flip_p_value(np.array([1 / 3, 1.0]), np.array([0.0, 1.0]), 5)


def test_a_pair_is_compared_where_both_answered() -> None:
    pair = compare_pair(np.array([1, 1, 0, 1, np.nan]), np.array([0, 1, 1, np.nan, 1]))
    assert (pair.n, pair.difference, pair.better, pair.worse, pair.p_value) == (3, 0.0, 1, 1, 1.0)
    assert compare_pair(np.array([np.nan]), np.array([1.0])).n == 0


def test_paired_bootstrap_follows_the_spread_of_the_differences() -> None:
    first = np.random.default_rng(4).integers(0, 2, 600).astype(float)
    assert paired_bootstrap_interval(first, first) == (0.0, 0.0)
    second = np.where(np.arange(600) % 6 == 0, 1 - first, first)
    difference = first - second
    low, high = paired_bootstrap_interval(first, second)
    half = 1.96 * difference.std() / np.sqrt(600)
    assert (low, high) == pytest.approx((difference.mean() - half, difference.mean() + half), abs=0.004)


def test_holm_is_stepwise_and_leaves_out_what_is_no_test() -> None:
    # By hand: 0.01 · 4, then 0.03 · 2 over 0.02 · 3, then the largest so far.
    assert holm(np.array([0.04, 0.01, np.nan, 0.03, 0.02])) == pytest.approx(
        [0.06, 0.04, np.nan, 0.06, 0.06], nan_ok=True
    )
    assert holm(np.array([0.9, 0.8])).tolist() == [1.0, 1.0]


def test_holm_counts_each_pair_once() -> None:
    table = np.array([[np.nan, 0.01, 0.2], [0.01, np.nan, 0.03], [0.2, 0.03, np.nan]])
    adjusted = holm_table(table)
    assert adjusted[0, 1] == adjusted[1, 0] == pytest.approx(0.03)
    assert told_apart(adjusted)[0].tolist() == [False, True, False]


def test_exactly_five_per_cent_tells_apart() -> None:
    assert told_apart(np.array([0.05]))[0]
    assert not told_apart(np.array([0.0500001]))[0]


def test_groups_are_shared_exactly_by_those_not_told_apart() -> None:
    generator = np.random.default_rng(5)
    for density in (0.1, 0.4, 0.8):
        apart = np.triu(generator.random((14, 14)) < density, k=1)
        apart |= apart.T
        groups = [set(group) for group in indistinct_groups(apart)]
        for one, other in product(range(14), repeat=2):
            assert any({one, other} <= group for group in groups) == (not apart[one, other])
        assert not any(group < other for group in groups for other in groups)


def test_letters_of_a_board_in_order() -> None:
    places = np.array([0, 1, 2, 5, 6, 9])
    groups = indistinct_groups(np.abs(np.subtract.outer(places, places)) > 3)
    assert groups == [(0, 1, 2), (2, 3), (3, 4), (4, 5)]
    assert group_letters(groups, 6) == ["a", "a", "a b", "b c", "c d", "d"]
    assert group_letters([(0,)] * 28, 1)[0].endswith("z aa ab")


def test_holm_keeps_the_family_wise_error_on_null_boards() -> None:
    # 0.05 and three standard errors of 300 runs.
    assert 0 < family_wise_error(runs=300, entrants=8, spread=0.0) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)


def test_rank_intervals_hold_the_true_rank_and_still_say_something() -> None:
    abilities = np.array([0.1, 0.05, 0.0, -0.8, -2.0, 1.5])
    held, widths = rank_coverage(runs=120, abilities=abilities, draws=300)
    assert held.min() >= 0.95
    assert widths[0] < 2
    assert widths[-1] < 2


def test_rank_intervals_without_order() -> None:
    same = np.tile(np.random.default_rng(6).integers(0, 2, 50).astype(float), (4, 1))
    assert rank_intervals(same, draws=100).tolist() == [[1, 4]] * 4
    assert rank_intervals(np.array([[1.0], [0.0]])).tolist() == [[1, 2]] * 2
    clear = np.array([np.ones(60), np.zeros(60)])
    assert rank_intervals(clear, draws=100).tolist() == [[1, 1], [2, 2]]
