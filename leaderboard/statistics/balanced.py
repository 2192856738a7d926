"""The mean of people who answered different questions. Pure; the formula is derived in docs/study-design.md."""

from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from leaderboard.statistics.basis import CONFIDENCE, NO_INTERVAL, Floats, Interval
from leaderboard.statistics.intervals import around_mean, people_interval


class SetEstimate(NamedTuple):
    """How good a population is at a set of questions, from people who answered different questions of it."""

    mean: float
    interval: Interval
    n_people: int
    n_answers: int
    fewest_answers: int


def balanced_estimate(values: Floats, confidence: float = CONFIDENCE) -> SetEstimate:
    """Return the mean over the questions of the mean over their people, and its interval over people.

    `values` has the shape (people, questions): from 0 (wrong) to 1 (right), NaN where a person was not asked or has
    no verdict; people without any are left out. What is estimated: the mean over exactly these questions of the share
    of the population of people that answers them rightly. No mean (NaN) unless every question has an answer.

    The interval is mean ± t(n - 1) · s, n the number of people, cut to 0 and 1; none unless every question has two
    answers. With people drawn independently, questions fixed, and who was asked what independent of the answers,
    s² = Q⁻² Σ_people Σ_ij r_i r_j / (n_i n_j - n_i - n_j + n_ij) is an unbiased estimate of the variance: the sums run
    over the questions i, j a person answered, r is the answer less the question's mean, n_i the answers to i, n_ij
    the people who answered both. Where everybody answered everything it is `people_interval`. It is never taken below
    Q⁻² Σ_people (Σ_i r_i / n_i)²; for people who are all alike see `around_mean`. Derived in docs/study-design.md.
    """
    values = values[~np.isnan(values).all(axis=1)]
    answered = ~np.isnan(values)
    counts = answered.sum(axis=0)
    fewest = int(counts.min()) if counts.size else 0
    if not fewest:
        return SetEstimate(float("nan"), NO_INTERVAL, len(values), int(counts.sum()), fewest)
    means = np.where(answered, values, 0.0).sum(axis=0) / counts
    mean = float(means.mean())
    interval = NO_INTERVAL
    if answered.all():
        # The general formula comes to the same, from a table of all pairs of questions.
        interval = people_interval(values.mean(axis=1), confidence)
    elif fewest >= 2:
        residuals = np.where(answered, values - means, 0.0)
        error = float(np.sqrt(_variance_over_people(residuals, answered.astype(np.float64))))
        half = float(stdtrit(len(values) - 1, (1 + confidence) / 2)) * error
        interval = around_mean(mean, half, len(values), confidence)
    return SetEstimate(mean, interval, len(values), int(counts.sum()), fewest)


def _variance_over_people(residuals: Floats, answered: Floats) -> float:
    """Return the variance of `balanced_estimate`; both of shape (people, questions), every question answered twice."""
    n_questions = residuals.shape[1]
    counts = answered.sum(axis=0)
    together = answered.T @ answered
    scale = np.outer(counts, counts) - counts[:, np.newaxis] - counts + together
    # Pairs nobody answered both of have no product; their scale may be 0.
    pairs = np.divide(residuals.T @ residuals, scale, out=np.zeros_like(scale), where=together > 0)
    plain = float(((residuals / counts).sum(axis=1) ** 2).sum())
    return max(float(pairs.sum()), plain) / float(n_questions**2)
