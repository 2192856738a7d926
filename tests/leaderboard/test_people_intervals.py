"""Intervals of people: exact for the whole set, in whole percent where best and worst must not follow."""

import numpy as np
import pytest

from leaderboard.boards import PeopleRule, Topic
from leaderboard.matrix import COMPLETE, OUTCOMES, PARTIAL, RIGHT
from leaderboard.people import Cohort, people_estimate, people_row
from leaderboard.people_bands import people_bands
from survey.selectors.backgrounds import Background

WRONG = next(code for code, outcome in enumerate(OUTCOMES) if outcome.value == "wrong")
RIGHTS = [4, 5, 6, 6, 7, 8, 9, 10, 11]
TOPIC = Topic("first", "First", np.arange(7))


def cohort(how: str = COMPLETE) -> Cohort:
    codes = np.full((len(RIGHTS), 12), WRONG, dtype=np.int8)
    for person, right in enumerate(RIGHTS):
        codes[person, :right] = RIGHT
    ids = tuple(range(len(RIGHTS)))
    return Cohort(codes=codes, is_demo=False, n_people=9, n_finished=9, how=how, participant_ids=ids)


def row(*, how: str = COMPLETE, filtered: bool = False):
    columns = TOPIC.columns if filtered else np.arange(12)
    return people_row(cohort(how), rule=PeopleRule(5, 10), columns=columns, topics=[TOPIC], filtered=filtered)


def is_whole_percent(bounds: tuple[float, float]) -> bool:
    return all(bound * 100 == pytest.approx(round(bound * 100), abs=1e-9) for bound in bounds)


def test_of_the_whole_set_it_is_exact() -> None:
    assert row().estimate.interval == people_estimate(cohort().codes).interval
    assert not is_whole_percent(row().estimate.bounds)


@pytest.mark.parametrize("how", [COMPLETE, PARTIAL])
def test_on_a_topic_and_under_a_filter_it_is_rounded_outwards(how) -> None:
    exact = people_estimate(cohort().codes[:, TOPIC.columns])
    for estimate in (row(how=how).topics["first"], row(how=how, filtered=True).estimate):
        assert estimate.accuracy == exact.accuracy
        assert is_whole_percent(estimate.bounds)
        assert exact.interval.low - 0.01 < estimate.interval.low <= exact.interval.low
        assert exact.interval.high <= estimate.interval.high < exact.interval.high + 0.01


def test_of_a_group_of_people_it_is_rounded_outwards() -> None:
    bands = people_bands(cohort(), {person: Background(7, None) for person in range(9)}, minimum=5)
    (band,) = [band for band in bands.by_years if band.estimate]
    assert band.n_people == 9
    assert is_whole_percent(band.estimate.bounds)
