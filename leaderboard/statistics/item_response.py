"""The two-parameter item response model: ability and difficulty on one scale. Pure; every formula names its source."""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logsumexp

from leaderboard.statistics.basis import Flags, Floats

# Abilities are standard normal, so hardly anyone is beyond this.
FARTHEST_ABILITY = 6.0
MOST_POINTS = 801
# Weak priors: the logarithm of a discrimination is normal around 0, an intercept normal around 0.
DISCRIMINATION_SPREAD = 0.5
INTERCEPT_SPREAD = 3.0
LARGEST_STEP = 1.0


class ItemResponseModel(NamedTuple):
    """A fitted model: per entrant the first four, per question the last two; entrants without an answer are NaN.

    `ability` is in standard deviations of the entrants; `expected_score` is the share of *all* questions right that
    goes with it, so that entrants who answered different questions can stand side by side.
    """

    ability: Floats
    ability_error: Floats
    expected_score: Floats
    expected_score_error: Floats
    difficulty: Floats
    discrimination: Floats
    steps: int
    has_converged: bool


class _Items(NamedTuple):
    log_slope: Floats
    intercept: Floats


class _Answers(NamedTuple):
    right: Floats
    answered: Floats
    points: Floats


def fit_item_response(values: Floats, most_steps: int = 500, tolerance: float = 1e-3) -> ItemResponseModel:
    """Fit P(right) = 1 / (1 + exp(−a(θ − b))): θ an entrant's ability, b a question's difficulty, a its discrimination.

    `values` has the shape (entrants, questions): 1 right, 0 not, a share for repeats, NaN where not answered. Who
    answered what must not depend on the answers. Abilities are standard normal in the population; a and −ab are the
    posterior mode under weak priors (log a normal with deviation 0.5, −ab with deviation 3), so that a question all
    have right has a difficulty. An ability is the mean of its posterior given these, its error the standard deviation,
    which leaves out how well the questions themselves are known.

    Marginal maximum likelihood by expectation and maximisation: R. D. Bock and M. Aitkin, Psychometrika 46 (1981)
    443-459; priors: R. J. Mislevy, Psychometrika 51 (1986) 177-195. The integral is a sum over even points, no farther
    apart than the narrowest posterior is wide: between Gauss-Hermite points an entrant with hundreds of answers would
    fall through.
    """
    answered = ~np.isnan(values)
    answers = _Answers(np.where(answered, values, 0.0), answered.astype(np.float64), _points(answered.sum(axis=1)))
    items = _first_guess(answers)
    posterior = _posterior(answers, items)
    steps, has_converged = 0, False
    while steps < most_steps and not has_converged:
        following = _improved(answers, posterior, items)
        change = max(float(np.abs(new - old).max(initial=0.0)) for new, old in zip(following, items, strict=True))
        items, steps, has_converged = following, steps + 1, change < tolerance
        posterior = _posterior(answers, items)
    return _result(answers, items, posterior, steps, has_converged)


def _points(counts: Floats) -> Floats:
    """Return even points whose distance is the width of the posterior of someone with most answers, at a = 2."""
    needed = int(np.ceil(2 * FARTHEST_ABILITY * np.sqrt(1.0 + counts.max(initial=0))))
    return np.linspace(-FARTHEST_ABILITY, FARTHEST_ABILITY, min(max(needed, 61), MOST_POINTS))


def _first_guess(answers: _Answers) -> _Items:
    share = (answers.right.sum(axis=0) + 0.5) / (answers.answered.sum(axis=0) + 1)
    return _Items(np.zeros_like(share), np.log(share / (1 - share)))


def _posterior(answers: _Answers, items: _Items) -> Floats:
    """Return the chance of each point for each entrant, of shape (entrants, points)."""
    slope, points = np.exp(items.log_slope), answers.points
    logits = slope[:, np.newaxis] * points + items.intercept[:, np.newaxis]
    log_chance = (answers.right @ slope)[:, np.newaxis] * points + (answers.right @ items.intercept)[:, np.newaxis]
    log_chance = log_chance - answers.answered @ np.logaddexp(0.0, logits) - points**2 / 2
    posterior: Floats = np.exp(log_chance - logsumexp(log_chance, axis=1, keepdims=True))
    return posterior


def _improved(answers: _Answers, posterior: Floats, items: _Items) -> _Items:
    """Return questions after two steps of Fisher scoring of the expected log posterior."""
    n = answers.answered.T @ posterior
    right = answers.right.sum(axis=0)
    right_by_point = answers.right.T @ (posterior @ answers.points)
    for _ in range(2):
        items = _scored(items, n, right, right_by_point, answers.points)
    return items


def _scored(items: _Items, n: Floats, right: Floats, right_by_point: Floats, points: Floats) -> _Items:
    slope = np.exp(items.log_slope)
    chance = expit(slope[:, np.newaxis] * points + items.intercept[:, np.newaxis])
    expected = n * chance
    information = expected * (1 - chance)
    slope_gradient = slope * (right_by_point - expected @ points) - items.log_slope / DISCRIMINATION_SPREAD**2
    intercept_gradient = right - expected.sum(axis=1) - items.intercept / INTERCEPT_SPREAD**2
    of_slope = slope**2 * (information @ points**2) + 1 / DISCRIMINATION_SPREAD**2
    of_both = slope * (information @ points)
    of_intercept = information.sum(axis=1) + 1 / INTERCEPT_SPREAD**2
    determinant = of_slope * of_intercept - of_both**2
    slope_step = (of_intercept * slope_gradient - of_both * intercept_gradient) / determinant
    intercept_step = (of_slope * intercept_gradient - of_both * slope_gradient) / determinant
    return _Items(
        items.log_slope + np.clip(slope_step, -LARGEST_STEP, LARGEST_STEP),
        items.intercept + np.clip(intercept_step, -LARGEST_STEP, LARGEST_STEP),
    )


def _result(answers: _Answers, items: _Items, posterior: Floats, steps: int, has_converged: bool) -> ItemResponseModel:
    slope = np.exp(items.log_slope)
    logits = slope[:, np.newaxis] * answers.points + items.intercept[:, np.newaxis]
    score_at = expit(logits).mean(axis=0) if slope.size else np.full_like(answers.points, np.nan)
    has_answers: Flags = answers.answered.sum(axis=1) > 0
    ability, ability_error = _moments(posterior, answers.points, has_answers)
    score, score_error = _moments(posterior, score_at, has_answers)
    return ItemResponseModel(
        ability, ability_error, score, score_error, -items.intercept / slope, slope, steps, has_converged
    )


def _moments(posterior: Floats, at: Floats, has_answers: Flags) -> tuple[Floats, Floats]:
    """Return mean and standard deviation over the posterior of a figure known at every point."""
    mean = posterior @ at
    spread = np.sqrt(np.maximum(posterior @ at**2 - mean**2, 0.0))
    return np.where(has_answers, mean, np.nan), np.where(has_answers, spread, np.nan)
