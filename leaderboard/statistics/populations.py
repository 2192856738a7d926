"""How able a group of people is on a scale that others' answers have made known. Pure; formulas name their source."""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp, ndtri

from leaderboard.statistics.basis import CONFIDENCE, NO_INTERVAL, Floats, Interval
from leaderboard.statistics.item_response import FARTHEST_ABILITY, log_likelihoods

# Where people are all alike their spread would go to nothing, more and more slowly. Points of ability stand no further
# apart than that: between wider ones a narrow group would be as sure as it is not.
SMALLEST_SPREAD = 0.05
# So near the end of the scale what lies beyond it counts as well.
NEAR_THE_END = 1.0


class GroupAbility(NamedTuple):
    """Mean ability of the people a group is drawn from, its error, their spread, and the share of all questions right.

    `interval` is that of the share.
    """

    n_people: int
    mean: float
    standard_error: float
    deviation: float
    expected_score: float
    interval: Interval


def group_ability(
    values: Floats,
    difficulty: Floats,
    discrimination: Floats,
    confidence: float = CONFIDENCE,
    most_steps: int = 500,
    tolerance: float = 1e-4,
) -> GroupAbility:
    """Estimate the mean ability of the people that a group is drawn from, each asked a part of the questions or all.

    `values` has the shape (people, questions): 1 right, 0 not, NaN where not answered; which questions somebody got
    must not depend on the answers. Difficulty and discrimination of the questions are those that `fit_item_response`
    found from others, and taken as known. Abilities are normal with mean m and deviation s, both of greatest likelihood
    by expectation and maximisation, so that people who answered little are not drawn towards the others: R. J. Mislevy,
    Psychometrika 49 (1984) 359-381. With v_i the variance of a person's posterior, the error of m is
    (Σ (s² − v_i))^(−1/2) · s²: T. A. Louis, Journal of the Royal Statistical Society B 44 (1982) 226-233. The share is
    the mean over the normal distribution; its interval is that at m ± z errors. Where nearly all is right, or nearly
    nothing, the likelihood rises to the end of the scale: all of it is NaN then but for the number of people.
    """
    values = values[~np.isnan(values).all(axis=1)]
    if not len(values):
        return _unknown(0)
    points, likelihood, score_at = log_likelihoods(values, difficulty, discrimination, widest_step=SMALLEST_SPREAD)
    mean, deviation, error = 0.0, 1.0, float("nan")
    for _ in range(most_steps):
        log_chance = likelihood - (points - mean) ** 2 / (2 * deviation**2)
        chance = np.exp(log_chance - logsumexp(log_chance, axis=1, keepdims=True))
        means = chance @ points
        variances = chance @ points**2 - means**2
        error = deviation**2 / float(np.sqrt((deviation**2 - variances).sum()))
        before = mean, deviation
        mean = float(means.mean())
        deviation = max(float(np.sqrt((variances + (means - mean) ** 2).mean())), SMALLEST_SPREAD)
        if max(abs(mean - before[0]), abs(deviation - before[1])) < tolerance:
            break

    if abs(mean) > FARTHEST_ABILITY - NEAR_THE_END:
        return _unknown(len(values))

    def share(at: float) -> float:
        weights = np.exp(-((points - at) ** 2) / (2 * deviation**2))
        return float(weights @ score_at / weights.sum())

    half = float(ndtri((1 + confidence) / 2)) * error
    interval = Interval(share(mean - half), share(mean + half))
    return GroupAbility(len(values), mean, error, deviation, share(mean), interval)


def _unknown(n_people: int) -> GroupAbility:
    none = float("nan")
    return GroupAbility(n_people, none, none, none, none, NO_INTERVAL)
