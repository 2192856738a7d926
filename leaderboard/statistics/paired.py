"""Two systems on the questions both answered. Pure and vectorised; every formula names its source."""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import bdtr, erfc, gammaln

from leaderboard.statistics.basis import (
    BOOTSTRAP_DRAWS,
    BOOTSTRAP_SEED,
    CONFIDENCE,
    NO_INTERVAL,
    Floats,
    Integers,
    Interval,
)
from leaderboard.statistics.resampling import question_weights

# Up to about this many products the sign-flip test is exact: about two seconds.
_EXACT_WORK = 2e9


class PairedComparison(NamedTuple):
    """The first less the second on `n` common questions; `better` and `worse` count those where they differ."""

    n: int
    difference: float
    interval: Interval
    p_value: float
    better: int
    worse: int


def mcnemar_p_value(better: int, worse: int) -> float:
    """Return the two-sided exact p-value of McNemar's test; 1 where no question tells the two apart.

    `better` questions only the first has right, `worse` only the second: min(1, 2 · P(X ≤ min(better, worse))), X
    binomial with n = better + worse and p = 1/2. Source: Q. McNemar, Psychometrika 12 (1947) 153-157, exact form.
    """
    return float(_mcnemar(np.array(float(better)), np.array(float(worse))))


def mcnemar_table(right: Floats) -> Floats:
    """Return the exact McNemar p-value (`mcnemar_p_value`) of every pair, of shape (entrants, entrants).

    `right` has the shape (entrants, questions): 1 right, 0 not, NaN not answered; a pair is compared on the questions
    both answered. The diagonal is NaN, and so are pairs without a common question.
    """
    answered = ~np.isnan(right)
    _refuse_shares(right[answered])
    is_right, is_wrong = (right == 1).astype(np.float64), (right == 0).astype(np.float64)
    better = is_right @ is_wrong.T
    common = answered.astype(np.float64) @ answered.T.astype(np.float64)
    p_values: Floats = np.where(common > 0, _mcnemar(better, better.T), np.nan)
    np.fill_diagonal(p_values, np.nan)
    return p_values


def paired_table(question_means: Floats, repeats: Integers) -> Floats:
    """Return the p-value of every pair, of shape (entrants, entrants): exact McNemar where both were asked once.

    `question_means` has the shape (entrants, questions), complete, each the mean over as many `repeats`. Where either
    of a pair was asked several times it is the sign-flip test (`sign_flip_p_value`), exact as long as all such pairs
    together are affordable; beyond that by its normal approximation: under the null the sum of the differences has the
    mean 0 and the variance Σ d². Source of the approximation: E. J. G. Pitman (1937), as there. The diagonal is NaN.
    """
    entrants, n = question_means.shape
    p_values: Floats = np.full((entrants, entrants), np.nan)
    once = np.flatnonzero(repeats == 1)
    p_values[np.ix_(once, once)] = mcnemar_table(question_means[once])
    pairs = [pair for pair in zip(*np.triu_indices(entrants, k=1), strict=True) if repeats[list(pair)].max() > 1]
    common = math.lcm(*(int(each) for each in repeats)) if entrants else 1
    if pairs and len(pairs) * float(n * common) ** 2 > _EXACT_WORK:
        approximate = _sign_flip_approximation(question_means)
        for first, second in pairs:
            p_values[first, second] = p_values[second, first] = approximate[first, second]
        return p_values
    for first, second in pairs:
        p_value = sign_flip_p_value(question_means[first], question_means[second], common)
        p_values[first, second] = p_values[second, first] = p_value
    return p_values


def sign_flip_p_value(first: Floats, second: Floats, repeats: int) -> float:
    """Return the two-sided exact p-value of the sign-flip test for questions that were asked several times.

    Both hold, for each common question, the mean over repeats; `repeats` is a number of repeats of which every mean
    is a multiple (the least common multiple where they differ). If the two are exchangeable on every question, each
    difference is as likely to be of the other sign: p is the share of all 2ⁿ choices of signs whose sum is at least
    as far from 0 as the one seen, found by convolution. Asked once, it is McNemar's exact test. Source: R. A. Fisher,
    The Design of Experiments (1935), section 21; E. J. G. Pitman, Supplement to the Journal of the Royal Statistical
    Society 4 (1937) 119-130.
    """
    steps = np.rint((first - second) * repeats).astype(np.int64)
    if not np.allclose(steps, (first - second) * repeats, atol=1e-6):
        raise ValueError(f"The means are not multiples of 1/{repeats}: give the repeats they are the means of.")
    counts = np.bincount(np.abs(steps))
    chances = np.ones(1)
    for size in range(1, counts.size):
        chances = np.convolve(chances, _sum_of_signs(int(counts[size]), size))
    centre = chances.size // 2
    far = abs(int(steps.sum()))
    return min(1.0, 2 * float(chances[centre + far :].sum())) if far else 1.0


