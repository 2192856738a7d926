"""Discrimination and the other figures of item analysis, against scipy and by hand."""

from decimal import Decimal

import numpy as np
import pytest
from scipy import stats

from survey.statistics import corrected_discrimination, correlation_upper_bound, number_groups, sign_test

NAN = float("nan")


def answers(*, people: int, questions: int, missing: float, seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    skill = generator.normal(size=(people, 1))
    verdicts = (skill + generator.normal(size=(people, questions)) > 0).astype(float)
    verdicts[generator.random((people, questions)) < missing] = np.nan
    return verdicts


@pytest.mark.parametrize(("missing", "seed"), [(0.0, 1), (0.3, 2), (0.8, 3)])
def test_discrimination_is_scipys_point_biserial_with_the_rest(missing: float, seed: int) -> None:
    verdicts = answers(people=60, questions=25, missing=missing, seed=seed)
    ours = corrected_discrimination(verdicts)
    for question in range(verdicts.shape[1]):
        people = ~np.isnan(verdicts[:, question])
        rest = np.delete(verdicts[people], question, axis=1)
        known = ~np.isnan(rest).all(axis=1)
        share = np.nanmean(rest[known], axis=1)
        expected = stats.pointbiserialr(verdicts[people, question][known], share).statistic
        assert ours[question] == pytest.approx(expected, abs=1e-12)


def test_discrimination_leaves_the_question_itself_out() -> None:
    # Uncorrected, every column would correlate with the total; by itself the third says the reverse of the others.
    verdicts = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]], dtype=float)
    assert corrected_discrimination(verdicts)[2] == pytest.approx(-1)


@pytest.mark.parametrize(
    ("verdicts", "why"),
    [
        ([[1, 0], [0, 1]], "two people"),
        ([[1, 1], [1, 0], [1, 0], [1, 1]], "everybody is right"),
        ([[1, 1], [0, 1], [1, 1], [0, 1]], "everybody is alike in the rest"),
        ([[1], [0], [1], [0]], "there are no other questions"),
        ([[1, NAN], [0, NAN], [1, 1], [0, 0]], "only two people answered another question"),
    ],
)
def test_discrimination_is_undefined(verdicts: list[list[float]], why: str) -> None:
    assert np.isnan(corrected_discrimination(np.array(verdicts, dtype=float))[0]), why


@pytest.mark.parametrize(("more", "fewer"), [(5, 0), (4, 0), (7, 1), (12, 5), (3, 3), (1, 9)])
def test_sign_test_is_scipys_binomial_test(more: int, fewer: int) -> None:
    expected = stats.binomtest(more, more + fewer, alternative="greater").pvalue
    assert sign_test(more, fewer) == pytest.approx(expected)


def test_sign_test_of_nobody_shows_nothing() -> None:
    assert sign_test(0, 0) == 1
    assert sign_test(0, 4) == 1


def test_bound_of_a_correlation_is_scipys_and_needs_four_people() -> None:
    generator = np.random.default_rng(5)
    x, y = generator.normal(size=(2, 30))
    correlation = stats.pearsonr(x, y)
    upper = correlation.confidence_interval(0.90).high
    assert correlation_upper_bound(correlation.statistic, 30) == pytest.approx(upper)
    assert np.isnan(correlation_upper_bound(-0.9, 3))
    assert np.isnan(correlation_upper_bound(NAN, 30))
    assert correlation_upper_bound(-1.0, 10) < -0.99


@pytest.mark.parametrize(
    ("numbers", "groups"),
    [
        ([], []),
        (["4.15E-21", "4.149E-21", "8.3E-21", "4.15E-21"], [(1, 0, 3), (2,)]),
        (["100", "101", "102", "103"], [(0, 1, 2), (3,)]),
        (["-5.2", "5.2", "-5.21"], [(2, 0), (1,)]),
        (["0", "0.0", "0.001"], [(0, 1), (2,)]),
        (["1", "2", "2"], [(1, 2), (0,)]),
    ],
)
def test_numbers_that_may_be_the_same_are_put_together(numbers: list[str], groups: list[tuple[int, ...]]) -> None:
    found = number_groups([Decimal(number) for number in numbers])
    assert [group.places for group in found] == groups
    assert all(group.middle in [Decimal(numbers[place]) for place in group.places] for group in found)
