"""Which ranks the questions allow an entrant. Pure and vectorised; every formula names its source."""

import numpy as np

from leaderboard.statistics.basis import BOOTSTRAP_DRAWS, BOOTSTRAP_SEED, CONFIDENCE, Floats, Integers
from leaderboard.statistics.resampling import question_weights


def rank_intervals(
    question_means: Floats,
    confidence: float = CONFIDENCE,
    draws: int = BOOTSTRAP_DRAWS,
    seed: int = BOOTSTRAP_SEED,
) -> Integers:
    """Return the best and the worst rank of each entrant, of shape (entrants, 2), by bootstrap over questions.

    `question_means` has the shape (entrants, questions), complete. For an entrant j, questions are drawn with
    replacement for all entrants at once; c is the quantile of max over k of |d*_k − d_k| / s_k, with d_k the mean
    difference of k and j and s_k its standard error. Its best rank is 1 + the entrants with d_k > c · s_k, its worst
    the number of entrants less those with d_k < −c · s_k. It holds the rank on many questions like these with the
    confidence stated, for each entrant by itself, near ties included. (Quantiles of the rank itself over the draws do
    not, for the first and last of near-equal entrants.) s_k is not taken below 1 / questions, one question's worth.
    Source: M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm, Review of Economic Studies 91 (2024) 476-518,
    section 3. With fewer than two questions every rank is allowed.
    """
    entrants, n = question_means.shape
    if n < 2 or entrants < 2:
        return np.tile(np.array([1, entrants], dtype=np.int64), (entrants, 1))
    means = question_means.mean(axis=1)
    moved = (question_means @ question_weights(n, draws, seed).T) / n - means[:, np.newaxis]
    errors = _errors_of_differences(question_means)
    return np.array(
        [_bounds_of(entrant, means, moved, errors[entrant], confidence) for entrant in range(entrants)], dtype=np.int64
    )


def _errors_of_differences(question_means: Floats) -> Floats:
    """Return the standard error of the mean difference of every pair, of shape (entrants, entrants)."""
    n = question_means.shape[1]
    covariance = np.cov(question_means)
    variances = np.diag(covariance)
    spread = np.maximum(variances[:, np.newaxis] + variances - 2 * covariance, 0.0)
    errors: Floats = np.maximum(np.sqrt(spread / n), 1 / n)
    return errors


def _bounds_of(entrant: int, means: Floats, moved: Floats, errors: Floats, confidence: float) -> tuple[int, int]:
    others = np.arange(means.size) != entrant
    farthest = (np.abs(moved[others] - moved[entrant]) / errors[others, np.newaxis]).max(axis=0)
    reach = float(np.quantile(farthest, confidence)) * errors[others]
    differences = means[others] - means[entrant]
    above, below = int((differences > reach).sum()), int((differences < -reach).sum())
    return 1 + above, means.size - below
