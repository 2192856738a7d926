"""Estimates and their intervals. Pure and vectorised; every formula names its source."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

CONFIDENCE = 0.95
BOOTSTRAP_DRAWS = 2000
BOOTSTRAP_SEED = 20_240_401

Floats = npt.NDArray[np.float64]


class Interval(NamedTuple):
    """The ends of an interval as fractions of 1; NaN where none can be given."""

    low: float
    high: float


NO_INTERVAL = Interval(float("nan"), float("nan"))


def wilson_interval(right: int, n: int, confidence: float = CONFIDENCE) -> Interval:
    """Return the Wilson score interval of an accuracy: `right` answers out of `n` questions asked once.

    Centre (p + z²/2n) / (1 + z²/n), half width z / (1 + z²/n) · √(p(1 − p)/n + z²/4n²), with p = right / n and z the
    normal quantile of the confidence; no continuity correction. Source: E. B. Wilson, Journal of the American
    Statistical Association 22 (1927) 209-212. No interval for n = 0.
    """
    if not 0 <= right <= n:
        raise ValueError(f"{right} right answers out of {n} cannot be.")
    if n == 0:
        return NO_INTERVAL
    z = float(ndtri((1 + confidence) / 2))
    share = right / n
    scale = 1 + z * z / n
    centre = (share + z * z / (2 * n)) / scale
    half = z / scale * float(np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)))
    # At 0 and n the bound is 0 or 1 exactly; rounding must not move it.
    low = 0.0 if right == 0 else max(0.0, centre - half)
    high = 1.0 if right == n else min(1.0, centre + half)
    return Interval(low, high)


def bootstrap_interval(
    question_means: Floats,
    confidence: float = CONFIDENCE,
    draws: int = BOOTSTRAP_DRAWS,
    seed: int = BOOTSTRAP_SEED,
) -> Interval:
    """Return the percentile interval of a mean over questions that were each asked several times.

    `question_means` holds, for every question, the mean over its repeats. Whole questions are drawn with replacement
    (a question with its repeats is one cluster), `draws` times, from a fixed seed, so that the same answers give the
    same interval. Source: A. C. Davison and D. V. Hinkley, Bootstrap Methods and their Application (1997), sections
    3.8 and 5.3. No interval for fewer than two questions.
    """
    n = question_means.size
    if n < 2:
        return NO_INTERVAL
    generator = np.random.default_rng(seed)
    weights = generator.multinomial(n, np.full(n, 1 / n), size=draws)
    means = weights @ question_means / n
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high))


def people_interval(person_means: Floats, confidence: float = CONFIDENCE) -> Interval:
    """Return the interval over people of the mean of their own means.

    Mean ± t(n − 1) · s / √n with s the standard deviation (n − 1) between people, cut to 0 and 1: it says how far the
    mean of other people drawn alike may be, on these questions. Source: Student, Biometrika 6 (1908) 1-25. No
    interval for fewer than two people.
    """
    n = person_means.size
    if n < 2:
        return NO_INTERVAL
    half = float(stdtrit(n - 1, (1 + confidence) / 2) * np.std(person_means, ddof=1) / np.sqrt(n))
    mean = float(np.mean(person_means))
    return Interval(max(0.0, mean - half), min(1.0, mean + half))


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
    Q⁻² Σ_people (Σ_i r_i / n_i)². Derived in docs/study-design.md.
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
        interval = Interval(max(0.0, mean - half), min(1.0, mean + half))
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
