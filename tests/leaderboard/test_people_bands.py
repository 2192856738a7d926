"""People by experience and by pace: only groups large enough, alone and by subtraction."""

import itertools
import re

import numpy as np
import pytest

from leaderboard.matrix import COMPLETE, OUTCOMES, RIGHT
from leaderboard.people import Cohort
from leaderboard.people_bands import PeopleBands, people_bands
from survey.models import Participant, Response, Study
from survey.selectors.backgrounds import Background, backgrounds
from tests.corpus.factories import make_benchmark, make_questions, make_set
from tests.leaderboard.factories import make_people

pytestmark = pytest.mark.one_database

PAGE = "/leaderboard/wide/humans/"
WRONG = next(code for code, outcome in enumerate(OUTCOMES) if outcome.value == "wrong")


def cohort_of(n: int) -> Cohort:
    codes = np.full((n, 10), WRONG, dtype=np.int8)
    for person in range(n):
        codes[person, : person % 10] = RIGHT
    return Cohort(codes=codes, is_demo=False, n_people=n, n_finished=n, how=COMPLETE, participant_ids=tuple(range(n)))


def bands(years: list[int | None], seconds: list[float | None] | None = None) -> PeopleBands:
    seconds = seconds or [None] * len(years)
    known = {pk: Background(*pair) for pk, pair in enumerate(zip(years, seconds, strict=True))}
    return people_bands(cohort_of(len(years)), known, minimum=5)


def sizes(found: PeopleBands) -> list[int | None]:
    return [band.n_people for band in found.by_years]


def test_the_mean_of_each_group_is_that_of_its_people() -> None:
    found = bands([1] * 5 + [7] * 5 + [12] * 5)
    means = {band.name: band.estimate.accuracy for band in found.by_years if band.estimate}
    assert {name: float(mean) for name, mean in means.items()} == {
        "less than 2 years": pytest.approx(0.2),
        "5 to 9 years": pytest.approx(0.7),
        "10 years or more": pytest.approx(0.2),
    }


@pytest.mark.parametrize(
    ("years", "shown"),
    [
        ([1] * 5 + [3] * 5, [5, 5, None, None, None]),
        # Four would follow from the mean of all ten less the six.
        ([1] * 6 + [3] * 4, [None] * 5),
        # Of three groups one is too small, so one more is left out.
        ([1] * 6 + [3] * 4 + [20] * 7, [None, None, None, 7, None]),
        ([None] * 5 + [2] * 5, [None, 5, None, None, 5]),
        ([1] * 4, [None] * 5),
        ([], [None] * 5),
    ],
)
def test_a_group_is_shown_where_no_smaller_one_follows(years, shown) -> None:
    assert sizes(bands(years)) == shown


def test_from_both_groupings_together_nothing_small_follows() -> None:
    generator = np.random.default_rng(5)
    for _ in range(40):
        n = int(generator.integers(10, 24))
        years = [[0, 3, 7, 15, None][place] for place in generator.integers(0, 5, n)]
        seconds = [[10.0, 45.0, 90.0, 300.0, None][place] for place in generator.integers(0, 5, n)]
        found = bands(years, seconds)
        rows = [np.ones(n)]
        cells = ((found.by_years, years, year_name), (found.by_seconds, seconds, seconds_name))
        for shown, values, name_of in cells:
            for band in shown:
                if band.estimate:
                    rows.append(np.array([name_of(value) == band.name for value in values], dtype=float))
        assert smallest_support(np.array(rows)) >= 5


def year_name(years: int | None) -> str:
    names = {0: "less than 2 years", 3: "2 to 4 years", 7: "5 to 9 years", 15: "10 years or more", None: "not said"}
    return names[years]


def seconds_name(seconds: float | None) -> str:
    names = {10: "less than 30 seconds", 45: "30 seconds to a minute", 90: "one to two minutes"}
    return {**names, 300: "two minutes or longer", None: "no times"}[seconds]


def smallest_support(rows: np.ndarray) -> int:
    """Return on how few people any combination of the sums rests, tried over all small groups of unlike people."""
    n = rows.shape[1]
    kinds, size_of = np.unique(rows, axis=1, return_counts=True)
    rank = np.linalg.matrix_rank(kinds)
    for taken in range(1, 5):
        for columns in itertools.combinations(range(kinds.shape[1]), taken):
            if sum(size_of[column] for column in columns) >= 5:
                continue
            others = np.delete(kinds, columns, axis=1)
            # Something rests on these alone where the other people leave a combination free.
            if np.linalg.matrix_rank(others) < rank:
                return int(sum(size_of[column] for column in columns))
    return n


@pytest.fixture
def wide_set(db):
    benchmark = make_benchmark(slug="wide", name="Wide bench")
    return make_set(benchmark, "wide", make_questions(benchmark, [{}] * 10), name="Wide set")


def with_years(people: list[Participant], years: list[int]) -> None:
    for person, count in zip(people, years, strict=True):
        Participant.objects.filter(pk=person.pk).update(years_experience=count)


def page(client) -> str:
    response = client.get(PAGE)
    assert response.status_code == 200
    return " ".join(response.content.decode().split()).partition("bands-heading")[2].partition("</section>")[0]


def test_the_page_shows_groups_of_a_closed_study(client, wide_set) -> None:
    with_years(make_people(wide_set, ["++--------"] * 5 + ["++++++++--"] * 5), [1] * 5 + [8] * 5)
    text = re.sub(r"<[^>]+>", " ", page(client))
    assert re.search(r"less than 2 years\s+5\s+20\.0%", text)
    assert re.search(r"5 to 9 years\s+5\s+80\.0%", text)


def test_nothing_is_shown_while_people_still_join_or_of_two_studies(client, wide_set) -> None:
    with_years(make_people(wide_set, ["++--------"] * 5 + ["++++++++--"] * 5), [1] * 5 + [8] * 5)
    assert "5 to 9 years" in page(client)
    Study.objects.update(status="open")
    assert "5 to 9 years" not in page(client)
    Study.objects.update(status="closed")
    assert "5 to 9 years" in page(client)
    make_people(wide_set, ["+---------"] * 6)
    assert "5 to 9 years" not in page(client)


def test_made_up_people_of_an_open_demo_study_are_shown(client, wide_set) -> None:
    people = make_people(wide_set, ["++--------"] * 5 + ["++++++++--"] * 5, is_demo=True, status="open")
    with_years(people, [1] * 5 + [8] * 5)
    assert "5 to 9 years" in page(client)


def test_times_are_medians_of_net_seconds_without_attention_checks(wide_set) -> None:
    (person,) = make_people(wide_set, ["++++------"])
    for number, response in enumerate(Response.objects.order_by("assignment__position")):
        Response.objects.filter(pk=response.pk).update(seconds=100 + number, away_seconds=50 if number else None)
    check = person.assignments.get(position=10)
    check.is_attention_check = True
    check.save()
    # 100, 51, 52, ..., 58
    assert backgrounds(participant_ids=[person.pk]) == {person.pk: Background(None, 55.0)}
