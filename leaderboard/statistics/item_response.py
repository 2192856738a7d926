"""The two-parameter item response model: ability and difficulty on one scale. Pure; every formula names its source."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logsumexp

from leaderboard.statistics.basis import Flags, Floats, Integers

# Abilities are standard normal, so hardly anyone is beyond this.
FARTHEST_ABILITY = 6.0
MOST_POINTS = 801
# Weak priors: the logarithm of a discrimination is normal around 0, an intercept normal around 0.
DISCRIMINATION_SPREAD = 0.5
INTERCEPT_SPREAD = 3.0
LARGEST_STEP = 1.0
NEGLIGIBLE = 1e-12


class ItemResponseModel(NamedTuple):
    """A fitted model: per entrant the first four, per question the next three; entrants without an answer are NaN.

    `ability` is in standard deviations of the entrants; `expected_score` is the share of *all* questions right that
    goes with it, so that entrants who answered different questions can stand side by side.
    """

    ability: Floats
    ability_error: Floats
    expected_score: Floats
    expected_score_error: Floats
    difficulty: Floats
    difficulty_error: Floats
    discrimination: Floats
    steps: int
    has_converged: bool


class _Items(NamedTuple):
    log_slope: Floats
    intercept: Floats


class _Answers(NamedTuple):
    """Answers to distinct questions: `alike` says for how many each column stands."""

    right: Floats
    answered: Floats
    points: Floats
    alike: Floats


class Abilities(NamedTuple):
    """Abilities on the scale of questions that are known, and the share of all of these right that goes with each."""

    ability: Floats
    ability_error: Floats
    expected_score: Floats
    expected_score_error: Floats


def fit_item_response(values: Floats, most_steps: int = 500, tolerance: float = 1e-3) -> ItemResponseModel:
    """Fit P(right) = 1 / (1 + exp(−a(θ − b))): θ an entrant's ability, b a question's difficulty, a its discrimination.

    `values` has the shape (entrants, questions): 1 right, 0 not, a share for repeats, NaN where not answered. Who
    answered what must not depend on the answers. Abilities are standard normal in the population; a and −ab are the
    posterior mode under weak priors (log a normal with deviation 0.5, −ab with deviation 3), so that a question all
    have right has a difficulty. An ability is the mean of its posterior given these, its error the standard deviation,
    which leaves out how well the questions themselves are known; a difficulty's error takes the abilities as known.

    Marginal maximum likelihood by expectation and maximisation: R. D. Bock and M. Aitkin, Psychometrika 46 (1981)
    443-459; priors: R. J. Mislevy, Psychometrika 51 (1986) 177-195. The integral is a sum over even points, no farther
    apart than the narrowest posterior is wide: between Gauss-Hermite points an entrant with hundreds of answers would
    fall through. Questions that everybody answered alike have the same figures and are worked out once.
    """
    distinct, place = _distinct(values)
    answers = _answers(distinct, np.bincount(place, minlength=distinct.shape[1]))
    items = _first_guess(answers)
    posterior = _posterior(answers, items)
    steps, has_converged = 0, False
    while steps < most_steps and not has_converged:
        following = _improved(answers, posterior, items)
        change = max(float(np.abs(new - old).max(initial=0.0)) for new, old in zip(following, items, strict=True))
        items, steps, has_converged = following, steps + 1, change < tolerance
        posterior = _posterior(answers, items)
    figures = _abilities(answers, items, posterior)
    slope = np.exp(items.log_slope)
    difficulty, error = -items.intercept / slope, _difficulty_error(answers, items, posterior)
    return ItemResponseModel(*figures, difficulty[place], error[place], slope[place], steps, has_converged)


def known_abilities(values: Floats, difficulty: Floats, discrimination: Floats) -> Abilities:
    """Return the abilities of entrants on the scale of questions that others' answers have made known.

    `values` as for `fit_item_response`. An ability is the mean of its posterior where abilities are standard normal,
    its error the standard deviation. Source: R. D. Bock and R. J. Mislevy, Applied Psychological Measurement 6 (1982)
    431-444.
    """
    answers = _answers(values, np.ones(values.shape[1]))
    items = _Items(np.log(discrimination), -difficulty * discrimination)
    return _abilities(answers, items, _posterior(answers, items))


def log_likelihoods(
    values: Floats, difficulty: Floats, discrimination: Floats, *, widest_step: float
) -> tuple[Floats, Floats, Floats]:
    """Return points of ability, the log likelihood of each entrant at each, and the share of all questions right.

    No two neighbours of the points are further apart than `widest_step`.
    """
    answers = _answers(values, np.ones(values.shape[1]), widest_step=widest_step)
    items = _Items(np.log(discrimination), -difficulty * discrimination)
    return answers.points, _log_likelihood(answers, items), _score_at(answers, items)


def _distinct(values: Floats) -> tuple[Floats, Integers]:
    """Return the distinct columns, and which of them each column is."""
    if not values.size:
        return values, np.arange(values.shape[1])
    coded, place = np.unique(np.where(np.isnan(values), -1.0, values), axis=1, return_inverse=True)
    return np.where(coded < 0, np.nan, coded), place.ravel()


def _answers(values: Floats, alike: npt.NDArray[Any], *, widest_step: float = 0.2) -> _Answers:
    answered = ~np.isnan(values)
    weights = alike.astype(np.float64)
    points = _points(answered @ weights, widest_step)
    return _Answers(np.where(answered, values, 0.0), answered.astype(np.float64), points, weights)


def _points(counts: Floats, widest_step: float) -> Floats:
    """Return even points whose distance is the width of the posterior of someone with most answers, at a = 2."""
    needed = int(np.ceil(2 * FARTHEST_ABILITY * np.sqrt(1.0 + counts.max(initial=0))))
    fewest = int(np.ceil(2 * FARTHEST_ABILITY / widest_step)) + 1
    return np.linspace(-FARTHEST_ABILITY, FARTHEST_ABILITY, min(max(needed, fewest), MOST_POINTS))


def _first_guess(answers: _Answers) -> _Items:
    share = (answers.right.sum(axis=0) + 0.5) / (answers.answered.sum(axis=0) + 1)
    return _Items(np.zeros_like(share), np.log(share / (1 - share)))


def _posterior(answers: _Answers, items: _Items) -> Floats:
    """Return the chance of each point for each entrant, of shape (entrants, points)."""
    log_chance = _log_likelihood(answers, items) - answers.points**2 / 2
    posterior: Floats = np.exp(log_chance - logsumexp(log_chance, axis=1, keepdims=True))
    return posterior


def _log_likelihood(answers: _Answers, items: _Items) -> Floats:
    slope, points, right = np.exp(items.log_slope), answers.points, answers.right * answers.alike
    logits = slope[:, np.newaxis] * points + items.intercept[:, np.newaxis]
    found: Floats = (right @ slope)[:, np.newaxis] * points + (right @ items.intercept)[:, np.newaxis]
    return found - (answers.answered * answers.alike) @ np.logaddexp(0.0, logits)


def _improved(answers: _Answers, posterior: Floats, items: _Items) -> _Items:
    """Return questions after two steps of Fisher scoring of the expected log posterior."""
    # Points where nobody may be say nothing, and with few entrants are most.
    is_used = posterior.max(axis=0, initial=0.0) > NEGLIGIBLE
    points, posterior = answers.points[is_used], posterior[:, is_used]
    n = answers.answered.T @ posterior
    right = answers.right.sum(axis=0)
    right_by_point = answers.right.T @ (posterior @ points)
    for _ in range(2):
        items = _scored(items, n, right, right_by_point, points)
    return items


def _scored(items: _Items, n: Floats, right: Floats, right_by_point: Floats, points: Floats) -> _Items:
    slope = np.exp(items.log_slope)
    chance = expit(slope[:, np.newaxis] * points + items.intercept[:, np.newaxis])
    expected = n * chance
    of_slope, of_both, of_intercept = _information(items, expected * (1 - chance), points)
    slope_gradient = slope * (right_by_point - expected @ points) - items.log_slope / DISCRIMINATION_SPREAD**2
    intercept_gradient = right - expected.sum(axis=1) - items.intercept / INTERCEPT_SPREAD**2
    determinant = of_slope * of_intercept - of_both**2
    slope_step = (of_intercept * slope_gradient - of_both * intercept_gradient) / determinant
    intercept_step = (of_slope * intercept_gradient - of_both * slope_gradient) / determinant
    return _Items(
        items.log_slope + np.clip(slope_step, -LARGEST_STEP, LARGEST_STEP),
        items.intercept + np.clip(intercept_step, -LARGEST_STEP, LARGEST_STEP),
    )


def _information(items: _Items, weights: Floats, points: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the information on each question's slope (its logarithm), on both, and on its intercept."""
    slope = np.exp(items.log_slope)
    return (
        slope**2 * (weights @ points**2) + 1 / DISCRIMINATION_SPREAD**2,
        slope * (weights @ points),
        weights.sum(axis=1) + 1 / INTERCEPT_SPREAD**2,
    )


