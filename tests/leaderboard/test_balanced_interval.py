"""The estimate from people who answered different questions: by hand, against a complete design, by simulation."""

import math

import numpy as np
import pytest
from scipy import stats

from leaderboard.statistics import balanced_estimate, people_interval

NAN = float("nan")


def test_mean_is_over_questions_not_over_answers() -> None:
    # Question 1: 2 of 2; question 2: 1 of 4. Over answers this would be 3 of 6.
    values = np.array([[1, 0], [1, 0], [NAN, 0], [NAN, 1]])
    estimate = balanced_estimate(values)
    assert estimate.mean == pytest.approx((1 + 1 / 4) / 2)
    assert estimate[2:] == (4, 6, 2)


def test_variance_worked_by_hand() -> None:
    # Residuals: person a (1/2, -1/3), b (-1/2, none), c (none, -1/3), d (none, 2/3); 2, 3 answers, 1 person in both.
    values = np.array([[1, 0], [0, NAN], [NAN, 0], [NAN, 1]])
    within = (1 / 4 + 1 / 4) / (2 * 1) + (1 / 9 + 1 / 9 + 4 / 9) / (3 * 2)
    between = 2 * (1 / 2 * -1 / 3) / (6 - 2 - 3 + 1)
    half = stats.t.ppf(0.975, 3) * math.sqrt((within + between) / 4)
    mean = (1 / 2 + 1 / 3) / 2
    assert balanced_estimate(values).interval == pytest.approx((max(0, mean - half), min(1, mean + half)))


@pytest.mark.parametrize(("people", "questions"), [(2, 1), (5, 3), (33, 236)])
def test_equals_the_interval_over_people_where_everybody_answered_everything(people: int, questions: int) -> None:
    values = np.random.default_rng(3).integers(0, 2, size=(people, questions)).astype(float)
    estimate = balanced_estimate(values)
    assert estimate.mean == pytest.approx(values.mean())
    assert estimate.interval == pytest.approx(people_interval(values.mean(axis=1)))


def test_people_without_an_answer_change_nothing() -> None:
    values = np.array([[1, 0], [1, 1], [NAN, 0]])
    assert balanced_estimate(np.vstack([values, [[NAN, NAN]]])) == balanced_estimate(values)


@pytest.mark.parametrize(
    ("values", "has_mean"),
    [
        ([[1, NAN], [0, NAN]], False),
        ([[1, NAN], [0, 1]], True),
        ([[1, 0]], True),
        (np.empty((0, 3)), False),
        (np.empty((3, 0)), False),
    ],
)
def test_no_mean_without_and_no_interval_with_a_single_answer_to_a_question(values: list, has_mean: bool) -> None:
    estimate = balanced_estimate(np.array(values, dtype=float))
    assert math.isnan(estimate.mean) is not has_mean
    assert all(math.isnan(end) for end in estimate.interval)
