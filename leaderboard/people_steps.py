"""How coarsely people are told in what stays, so that whoever withdraws is not told by it and the board after. Pure."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import NamedTuple

import numpy as np

from leaderboard import statistics
from leaderboard.matrix import PARTIAL, RIGHT, Codes
from leaderboard.people import Cohort
from leaderboard.people_together import Telling, n_possible

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


def step_of(cohort: Cohort, *, root_ids: Collection[int] = (), earlier: Sequence[Telling] = ()) -> int | None:
    """Return the finest step at which everybody of a cohort could have done otherwise, None where there is none.

    After a withdrawal the board tells the mean and the interval of all others exactly. With the number of right answers
    of any one person unknown, `FEWEST_RESULTS` of them would be told in the same words, also by what was told `earlier`
    of the same people on this set (`root_ids`) and on others together. Of people who answered different questions,
    whose weights differ, a step holds twice as many answers instead: half up, half down.
    """
    if len(cohort.codes) == 0:
        return None
    if cohort.how == PARTIAL:
        n_answers = int(np.count_nonzero(cohort.answered))
        return next((step for step in STEPS if step * n_answers >= 2 * FEWEST_RESULTS * 100), None)
    hiding = (step for step in STEPS if hides_everybody(cohort.codes, step))
    return next((step for step in hiding if _hides_beside(cohort, step, frozenset(root_ids), earlier)), None)


def telling(rights: Mapping[int, int], *, root_ids: frozenset[int], step: int) -> Telling:
    """Return what people's mean and interval in steps tell; `rights` are right answers to these questions by person."""
    numbers = np.array(list(rights.values()), dtype=np.int64)
    alike: dict[int, tuple[int, int]] = {}
    for place in _different(numbers):
        found = list(_possible(numbers, place, len(root_ids), step))
        alike[int(numbers[place])] = found[0], found[-1]
    return Telling(root_ids, {participant_id: alike[number] for participant_id, number in rights.items()})


def step_told(rights: Sequence[int], n_questions: int, said: Told) -> int | None:
    """Return the finest step at which people who did so are told in these words; None where they never are."""
    numbers = np.array(rights, dtype=np.int64)
    return next((step for step in STEPS if _told_of(numbers, n_questions, step) == said), None)


def hides_everybody(codes: Codes, step: int) -> bool:
    """Say whether so many results of each person are told alike at a step; `codes` of shape (people, questions)."""
    rights = np.count_nonzero(codes == RIGHT, axis=1)
    found = (_possible(rights, place, codes.shape[1], step) for place in _different(rights))
    return all(len(list(islice(numbers, FEWEST_RESULTS))) == FEWEST_RESULTS for numbers in found)


def _hides_beside(cohort: Cohort, step: int, root_ids: frozenset[int], earlier: Sequence[Telling]) -> bool:
    """Say whether of nobody fewer results stay possible by all together, or no fewer than without this telling."""
    if not earlier:
        return True
    rights = np.count_nonzero(cohort.codes == RIGHT, axis=1).tolist()
    now = telling(dict(zip(cohort.participant_ids, rights, strict=True)), root_ids=root_ids, step=step)
    for participant_id in cohort.participant_ids:
        before = n_possible(earlier, participant_id)
        after = n_possible([*earlier, now], participant_id)
        if any(n < min(FEWEST_RESULTS, before.get(each, FEWEST_RESULTS)) for each, n in after.items()):
            return False
    return True


def _different(rights: statistics.Integers) -> list[int]:
    """Return a place of each number of right answers: people who did alike are hidden alike."""
    return [int(place) for place in np.unique(rights, return_index=True)[1]]


def _possible(rights: statistics.Integers, place: int, n_questions: int, step: int) -> Iterator[int]:
    """Yield the numbers of right answers of one person that would be told as theirs is, the lowest first."""
    said = _told_of(rights, n_questions, step)
    for number in range(n_questions + 1):
        other = rights.copy()
        other[place] = number
        # The mean alone first: it costs nothing.
        is_alike = told(_mean(other, n_questions), None, step).mean == said.mean
        if is_alike and _told_of(other, n_questions, step) == said:
            yield number


def _told_of(rights: statistics.Integers, n_questions: int, step: int) -> Told:
    interval = statistics.people_interval(rights / n_questions)
    bounds = None if math.isnan(interval.low) else (interval.low, interval.high)
    return told(_mean(rights, n_questions), bounds, step)


def _mean(rights: statistics.Integers, n_questions: int) -> Fraction:
    return Fraction(int(rights.sum()), len(rights) * n_questions)
