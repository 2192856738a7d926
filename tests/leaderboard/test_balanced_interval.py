"""The estimate from people who answered different questions: by hand, against a complete design, by simulation."""

import math

import numpy as np
import pytest
from scipy import stats

from leaderboard.statistics import balanced_estimate, people_interval
from tests.balanced_simulation import (
    N_QUESTIONS,
    Population,
    answers,
    coverages,
    population_mean,
    shares,
    small_coverages,
)

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


def test_general_formula_comes_to_the_interval_over_people_in_a_complete_design() -> None:
    """A question asked of half of the people, with equal answers, adds no pair that matters but takes the long way."""
    values = np.random.default_rng(3).integers(0, 2, size=(20, 50)).astype(float)
    asked_of_half = np.where(np.arange(20) < 10, 1.0, NAN)
    short = people_interval(values.mean(axis=1))
    long = balanced_estimate(np.column_stack([values, asked_of_half])).interval
    # The constant question has no residuals: the half width is that of 50 questions, spread over 51.
    assert (long.high - long.low) * 51 / 50 == pytest.approx(short.high - short.low)


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


# Simulated studies: a share of 30 of the 236 questions each, drawn with the site's code


# `python -m tests.balanced_simulation` makes 2,000 runs of each; here the larger ones have fewer, and room for chance.
@pytest.mark.parametrize(
    ("people", "runs", "low", "high"), [(30, 2000, 0.93, 0.97), (60, 500, 0.92, 0.98), (120, 300, 0.912, 0.988)]
)
def test_interval_covers_a_known_population_mean(people: int, runs: int, low: float, high: float) -> None:
    covered = coverages(runs=runs, people=people, population=Population())
    assert low <= covered["balanced estimate"].share <= high
    # What the interval is for: answers of one person are not independent, and a naive interval pretends they are.
    assert covered["all answers as one sample"].share < 0.75


@pytest.mark.parametrize(
    "population", [Population(0.0, 0.0, 1.2), Population(2.0, 0.0, 1.2), Population(1.0, 1.0, 2.5)]
)
def test_interval_covers_whatever_people_and_questions_are_like(population: Population) -> None:
    # 400 runs: 0.95 ± 3 standard errors of 0.011.
    assert 0.917 <= coverages(runs=400, people=30, population=population)["balanced estimate"].share <= 0.983


@pytest.mark.parametrize("population", [Population(), Population(0.0, 0.0, 1.2)])
def test_interval_of_a_dozen_people_holds_a_little_less(population: Population) -> None:
    # 1,000 runs: between 91 and 95 %, with three standard errors of 0.008 on either side.
    assert 0.885 <= small_coverages(runs=1000, population=population)["balanced estimate"].share <= 0.97


def test_mean_and_variance_are_unbiased() -> None:
    generator = np.random.default_rng(11)
    population, people, runs = Population(), 30, 600
    difficulties = generator.normal(0, population.difficulty, N_QUESTIONS)
    means, variances = [], []
    for given in shares(runs=runs, people=people, generator=generator):
        values = np.where(given, answers(population, difficulties, people, generator), np.nan)
        estimate = balanced_estimate(values)
        means.append(estimate.mean)
        variances.append(((estimate.interval.high - estimate.interval.low) / 2 / stats.t.ppf(0.975, people - 1)) ** 2)
    spread = np.var(means, ddof=1)
    expected = population_mean(population, difficulties)
    assert np.mean(means) == pytest.approx(expected, abs=3 * math.sqrt(spread / runs))
    # The standard error of a variance from 600 normal draws is 5.8 %.
    assert np.mean(variances) == pytest.approx(spread, rel=0.18)
