"""Intervals of one mean. Pure and vectorised; every formula names its source."""

from functools import lru_cache

import numpy as np
from scipy.special import ndtri, stdtrit

from leaderboard.statistics.basis import (
    BOOTSTRAP_DRAWS,
    BOOTSTRAP_SEED,
    CONFIDENCE,
    NO_INTERVAL,
    Floats,
    Integers,
    Interval,
)

# Below it a standard error is a sum's rounding.
_NO_WIDTH = 1e-12


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


def wilson_bounds(right: Floats, n: Floats, confidence: float = CONFIDENCE) -> tuple[Floats, Floats]:
    """Return the lower and upper ends of many Wilson intervals (`wilson_interval`); NaN where n is 0.

    Counts need not be whole: a tie counts a half, and n may be an effective number of questions.
    """
    z = float(ndtri((1 + confidence) / 2))
    size = np.where(n > 0, n, np.nan)
    share = right / size
    scale = 1 + z * z / size
    centre = (share + z * z / (2 * size)) / scale
    half = z / scale * np.sqrt(np.maximum(share * (1 - share), 0.0) / size + z * z / (4 * size * size))
    low: Floats = np.where(right <= 0, np.minimum(size, 0.0), np.maximum(centre - half, 0.0))
    high: Floats = np.where(right >= n, np.maximum(size * 0.0, 1.0), np.minimum(centre + half, 1.0))
    return low, high


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
    means = clusters_drawn(n, draws, seed).astype(np.float64) @ question_means / n
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high))


@lru_cache(maxsize=12)
def clusters_drawn(n: int, draws: int, seed: int) -> Integers:
    """Return how often each of n questions is drawn, of shape (draws, n), in as few bytes as hold it.

    The same seed gives the same draws.
    """
    weights = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=draws)
    small: Integers = weights.astype(np.min_scalar_type(int(weights.max())))
    return small


def people_interval(person_means: Floats, confidence: float = CONFIDENCE) -> Interval:
    """Return the interval over people of the mean of their own means.

    Mean ± t(n − 1) · s / √n with s the standard deviation (n − 1) between people, cut to 0 and 1: it says how far the
    mean of other people drawn alike may be, on these questions. Source: Student, Biometrika 6 (1908) 1-25. No
    interval for fewer than two people; for people who are all alike see `around_mean`.
    """
    n = person_means.size
    if n < 2:
        return NO_INTERVAL
    half = float(stdtrit(n - 1, (1 + confidence) / 2) * np.std(person_means, ddof=1) / np.sqrt(n))
    return around_mean(float(np.mean(person_means)), half, n, confidence)


def around_mean(mean: float, half: float, n_people: int, confidence: float = CONFIDENCE) -> Interval:
    """Return mean ± half, cut to 0 and 1; where nothing spreads, the Wilson interval of as many trials as people.

    A few people who happen to be all alike do not show that everybody is.
    """
    if half < _NO_WIDTH:
        low, high = wilson_bounds(np.array([mean * n_people]), np.array([float(n_people)]), confidence)
        return Interval(float(low[0]), float(high[0]))
    return Interval(max(0.0, mean - half), min(1.0, mean + half))
