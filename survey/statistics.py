"""Figures about questions and about agreement between people. Pure and vectorised; every formula names its source."""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import bdtrc, ndtri

Floats = npt.NDArray[np.float64]

LEAST_FOR_DISCRIMINATION = 3
UNDEFINED = float("nan")


class NumberGroup(NamedTuple):
    """Numbers that people may have meant to be the same: the places they have in what was given, and their middle."""

    places: tuple[int, ...]
    middle: Decimal


class Agreement(NamedTuple):
    """How far people agree. `alpha` and `observed` are NaN where they are not defined.

    `n_questions` counts the questions with two answers or more, `n_answers` the answers to these; `observed` is the
    share of pairs of people that agree (weighted as in alpha), `expected` what alpha takes for chance.
    """

    alpha: float
    observed: float
    expected: float
    n_questions: int
    n_answers: int


def corrected_discrimination(verdicts: Floats) -> Floats:
    """Return the corrected point-biserial correlation of each question, between -1 and 1.

    `verdicts` has a row for each person and a column for each question: 1 right, 0 not, NaN not answered. For each
    question it is Pearson's correlation, over the people who answered it, between their verdict on it and their share
    right in all the *other* questions they answered: people who were given different questions are comparable only by
    a share. Someone with no other answer is left out. NaN for fewer than three people, or where everybody is alike in
    one of the two. Source: S. Henrysson, Psychometrika 28 (1963) 211-218 (the item removed from the total).
    """
    answered = ~np.isnan(verdicts)
    right = np.where(answered, verdicts, 0.0)
    others = answered.sum(axis=1, keepdims=True) - answered
    used = answered & (others > 0)
    share = np.where(used, (right.sum(axis=1, keepdims=True) - right) / np.maximum(others, 1), 0.0)
    return _columnwise_correlation(np.where(used, right, 0.0), share, used)


def _columnwise_correlation(x: Floats, y: Floats, used: npt.NDArray[np.bool_]) -> Floats:
    n = used.sum(axis=0)
    divisor = np.maximum(n, 1)
    x_deviation = np.where(used, x - x.sum(axis=0) / divisor, 0.0)
    y_deviation = np.where(used, y - y.sum(axis=0) / divisor, 0.0)
    x_square, y_square = (x_deviation**2).sum(axis=0), (y_deviation**2).sum(axis=0)
    # What rounding leaves of equal shares is no spread.
    is_defined = (n >= LEAST_FOR_DISCRIMINATION) & (x_square > 1e-12) & (y_square > 1e-12)
    size = np.sqrt(np.where(is_defined, x_square * y_square, 1.0))
    result: Floats = np.where(is_defined, np.clip((x_deviation * y_deviation).sum(axis=0) / size, -1, 1), np.nan)
    return result


def correlation_upper_bound(correlation: float, n: int, confidence: float = 0.95) -> float:
    """Return the one-sided upper bound of a correlation over n people; NaN for fewer than four.

    tanh(artanh r + z / √(n − 3)), z the normal quantile of the confidence. Source: R. A. Fisher, Metron 1 (1921) 3-32.
    """
    if n < 4 or np.isnan(correlation):
        return UNDEFINED
    inside = float(np.clip(correlation, -1 + 1e-12, 1 - 1e-12))
    return float(np.tanh(np.arctanh(inside) + ndtri(confidence) / np.sqrt(n - 3)))


def sign_test(more: int, fewer: int) -> float:
    """Return the chance that of `more + fewer` people at least `more` fall on one named side if both are alike.

    The one-sided sign test: P(X ≥ more), X binomial with n = more + fewer and p = 1/2. Source: W. J. Dixon and
    A. M. Mood, Journal of the American Statistical Association 41 (1946) 557-566. It is 1 for nobody.
    """
    if more <= 0:
        return 1.0
    return float(bdtrc(more - 1, more + fewer, 0.5))


def number_groups(numbers: Sequence[Decimal], tolerance: Decimal = Decimal("0.01")) -> list[NumberGroup]:
    """Return the numbers put together where they are at most twice the tolerance of their size apart, largest first.

    From the smallest up, a group takes every number that is within the tolerance of a middle that its smallest member
    is still within. Groups of equal size come from the smallest number up.
    """
    order = sorted(range(len(numbers)), key=lambda place: numbers[place])
    groups: list[list[int]] = []
    for place in order:
        first = numbers[groups[-1][0]] if groups else None
        if first is not None and numbers[place] - first <= 2 * tolerance * max(abs(first), abs(numbers[place])):
            groups[-1].append(place)
        else:
            groups.append([place])
    found = [NumberGroup(tuple(group), numbers[group[len(group) // 2]]) for group in groups]
    return sorted(found, key=lambda group: -len(group.places))


def krippendorff_alpha(units: npt.ArrayLike, values: npt.ArrayLike) -> Agreement:
    """Return Krippendorff's alpha for nominal data from one (unit, value) pair for each answer.

    alpha = 1 − D_o / D_e with D_o = (1/n) Σ_u Σ_{c≠k} n_uc n_uk / (m_u − 1) and D_e = Σ_{c≠k} n_c n_k / (n (n − 1));
    m_u is the number of answers to a unit, and units with a single answer are left out, so people may have answered
    different ones. Source: K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section C. Time and
    memory grow with the number of answers, not with the square of the number of values. NaN where nobody can agree,
    or where there is only one value at all.
    """
    _, unit_places, unit_sizes = np.unique(np.asarray(units), return_inverse=True, return_counts=True)
    is_paired = unit_sizes[unit_places] > 1
    unit_of, value_of = unit_places[is_paired], np.asarray(values)[is_paired]
    n = int(unit_of.size)
    if not n:
        return Agreement(UNDEFINED, UNDEFINED, UNDEFINED, 0, 0)
    n_questions = int((unit_sizes > 1).sum())
    _, value_places, value_sizes = np.unique(value_of, return_inverse=True, return_counts=True)
    pairs, pair_sizes = np.unique(unit_of * value_sizes.size + value_places, return_counts=True)
    observed = float((pair_sizes * (pair_sizes - 1) / (unit_sizes[pairs // value_sizes.size] - 1)).sum()) / n
    expected = float((value_sizes * (value_sizes - 1)).sum()) / (n * (n - 1))
    alpha = 1 - (1 - observed) / (1 - expected) if expected < 1 else UNDEFINED
    return Agreement(alpha, observed, expected, n_questions, n)
