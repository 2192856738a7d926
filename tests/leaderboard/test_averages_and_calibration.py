"""Averages, chance, people, agreement of sets, calibration: against formulas written out, scipy and brute force."""

import math

import numpy as np
import pytest
from scipy import stats

from leaderboard.statistics import (
    Guess,
    chance_level,
    clustered_mean,
    discrimination,
    equal_bins,
    expected_calibration_error,
    macro_average,
    question_chances,
    reliability,
    set_agreement,
    share_beaten,
    wilson_bounds,
    wilson_interval,
)
from tests.statistics_simulation import clustered_coverage, macro_coverage, wilson_coverage


def test_many_wilson_intervals_are_each_one() -> None:
    right, n = np.array([0, 3, 20, 20, 0]), np.array([20, 7, 20, 39, 0])
    low, high = wilson_bounds(right.astype(float), n.astype(float))
    expected = [wilson_interval(*pair) for pair in zip(right.tolist(), n.tolist(), strict=True)]
    assert low == pytest.approx([each.low for each in expected], nan_ok=True)
    assert high == pytest.approx([each.high for each in expected], nan_ok=True)


def test_wilson_holds_what_it_states_over_the_grid() -> None:
    coverage = wilson_coverage()
    assert 0.93 <= coverage.mean() <= 0.97
    assert coverage.min() > 0.85


def test_clustered_error_is_that_of_the_sums_of_clusters() -> None:
    values = np.array([1, 1, 0, 1, 0, 0, 1, 1], dtype=float)
    clusters = ["a", "a", "b", "b", "b", "c", "d", "d"]
    residuals = values - values.mean()
    square = sum(residuals[i] * residuals[j] for i in range(8) for j in range(8) if clusters[i] == clusters[j])
    found = clustered_mean(values, clusters)
    assert found.standard_error == pytest.approx(math.sqrt(4 / 3 * square) / 8, abs=1e-12)
    assert found.n_clusters == 4
    half = stats.t.ppf(0.975, 3) * found.standard_error
    assert found.interval == pytest.approx((max(0, values.mean() - half), min(1, values.mean() + half)))


def test_clusters_of_one_are_plain_and_one_cluster_says_nothing() -> None:
    values = np.random.default_rng(1).random(30)
    found = clustered_mean(values, np.arange(30))
    assert found.standard_error == pytest.approx(found.plain_standard_error)
    assert found.standard_error == pytest.approx(stats.sem(values))
    assert math.isnan(clustered_mean(values, np.zeros(30)).standard_error)
    assert math.isnan(clustered_mean(np.array([]), []).mean)


def test_clustered_interval_holds_where_the_plain_one_does_not() -> None:
    clustered, plain = clustered_coverage(runs=400, clusters=40)
    assert clustered > 0.90
    assert plain < 0.85


def test_macro_average_counts_topics_alike() -> None:
    values, topics = np.array([1.0] * 90 + [0.0] * 10), np.array([1] * 90 + [2] * 10)
    found = macro_average(values, topics)
    assert (found.mean, found.n_topics, found.smallest) == (0.5, 2, 10)
    first, second = wilson_interval(90, 90), wilson_interval(0, 10)
    assert found.interval.low == pytest.approx(0.5 - (1 - first.low) / 2)
    assert found.interval.high == pytest.approx(0.5 + second.high / 2)
    one = macro_average(values, np.ones(100, dtype=int))
    assert one.interval == pytest.approx(wilson_interval(90, 100))


def test_repeats_narrow_the_macro_average_at_most_to_that_many_questions() -> None:
    topics = np.repeat([1, 2], 40)
    alike = np.full(80, 0.5)
    found = macro_average(alike, topics, repeats=4)
    one = wilson_interval(80, 160)
    assert found.interval.high - 0.5 == pytest.approx((one.high - 0.5) * math.sqrt(2) / 2)
    never = np.tile([0.0, 1.0], 40)
    assert macro_average(never, topics, repeats=4).interval == pytest.approx(macro_average(never, topics).interval)


def test_macro_average_interval_holds_its_mean() -> None:
    assert 0.92 <= macro_coverage(runs=400) <= 0.98


@pytest.mark.parametrize(
    ("options", "right", "one", "any_options"),
    [(4, 1, 1 / 4, 1 / 15), (2, 1, 1 / 2, 1 / 3), (5, 2, 0, 1 / 31), (0, 0, 0, 0), (3, 0, 0, 0), (1, 1, 1, 1)],
)
def test_chance_of_a_question(options: int, right: int, one: float, any_options: float) -> None:
    numbers = np.array([options]), np.array([right])
    assert question_chances(*numbers)[0] == pytest.approx(one)
    assert question_chances(*numbers, Guess.ANY_OPTIONS)[0] == pytest.approx(any_options)