def _difficulty_error(answers: _Answers, items: _Items, posterior: Floats) -> Floats:
    """Return the standard error of −intercept / slope by the delta method."""
    slope = np.exp(items.log_slope)
    chance = expit(slope[:, np.newaxis] * answers.points + items.intercept[:, np.newaxis])
    weights = (answers.answered.T @ posterior) * chance * (1 - chance)
    of_slope, of_both, of_intercept = _information(items, weights, answers.points)
    difficulty = -items.intercept / slope
    variance = difficulty**2 * of_intercept - 2 * difficulty / slope * of_both + of_slope / slope**2
    error: Floats = np.sqrt(variance / (of_slope * of_intercept - of_both**2))
    return error


def _score_at(answers: _Answers, items: _Items) -> Floats:
    """Return the share of all questions right at each point."""
    if not answers.alike.size:
        return np.full_like(answers.points, np.nan)
    logits = np.exp(items.log_slope)[:, np.newaxis] * answers.points + items.intercept[:, np.newaxis]
    return np.asarray(answers.alike @ expit(logits) / answers.alike.sum())


def _abilities(answers: _Answers, items: _Items, posterior: Floats) -> Abilities:
    has_answers: Flags = answers.answered.sum(axis=1) > 0
    of_ability = _moments(posterior, answers.points, has_answers)
    return Abilities(*of_ability, *_moments(posterior, _score_at(answers, items), has_answers))


def _moments(posterior: Floats, at: Floats, has_answers: Flags) -> tuple[Floats, Floats]:
    """Return mean and standard deviation over the posterior of a figure known at every point."""
    mean = posterior @ at
    spread = np.sqrt(np.maximum(posterior @ at**2 - mean**2, 0.0))
    return np.where(has_answers, mean, np.nan), np.where(has_answers, spread, np.nan)
