"""Draws of questions with replacement, as how often each was drawn. Pure."""

import numpy as np

from leaderboard.statistics.basis import Floats


def question_weights(n: int, draws: int, seed: int) -> Floats:
    """Return how often each of n things is drawn in each bootstrap draw, of shape (draws, n); each row sums to n.

    The same seed gives the same draws. Source: B. Efron, The Annals of Statistics 7 (1979) 1-26.
    """
    generator = np.random.default_rng(seed)
    places = generator.integers(0, n, size=(draws, n)) + n * np.arange(draws)[:, np.newaxis]
    return np.bincount(places.ravel(), minlength=draws * n).reshape(draws, n).astype(np.float64)