def test_chance_level_of_a_set() -> None:
    level = chance_level(np.array([0.25, 0.5, 0.0, 0.25]))
    assert level.mean == 0.25
    assert level.standard_deviation == pytest.approx(math.sqrt(2 * 0.1875 + 0.25) / 4)
    assert math.isnan(chance_level(np.array([])).mean)


def test_people_are_beaten_on_the_questions_they_answered() -> None:
    nan = np.nan
    system = np.array([1.0, 1.0, 0.0, 0.0])
    people = np.array([[0, 1, 0, 0], [nan, nan, 1, 1], [1, 1, nan, nan], [nan, nan, nan, nan]], dtype=float)
    found = share_beaten(system, people, draws=200)
    assert (found.share, found.n_people) == (0.5, 3)
    assert found.over_people.low < 0.5 < found.over_people.high
    assert found.over_people_and_questions.low <= found.over_people.low
    assert share_beaten(system, people[3:]).n_people == 0


def test_questions_widen_the_share_beaten_where_all_are_near() -> None:
    people = (np.random.default_rng(2).random((60, 40)) < 0.5).astype(float)
    system = np.tile([1.0, 0.0], 20)
    found = share_beaten(system, people, draws=400)
    both, over_people = found.over_people_and_questions, found.over_people
    assert both.high - both.low > 1.3 * (over_people.high - over_people.low)


def test_agreement_of_sets_agrees_with_scipy() -> None:
    generator = np.random.default_rng(3)
    full = np.round(generator.random(25), 1)
    small = np.round(full + generator.normal(0, 0.1, 25), 1)
    full[3] = np.nan
    found = set_agreement(small, full)
    kept = ~np.isnan(full)
    assert found.n_systems == 24
    assert found.spearman == pytest.approx(stats.spearmanr(small[kept], full[kept]).statistic)
    assert found.kendall == pytest.approx(stats.kendalltau(small[kept], full[kept]).statistic)
    assert found.mean_absolute_difference == pytest.approx(np.abs(small - full)[kept].mean())
    assert math.isnan(set_agreement(np.array([0.5, 0.5]), np.array([0.1, 0.2])).kendall)


def test_levels_are_counted_with_the_ones_nobody_stated() -> None:
    stated, right = np.array([1, 5, 5, 5, 3]), np.array([False, True, True, False, True])
    levels = reliability(stated, right, levels=range(1, 6))
    assert [(each.level, each.n, each.right) for each in levels] == [
        (1, 1, 0),
        (2, 0, 0),
        (3, 1, 1),
        (4, 0, 0),
        (5, 3, 2),
    ]
    assert levels[4].interval == wilson_interval(2, 3)
    assert levels[4].portion == 0.6
    assert math.isnan(levels[1].share)
    with pytest.raises(ValueError, match="not among"):
        reliability(stated, right, levels=[1, 2, 3])


def test_expected_calibration_error_by_hand_and_by_bins() -> None:
    claimed, right = np.array([0.2, 0.2, 0.9, 1.0]), np.array([False, True, True, False])
    # Bin of 0.2: |0.5 - 0.2| for half the answers; last bin: |0.5 - 0.95| for the other half.
    bins = equal_bins(claimed)
    assert bins.tolist() == [2, 2, 9, 9]
    assert expected_calibration_error(claimed, right, bins) == pytest.approx(0.15 + 0.225)
    assert expected_calibration_error(claimed, claimed == 1.0, np.arange(4)) == pytest.approx((0.2 + 0.2 + 0.9) / 4)
    assert math.isnan(expected_calibration_error(claimed[:0], right[:0], bins[:0]))


def test_area_is_the_share_of_pairs_in_order_ties_as_half() -> None:
    generator = np.random.default_rng(4)
    stated, right = generator.integers(1, 6, 90), generator.random(90) < 0.4
    pairs = np.subtract.outer(stated[right], stated[~right])
    wins = (pairs > 0) + 0.5 * (pairs == 0)
    found = discrimination(stated.astype(float), right)
    assert found.auroc == pytest.approx(wins.mean(), abs=1e-12)
    variance = wins.mean(axis=1).var(ddof=1) / right.sum() + wins.mean(axis=0).var(ddof=1) / (~right).sum()
    assert found.interval.high - found.auroc == pytest.approx(stats.norm.ppf(0.975) * math.sqrt(variance), abs=1e-9)
    assert discrimination(np.ones(4), np.array([True, True, False, False])).auroc == 0.5
    assert math.isnan(discrimination(np.ones(3), np.ones(3, dtype=bool)).auroc)