def paired_bootstrap_interval(
    first: Floats,
    second: Floats,
    confidence: float = CONFIDENCE,
    draws: int = BOOTSTRAP_DRAWS,
    seed: int = BOOTSTRAP_SEED,
) -> Interval:
    """Return the percentile interval of the mean difference, first less second, over common questions.

    Whole questions are drawn with replacement, for both at once, so what makes a question easy for both cancels. The
    questions are seen as drawn from many like them. Source: B. Efron and R. J. Tibshirani, An Introduction to the
    Bootstrap (1993), sections 8.3 and 13.3. No interval for fewer than two questions.
    """
    if first.size < 2:
        return NO_INTERVAL
    means = question_weights(first.size, draws, seed) @ (first - second) / first.size
    low, high = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high))


def coarse_pair(first: Floats, second: Floats, step: int) -> tuple[Floats, Floats]:
    """Return two rows that differ by as much as these do in all, on about as many questions, and on no known one.

    Of the differences d between the two rows their sum D is kept, and of k = (Σ d² − |D|) / 2, which for answers given
    once is on how many questions the one behind is right and the other is not, the next multiple of `step` above it,
    or, where that is less, the largest k that rows of these means can have. So who knows one row by heart does not
    work out an answer of the other from a test of the rows returned. That test finds a difference less easily, not
    more, than a test of the rows themselves: asked once, Σ d² is never smaller.
    """
    n = int(first.size)
    total = float(np.round((first - second).sum(), 9))
    both = float(first.sum() + second.sum())
    squares = float(np.round(((first - second) ** 2).sum(), 9))
    whole, rest = int(abs(total)), abs(total) % 1
    most = (min(math.ceil(min(both, 2 * n - both)), n) - whole) // 2
    against = (math.floor(max(squares - abs(total), 0.0) / 2 / step) + 1) * step
    against = max(min(against, most, (n - whole - (rest > 0)) // 2), 0)
    differences = np.zeros(n)
    differences[:against] = -1.0
    differences[against : 2 * against + whole] = 1.0
    if rest:
        differences[2 * against + whole] = rest
    differences *= np.sign(total) or 1.0
    return np.maximum(differences, 0.0), np.maximum(-differences, 0.0)


def compare_pair(first: Floats, second: Floats, repeats: int = 1, confidence: float = CONFIDENCE) -> PairedComparison:
    """Compare two systems on the questions both answered (NaN where not): one value per question, from 0 to 1.

    The interval is `paired_bootstrap_interval`, the p-value `sign_flip_p_value`, which for `repeats` = 1 is
    `mcnemar_p_value`. Without a common question the difference and the p-value are NaN.
    """
    common = ~(np.isnan(first) | np.isnan(second))
    one, other = first[common], second[common]
    if not one.size:
        return PairedComparison(0, float("nan"), NO_INTERVAL, float("nan"), 0, 0)
    better, worse = int(np.count_nonzero(one > other)), int(np.count_nonzero(one < other))
    return PairedComparison(
        n=int(one.size),
        difference=float(np.mean(one - other)),
        interval=paired_bootstrap_interval(one, other, confidence),
        p_value=mcnemar_p_value(better, worse) if repeats == 1 else sign_flip_p_value(one, other, repeats),
        better=better,
        worse=worse,
    )


def _mcnemar(better: Floats, worse: Floats) -> Floats:
    p_values: Floats = np.minimum(1.0, 2 * bdtr(np.minimum(better, worse), (better + worse).astype(np.int64), 0.5))
    return p_values


def _sign_flip_approximation(question_means: Floats) -> Floats:
    """Return the two-sided normal approximation of the sign-flip test for every pair."""
    sums = question_means.sum(axis=1)
    squares = (question_means**2).sum(axis=1)
    variances = np.maximum(squares[:, np.newaxis] + squares - 2 * question_means @ question_means.T, 0.0)
    distances = np.abs(sums[:, np.newaxis] - sums)
    # Where no question tells the two apart, what rounding leaves is no difference.
    sizes = np.where(variances > 1e-9, np.sqrt(variances), np.inf)
    p_values: Floats = erfc(distances / sizes / np.sqrt(2))
    return p_values


def _sum_of_signs(n: int, size: int) -> Floats:
    """Return the chances of the sum of n signs times `size`, from -n·size to n·size."""
    places = np.arange(n + 1)
    chances = np.zeros(2 * n * size + 1)
    chances[:: 2 * size] = np.exp(gammaln(n + 1) - gammaln(places + 1) - gammaln(n - places + 1) - n * np.log(2))
    return chances


def _refuse_shares(values: Floats) -> None:
    if not np.isin(values, (0.0, 1.0)).all():
        raise ValueError("McNemar's test takes answers given once: 0 or 1. Use the sign-flip test for repeats.")
