"""Estimates against scipy, printed values and simulation."""

import math

import numpy as np
import pytest
from scipy import stats

from leaderboard.statistics import balanced_estimate, bootstrap_interval, people_interval, wilson_interval


@pytest.mark.parametrize("n", [1, 2, 7, 40, 236, 2788])
def test_wilson_agrees_with_scipy(n: int) -> None:
    for right in sorted({0, 1, n // 3, n // 2, n - 1, n}):
        expected = stats.binomtest(right, n).proportion_ci(method="wilson")
        low, high = wilson_interval(right, n)
        assert low == pytest.approx(expected.low, abs=1e-9)
        assert high == pytest.approx(expected.high, abs=1e-9)


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    [
        # R. G. Newcombe, Statistics in Medicine 17 (1998) 857-872, table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_agrees_with_printed_values(right: int, n: int, low: float, high: float) -> None:
    assert wilson_interval(right, n) == pytest.approx((low, high), abs=5e-5)


def test_wilson_has_exact_ends_and_none_without_questions() -> None:
    assert wilson_interval(0, 9).low == 0.0
    assert wilson_interval(9, 9).high == 1.0
    assert all(math.isnan(end) for end in wilson_interval(0, 0))


@pytest.mark.parametrize(("right", "n"), [(-1, 3), (4, 3)])
def test_wilson_refuses_impossible_counts(right: int, n: int) -> None:
    with pytest.raises(ValueError, match="cannot be"):
        wilson_interval(right, n)


def test_bootstrap_is_the_same_every_time_and_follows_the_spread_between_questions() -> None:
    generator = np.random.default_rng(7)
    means = generator.integers(0, 6, size=400) / 5
    interval = bootstrap_interval(means)
    assert interval == bootstrap_interval(means.copy())
    half = 1.96 * means.std() / math.sqrt(means.size)
    assert interval.low == pytest.approx(means.mean() - half, abs=0.005)
    assert interval.high == pytest.approx(means.mean() + half, abs=0.005)


def test_bootstrap_treats_a_question_with_its_repeats_as_one() -> None:
    # Five repeats that always agree carry no more than one: the interval is that of 100 questions, not of 500.
    means = np.array([1.0] * 50 + [0.0] * 50)
    low, high = bootstrap_interval(means)
    assert high - low == pytest.approx(2 * 1.96 * 0.5 / math.sqrt(100), abs=0.03)


def test_people_interval_is_students() -> None:
    means = np.array([0.40, 0.45, 0.52, 0.61, 0.39])
    expected = stats.t.interval(0.95, 4, loc=means.mean(), scale=stats.sem(means))
    assert people_interval(means) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("share", "n"), [(1.0, 5), (0.0, 7), (0.6, 5), (1 / 3, 9)])
def test_people_who_are_all_alike_have_an_interval_with_a_width(share: float, n: int) -> None:
    z2 = stats.norm.ppf(0.975) ** 2
    half = math.sqrt(z2) / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    expected = pytest.approx((max(0.0, centre - half), min(1.0, centre + half)), abs=1e-9)
    assert people_interval(np.full(n, share)) == expected
    values = np.tile([[share, share, np.nan], [np.nan, share, share], [share, np.nan, share]], (n, 1))[:n]
    assert balanced_estimate(values).interval == expected


def test_intervals_stay_within_zero_and_one() -> None:
    assert people_interval(np.array([0.0, 1.0])) == (0.0, 1.0)


@pytest.mark.parametrize("interval", [bootstrap_interval, people_interval])
def test_one_value_has_no_interval(interval) -> None:
    assert all(math.isnan(end) for end in interval(np.array([0.4])))
