"""How coarsely people are told in what stays: with all others known, five results of each stay possible."""

from fractions import Fraction

import numpy as np
import pytest

from leaderboard.matrix import COMPLETE, MISSING, OUTCOMES, PARTIAL, RIGHT
from leaderboard.people import Cohort, people_estimate
from leaderboard.people_steps import FEWEST_RESULTS, STEPS, step_of, told

WRONG = next(code for code, outcome in enumerate(OUTCOMES) if outcome.value == "wrong")


def codes_of(rights: list[int], n_questions: int) -> np.ndarray:
    codes = np.full((len(rights), n_questions), WRONG, dtype=np.int8)
    for person, right in enumerate(rights):
        codes[person, :right] = RIGHT
    return codes


def cohort_of(rights: list[int], n_questions: int) -> Cohort:
    return Cohort(codes=codes_of(rights, n_questions), is_demo=False, n_people=len(rights), n_finished=len(rights))


def said(rights: list[int], n_questions: int, step: int) -> tuple:
    found = people_estimate(codes_of(rights, n_questions))
    return told(found.accuracy, found.bounds, step)


def possible(rights: list[int], place: int, n_questions: int, step: int) -> int:
    """What somebody finds out who knows all others: how many results of one person give the same words."""
    others = [*rights[:place], *rights[place + 1 :]]
    words = said(rights, n_questions, step)
    return sum(said([*others, number], n_questions, step) == words for number in range(n_questions + 1))


@pytest.mark.parametrize(
    ("rights", "n_questions"),
    [([5, 4, 6, 7, 2, 10], 10), ([0, 4, 6, 7, 2], 10), ([12, 15, 9, 18, 20], 20), ([30, 41, 22, 45, 12, 33, 38], 48)],
)
def test_of_nobody_fewer_than_five_results_are_possible(rights, n_questions) -> None:
    step = step_of(cohort_of(rights, n_questions))
    for place in range(len(rights)):
        assert possible(rights, place, n_questions, step) >= FEWEST_RESULTS
    for finer in STEPS[: STEPS.index(step)]:
        assert min(possible(rights, place, n_questions, finer) for place in range(len(rights))) < FEWEST_RESULTS


def test_many_answers_are_told_in_whole_percent() -> None:
    assert step_of(cohort_of([80 + 7 * person for person in range(19)], 236)) == 1


def test_where_no_step_is_coarse_enough_there_is_none() -> None:
    assert step_of(cohort_of([1, 2, 3, 0, 2], 3)) is None
    assert step_of(cohort_of([], 10)) is None


def test_of_people_asked_a_part_a_step_holds_ten_answers() -> None:
    codes = np.full((20, 12), MISSING, dtype=np.int8)
    codes[:, :6] = RIGHT
    cohort = Cohort(codes=codes, is_demo=False, n_people=20, n_finished=20, how=PARTIAL)
    assert step_of(cohort) == 10, "a step of five percent holds six of 120"
    assert cohort.how != COMPLETE


def test_an_interval_is_rounded_outwards_and_never_beyond_all() -> None:
    assert told(Fraction(34, 60), (0.31, 0.99), 10) == (60, 30, 100)
    assert told(Fraction(1, 2), (0.3, 0.7), 20) == (60, 20, 80)
    assert told(Fraction(1, 3), None, 1) == (33, None, None)
