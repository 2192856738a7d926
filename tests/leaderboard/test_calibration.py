"""Stated levels against verdicts: cells, people's levels told together, intervals of what hangs together."""

import math

import numpy as np
import pytest
from scipy import stats

from leaderboard.calibration import EACH_LEVEL, NO_LEVEL, calibration_of, parts_of_people
from leaderboard.matrix import OUTCOMES, RIGHT
from leaderboard.statistics import (
    discrimination,
    expected_calibration_error,
    level_probability,
    rank_correlation,
    reliability,
    wilson_bounds,
    wilson_interval,
)
from leaderboard.statistics.ranks import mean_ranks

WRONG = [outcome.value for outcome in OUTCOMES].index("wrong")
DO_NOT_KNOW = [outcome.value for outcome in OUTCOMES].index("do_not_know")


def test_levels_are_counted_and_answers_without_one_left_out() -> None:
    levels = np.array([5, 5, 5, 1, NO_LEVEL, 3])
    right = np.array([True, True, False, False, True, True])
    found = calibration_of(levels, right)
    assert [(cell.name, cell.n, cell.right) for cell in found.cells] == [
        ("1", 1, 0),
        ("2", 0, 0),
        ("3", 1, 1),
        ("4", 0, 0),
        ("5", 3, 2),
    ]
    assert (found.n, found.right, found.share, found.mean_level) == (5, 3, 0.6, 3.8)
    assert found.cells[4].bounds == wilson_interval(2, 3)
    assert found.cells[1].share is None
    assert found.cells[1].bounds is None
    # Level 1: |0 - 0.1| of one answer, 3: |1 - 0.5| of one, 5: |2 - 3 · 0.9| of three.
    assert found.error == pytest.approx((0.1 + 0.5 + 0.7) / 5)
    assert found.area_value == pytest.approx(discrimination(levels[levels > 0].astype(float), right[levels > 0]).auroc)


def test_levels_stand_for_the_middles_of_their_fifths() -> None:
    assert level_probability([1, 2, 3, 4, 5]) == pytest.approx([0.1, 0.3, 0.5, 0.7, 0.9])


def test_of_levels_told_together_nothing_tells_them_apart() -> None:
    generator = np.random.default_rng(1)
    levels, right = generator.integers(1, 6, 200), generator.random(200) < 0.5
    parts = ((1, 2), (3,), (4, 5))
    swapped = np.where(levels == 1, 2, np.where(levels == 2, 1, levels))
    found, other = (calibration_of(each, right, parts=parts) for each in (levels, swapped))
    assert found == other
    assert found.mean_level is None
    assert [cell.name for cell in found.cells] == ["1 to 2", "3", "4 to 5"]
    assert found.cells[0].probability == pytest.approx(0.2)
    assert found.right == right.sum()


def test_without_verdicts_only_how_often_each_level_was_stated() -> None:
    levels = np.array([5, 5, 2, NO_LEVEL])
    found = calibration_of(levels, np.array([True, False, True, True]), tells_right=False)
    assert [cell.n for cell in found.cells] == [0, 1, 0, 0, 2]
    assert all(cell.right is None and cell.bounds is None and cell.share is None for cell in found.cells)
    assert (found.right, found.share, found.error, found.area, found.area_value) == (None, None, None, None, None)


def test_nobody_states_anything() -> None:
    found = calibration_of(np.zeros(4, dtype=np.int64), np.ones(4, dtype=bool))
    assert (found.n, found.error, found.area_value, found.mean_level, found.share) == (0, None, None, None, None)


# People: levels that are told together


def people(rows: list[str]) -> np.ndarray:
    return np.array([[int(letter) for letter in row] for row in rows])


def verdicts(levels: np.ndarray) -> np.ndarray:
    return np.full(levels.shape, WRONG, dtype=np.int8)


def test_levels_that_five_people_stated_alike_stand_alone() -> None:
    levels = people(["1234512345"] * 5 + ["1122334455"] * 5)
    wide = np.concatenate([np.roll(levels, shift, axis=1) for shift in range(5)], axis=1)
    assert parts_of_people(wide, verdicts(wide), minimum=5) == EACH_LEVEL


def test_a_level_few_stated_is_told_with_its_smaller_neighbour() -> None:
    levels = np.full((8, 20), 4)
    levels[:, :8] = 5
    levels[:, 18:] = 2
    levels[0, 17] = 1
    # One person stated 1; 2 has answers to two questions only; 4 and 5 are everybody's.
    parts = parts_of_people(levels, verdicts(levels), minimum=5)
    assert parts == ((1, 2, 3, 4), (5,))
    for part in parts:
        counts = np.isin(levels, part).sum(axis=1)
        assert counts.max() * 5 <= counts.sum()


def test_where_one_person_gives_most_answers_nothing_is_told() -> None:
    levels = np.full((6, 20), NO_LEVEL)
    levels[0] = 5
    levels[1:, :2] = 5
    codes = verdicts(levels)
    codes[levels == NO_LEVEL] = DO_NOT_KNOW
    assert parts_of_people(levels, codes, minimum=5) is None


