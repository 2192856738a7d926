"""How coarsely people are told in what stays, so that whoever withdraws is not told by it and the board after. Pure."""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from leaderboard import statistics
from leaderboard.matrix import PARTIAL, RIGHT, Codes
from leaderboard.people import Cohort

# In percent; the first that leaves enough possible is taken.
STEPS = (1, 2, 5, 10, 20, 50)
# So many results of whoever withdraws stay possible: as many as the fewest questions that people have a result on.
FEWEST_RESULTS = 5


class Told(NamedTuple):
    """A mean to the nearest step, and its interval to the steps around it; all in percent, None where there is none."""

    mean: int
    low: int | None
    high: int | None


def told(mean: Fraction, bounds: tuple[float, float] | None, step: int) -> Told:
    """Return a mean and its interval (fractions of 1) in steps of so many percent."""
    nearest = math.floor(mean * 100 / step + Fraction(1, 2)) * step
    if bounds is None:
        return Told(nearest, None, None)
    low, high = (bound * 100 / step for bound in bounds)
    # A last step beyond all is no share.
    return Told(nearest, math.floor(low) * step, min(math.ceil(high) * step, 100))


def step_of(cohort: Cohort) -> int | None:
    """Return the finest step at which everybody of a cohort could have done otherwise, None where there is none.

    After a withdrawal the board tells the mean and the interval of all others exactly. With the number of right answers
    of any one person unknown, `FEWEST_RESULTS` of them would be told in the same words. Of people who answered
    different questions, whose weights differ, a step holds twice as many answers instead: half up, half down.
    """
    if len(cohort.codes) == 0:
        return None
    if cohort.how == PARTIAL:
        n_answers = int(np.count_nonzero(cohort.answered))
        return next((step for step in STEPS if step * n_answers >= 2 * FEWEST_RESULTS * 100), None)
    return next((step for step in STEPS if hides_everybody(cohort.codes, step)), None)


def hides_everybody(codes: Codes, step: int) -> bool:
    """Say whether so many results of each person are told alike at a step; `codes` of shape (people, questions)."""
    rights = np.count_nonzero(codes == RIGHT, axis=1)
    n_questions = codes.shape[1]
    return all(_n_possible(rights, place, n_questions, step) >= FEWEST_RESULTS for place in _different(rights))


def _different(rights: statistics.Integers) -> list[int]:
    """Return a place of each number of right answers: people who did alike are hidden alike."""
    return [int(place) for place in np.unique(rights, return_index=True)[1]]


def _n_possible(rights: statistics.Integers, place: int, n_questions: int, step: int) -> int:
    """Count, up to `FEWEST_RESULTS`, the numbers of right answers of one person that would be told as theirs is."""
    said, n_found = _told_of(rights, n_questions, step), 0
    for number in range(n_questions + 1):
        other = rights.copy()
        other[place] = number
        # The mean alone first: it costs nothing.
        if told(_mean(other, n_questions), None, step).mean == said.mean:
            n_found += _told_of(other, n_questions, step) == said
        if n_found == FEWEST_RESULTS:
            break
    return n_found


def _told_of(rights: statistics.Integers, n_questions: int, step: int) -> Told:
    interval = statistics.people_interval(rights / n_questions)
    bounds = None if math.isnan(interval.low) else (interval.low, interval.high)
    return told(_mean(rights, n_questions), bounds, step)


def _mean(rights: statistics.Integers, n_questions: int) -> Fraction:
    return Fraction(int(rights.sum()), len(rights) * n_questions)