def test_what_follows_of_answers_without_a_level_needs_enough_people_too() -> None:
    levels = np.full((8, 20), 3)
    levels[0, :7] = NO_LEVEL
    codes = verdicts(levels)
    assert parts_of_people(levels, codes, minimum=5) is None
    codes[levels == NO_LEVEL] = DO_NOT_KNOW
    assert parts_of_people(levels, codes, minimum=5) is not None
    codes[0, 0] = RIGHT
    assert parts_of_people(levels, codes, minimum=5) is None


def test_nobody_of_the_people_states_anything() -> None:
    levels = np.full((8, 20), NO_LEVEL)
    assert parts_of_people(levels, verdicts(levels), minimum=5) is None


# Intervals of answers that hang together


def test_clusters_of_alike_answers_count_as_many_as_they_are() -> None:
    clusters = np.repeat(np.arange(20), 10)
    right = np.repeat(np.arange(20) < 8, 10)
    (level,) = reliability(np.ones(200, dtype=np.int64), right, [1], cluster_of=clusters)
    variance = 20 / 19 * sum((10 * (each - 0.4)) ** 2 for each in (np.arange(20) < 8)) / 200**2
    effective = 0.24 / variance * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, 19)) ** 2
    low, high = wilson_bounds(np.array([0.4 * effective]), np.array([effective]))
    assert level.interval == pytest.approx((low[0], high[0]))
    assert 16 < effective < 20
    plain = wilson_interval(80, 200)
    assert level.interval.low < plain.low
    assert level.interval.high > plain.high


def test_answers_that_do_not_hang_together_count_singly_at_most() -> None:
    right = np.tile([True, False], 100)
    (level,) = reliability(np.ones(200, dtype=np.int64), right, [1], cluster_of=np.repeat(np.arange(20), 10))
    assert level.interval == pytest.approx(wilson_interval(100, 200))


def test_all_right_is_as_sure_as_there_are_clusters() -> None:
    ones = np.ones(40, dtype=np.int64)
    (level,) = reliability(ones, ones > 0, [1], cluster_of=np.repeat(np.arange(8), 5))
    assert level.interval == pytest.approx(wilson_interval(8, 8))
    (alone,) = reliability(ones, ones > 0, [1], cluster_of=ones)
    assert math.isnan(alone.interval.low)


def test_clustered_intervals_hold_where_plain_ones_do_not() -> None:
    generator = np.random.default_rng(5)
    clusters, ones = np.repeat(np.arange(12), 30), np.ones(360, dtype=np.int64)
    held = [0, 0]
    for _ in range(400):
        able = generator.beta(3, 3, 12)
        right = generator.random(360) < np.repeat(able, 30)
        for place, cluster_of in enumerate((clusters, None)):
            (level,) = reliability(ones, right, [1], cluster_of=cluster_of)
            held[place] += level.interval.low <= 0.5 <= level.interval.high
    assert 0.92 <= held[0] / 400 <= 0.985
    assert held[1] / 400 < 0.75


def test_area_of_clusters_agrees_with_the_jackknife_and_with_single_answers() -> None:
    generator = np.random.default_rng(6)
    clusters = np.repeat(np.arange(60), 5)
    able = np.repeat(generator.normal(0, 1, 60), 5)
    right = generator.random(300) < 1 / (1 + np.exp(-able))
    stated = np.clip(np.round(3 + able + generator.normal(0, 1, 300)), 1, 5)
    found = discrimination(stated, right, cluster_of=clusters)
    without = [discrimination(stated[clusters != each], right[clusters != each]).auroc for each in range(60)]
    error = math.sqrt(59 / 60 * np.sum((np.array(without) - np.mean(without)) ** 2))
    half = (found.interval.high - found.interval.low) / 2
    assert half == pytest.approx(1.959964 * error, rel=0.05)
    plain = discrimination(stated, right)
    assert discrimination(stated, right, cluster_of=np.arange(300)) == plain
    assert found.auroc == plain.auroc
    assert math.isnan(discrimination(stated, right, cluster_of=np.zeros(300, dtype=np.int64)).interval.low)


@pytest.mark.parametrize("values", [[3, 1, 2], [2, 2, 1, 3, 3, 3], [5, 5], [0.25], []], ids=str)
def test_equal_ones_share_their_mean_rank_as_with_scipy(values: list[float]) -> None:
    assert mean_ranks(np.array(values)).tolist() == stats.rankdata(values).tolist()


def test_rank_correlation_agrees_with_scipy() -> None:
    generator = np.random.default_rng(7)
    first, second = generator.integers(1, 6, 50).astype(float), generator.random(50)
    assert rank_correlation(first, second) == pytest.approx(stats.spearmanr(first, second).statistic)
    assert math.isnan(rank_correlation(np.ones(3), np.arange(3.0)))
    assert math.isnan(rank_correlation(first[:1], second[:1]))


def test_the_error_of_levels_is_that_of_their_shares() -> None:
    levels, right = np.array([1, 1, 5, 5, 5]), np.array([False, True, True, True, False])
    by_hand = (2 * abs(1 / 2 - 0.1) + 3 * abs(2 / 3 - 0.9)) / 5
    assert expected_calibration_error(level_probability(levels), right, levels) == pytest.approx(by_hand)
    assert calibration_of(levels, right).error == pytest.approx(by_hand)
