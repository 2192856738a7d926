"""People on a board under each rule, and those who were asked a part of the set."""

from fractions import Fraction

import numpy as np
import pytest

from corpus.models import QuestionRevision, QuestionSet
from corpus.services.results import results_changed
from corpus.services.sets import sets_refresh
from leaderboard.boards import PeopleRule, Topic
from leaderboard.disclosure import Answered, has_enough_people, shown_groups
from leaderboard.matrix import PARTIAL
from leaderboard.people import Cohort, partial_estimate, people_estimate, people_row
from survey.inclusion_rules import InclusionRule
from survey.models import Assignment, Participant, ParticipantFlag, Response, Study
from survey.selectors.export import export_rows
from survey.services import inclusion_rule_set
from tests.corpus.factories import label_questions, make_benchmark, make_questions, make_revision, make_set
from tests.leaderboard.factories import make_people, make_people_of_parts, make_run, make_system
from tests.leaderboard.test_boards import codes

pytestmark = pytest.mark.one_database

RULE = PeopleRule(minimum_for_mean=5, minimum_for_extremes=10)


def partial(*people: str, **options):
    cohort = Cohort(codes=codes(*people), is_demo=False, n_people=9, n_finished=8, how=PARTIAL, inclusion="All.")
    options.setdefault("columns", np.arange(len(people[0])))
    return people_row(cohort, rule=RULE, topics=options.pop("topics", []), filtered=False, **options)


# Ten people, each asked two of four questions; five answers to each question.
SHARES = ["+-  ", "++  ", " +- ", " +- ", "  ++", "  -+", "+  +", "+  -", "- - ", " - -"]


def test_each_question_weighs_the_same_however_many_were_asked_it() -> None:
    estimate = partial_estimate(codes("++", "++", "+ ", "+ ", " -", " -"))
    assert estimate.accuracy == (1 + Fraction(1, 2)) / 2
    assert estimate.interval.low < 0.75 < estimate.interval.high
    assert estimate.outcomes["right"] == 6


def test_where_everybody_answered_everything_it_is_the_mean_of_people() -> None:
    everything = codes("++-", "+-+", "---", "+++")
    found, usual = partial_estimate(everything), people_estimate(everything)
    assert found.accuracy == usual.accuracy
    assert found.interval == pytest.approx(usual.interval)


@pytest.mark.parametrize("people", [["++", "+ "], ["+ ", "+ "], ["+-", "  "]])
def test_no_figure_while_a_question_has_fewer_than_two_answers(people) -> None:
    estimate = partial_estimate(codes(*people))
    assert (estimate.accuracy, estimate.bounds, estimate.outcomes) == (None, None, {})
    assert estimate.withheld == "incomplete"


def test_the_row_has_people_and_answers_but_no_best_and_worst() -> None:
    row = partial(*SHARES)
    assert (row.slug, row.people.n, row.people.best, row.people.worst) == ("human-experts-in-part", 10, None, None)
    assert row.people.answers_per_question == 5
    assert row.is_complete
    assert row.estimate.outcomes["right"] == sum(person.count("+") for person in SHARES)


def test_a_topic_has_the_same_estimate_of_its_own_questions_and_no_counts() -> None:
    first = Topic("first", "First", np.array([0, 1]))
    estimate = partial(*SHARES, topics=[first]).topics["first"]
    assert estimate.accuracy == partial_estimate(codes(*SHARES)[:, :2]).accuracy
    assert estimate.outcomes == {}


@pytest.mark.parametrize(
    ("people", "is_there"),
    [
        (["+-"] * 5, True),
        (["+-"] * 4, False),
        (["+-  +-  ", *["+-      "] * 4], False),  # four in twelve answers are one person's
        (["++++++++", *["+       "] * 9], False),
    ],
)
def test_no_one_person_may_have_given_more_than_a_fifth_of_the_answers(people, is_there) -> None:
    assert has_enough_people(codes(*people) >= 0, minimum=5) is is_there
    assert (partial(*people) is not None) is is_there


def test_what_is_left_beside_the_groups_shown_rests_on_enough_people_too() -> None:
    # Twelve questions: a group of six that all answered, and six others that only two people were asked.
    answered = np.array([[True] * 6 + [number < 2] * 6 for number in range(20)])
    groups = [np.arange(6), np.arange(6, 12)]
    assert shown_groups(groups, n=12, minimum=5) == [True, True]
    assert shown_groups(groups, n=12, minimum=5, answered=Answered(answered, 5)) == [False, False]
    everybody = Answered(np.ones((20, 12), dtype=bool), 5)
    assert shown_groups(groups, n=12, minimum=5, answered=everybody) == [True, True]


# Through the database, as the API shows it


@pytest.fixture
def parts(db) -> dict[str, QuestionSet]:
    """Twelve questions of two topics, as the set `whole`, and its halves `first` and `second`."""
    benchmark = make_benchmark(slug="bench")
    questions = make_questions(benchmark, [{}] * 12)
    label_questions(questions, ["Even", "Odd"] * 6)
    return {
        "whole": make_set(benchmark, "whole", questions),
        "first": make_set(benchmark, "first", questions[:6]),
        "second": make_set(benchmark, "second", questions[6:]),
    }


def rows(client, slug: str, **query) -> dict[str, dict]:
    response = client.get(f"/api/v1/leaderboard/{slug}/", query)
    assert response.status_code == 200, response.content
    return {row["slug"]: row for row in response.json()["rows"] if row["kind"] == "human"}


def set_rule(**fields) -> None:
    inclusion_rule_set(study=Study.objects.get(), rule=InclusionRule(**fields))


FULL, HALF, ONE = ("+" * 6, "-" * 6), ("+" * 6, "-" + " " * 5), ("+" + " " * 5, " " * 6)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("study", {"whole": (1, "complete"), "first": (1, "complete"), "second": (1, "complete")}),
        ("block", {"first": (2, "complete"), "second": (1, "complete")}),
    ],
)
def test_full_half_and_one_answer_count_as_the_rule_says(client, parts, settings, rule, expected) -> None:
    settings.PEOPLE_MINIMUM_FOR_MEAN = 1
    make_people_of_parts([parts["first"], parts["second"]], [FULL, HALF, ONE], completion_rule=rule)
    for slug in parts:
        shown = rows(client, slug)
        if slug not in expected:
            assert shown == {}
            continue
        row = shown["human-experts"]
        assert (row["people"]["n"], row["status"]) == expected[slug]
        assert row["accuracy"] == {"whole": 0.5, "first": 1.0, "second": 0.0}[slug]
    # Whoever does not count is in the export all the same, shown when or not known when.
    Assignment.objects.filter(participant=Participant.objects.first()).update(served_at=None)
    assert len(list(export_rows(Study.objects.get()))) == 1 + sum(
        letter != " " for person in (FULL, HALF, ONE) for part in person for letter in part
    )


def test_the_row_says_who_counts(client, parts) -> None:
    people = [FULL] * 6 + [HALF] * 2 + [ONE]
    make_people_of_parts([parts["first"], parts["second"]], people, minimum_years=2, counts_unknown_experience=False)
    Participant.objects.update(years_experience=2)
    Participant.objects.filter(pk=Participant.objects.first().pk).update(years_experience=1)
    words = "at least 2 years of experience, all questions answered"
    assert rows(client, "first")["human-experts"]["inclusion"] == (
        f"5 of 9 people count: {words}; 3 not finished, 1 for another reason."
    )
    page = " ".join(client.get("/leaderboard/first/").content.decode().split())
    assert f"5 of 9 people count: {words}; 3 not finished" in page
    for url in ("/leaderboard/first/topics/", "/"):
        assert f"5 of 9 people count: {words}" in " ".join(client.get(url).content.decode().split())


def test_no_reasons_are_given_where_there_is_no_mean(client, parts) -> None:
    make_people_of_parts([parts["first"], parts["second"]], [*[FULL] * 4, *[HALF] * 3])
    page = " ".join(client.get("/leaderboard/first/").content.decode().split())
    assert "not finished" not in page
    assert client.get("/api/v1/leaderboard/first/").json()["n_people_complete"] == 4


def test_everybody_with_what_they_answered(client, parts) -> None:
    people = ["+" * 12, *["+-" * 6] * 5, *["+" * 3 + " " * 9] * 3]
    make_people(parts["whole"], people, completion_rule="any")
    row = rows(client, "whole")["human-experts-in-part"]
    assert (row["people"]["n"], row["people"]["best"], row["answers_per_question"]) == (9, None, 6.0)
    assert rows(client, "first") == {}
    set_rule(completion="study")
    assert rows(client, "whole")["human-experts"]["people"]["n"] == 6
    assert rows(client, "first")["human-experts"]["people"]["n"] == 6


# Twenty people, each asked six of twelve questions, one more of one topic or the other.
BALANCED = [
    "".join(("+-"[(n * q) % 3 == 0] if (q + n) % 2 == 0 or (q + n) % 12 == 1 else ".") for q in range(12))
    for n in range(20)
]


def test_people_asked_a_part_are_shown_on_the_set_their_parts_are_drawn_from(client, parts) -> None:
    make_people(parts["whole"], BALANCED, questions_per_person=7)
    (row,) = rows(client, "whole").values()
    shares = [
        Fraction(sum(person[q] == "+" for person in BALANCED), sum(person[q] != "." for person in BALANCED))
        for q in range(12)
    ]
    assert row["slug"] == "human-experts-in-part"
    assert row["accuracy"] == pytest.approx(float(sum(shares) / 12))
    assert row["ci_low"] < row["accuracy"] < row["ci_high"]
    assert row["rank"] == 1
    assert row["inclusion"] == "20 of 20 people count: all questions answered."
    assert row["topics"]["Even"]["accuracy"] == pytest.approx(float(sum(shares[::2]) / 6))
    assert rows(client, "first") == rows(client, "second") == {}
    filtered = rows(client, "whole", topic="even")["human-experts-in-part"]
    assert filtered["accuracy"] == row["topics"]["Even"]["accuracy"]
    assert filtered["outcomes"] == {}
    page = " ".join(client.get("/leaderboard/whole/").content.decode().split())
    assert "in the median 12 answered each" in page or "in the median 11" in page


def test_the_pool_of_an_earlier_revision_is_the_same_set(client, parts) -> None:
    make_people(parts["whole"], BALANCED, questions_per_person=7)
    make_set(parts["whole"].benchmark, "again", list(parts["whole"].current_revision.question_revisions.all()))
    assert rows(client, "again")["human-experts-in-part"]["people"]["n"] == 20


def correct_key(question_set: QuestionSet) -> QuestionRevision:
    """Correct the key of a set's first question; the set follows."""
    revision = make_revision(
        question_set.current_revision.question_revisions.earliest("set_memberships__position").question,
        options=[("benzene", 0), ("toluene", 1), ("aniline", 0), ("phenol", 0)],
        change="key",
    )
    sets_refresh(benchmark=question_set.benchmark, keys_by_slug={})
    results_changed(benchmark_id=question_set.benchmark_id)
    return revision


def judge_by(revision: QuestionRevision) -> None:
    answers = Response.objects.filter(assignment__question_revision__question=revision.question)
    answers.update(key_revision=revision, outcome="right")
    results_changed(benchmark_id=revision.question.benchmark_id)


@pytest.mark.parametrize("fields", [{"questions_per_person": 7}, {"completion_rule": "any"}])
def test_people_asked_a_part_count_again_once_a_corrected_key_judged_all_of_them(client, parts, fields) -> None:
    make_people(parts["whole"], BALANCED, **fields)
    before = rows(client, "whole")["human-experts-in-part"]
    revision = correct_key(parts["whole"])
    assert rows(client, "whole") == {}
    judge_by(revision)
    after = rows(client, "whole")["human-experts-in-part"]
    assert after["people"]["n"] == before["people"]["n"] == 20
    assert after["accuracy"] > before["accuracy"]


def test_nobody_of_a_part_counts_while_one_of_them_is_judged_by_the_old_key(client, parts) -> None:
    people = make_people(parts["whole"], BALANCED, questions_per_person=7)
    judge_by(correct_key(parts["whole"]))
    last = Response.objects.filter(key_revision__isnull=False, assignment__participant__in=people).latest("pk")
    Response.objects.filter(pk=last.pk).update(key_revision=None)
    results_changed(benchmark_id=parts["whole"].benchmark_id)
    assert rows(client, "whole") == {}


def test_complete_and_balanced_studies_have_a_row_each(client, parts) -> None:
    make_people(parts["whole"], ["+-" * 6] * 10)
    make_people(parts["whole"], BALANCED, questions_per_person=7)
    shown = rows(client, "whole")
    assert {slug: row["people"]["n"] for slug, row in shown.items()} == {
        "human-experts": 10,
        "human-experts-in-part": 20,
    }
    assert shown["human-experts"]["people"]["best"] == 0.5
    html = client.get("/leaderboard/whole/").content.decode()
    assert "Human experts (mean of 10)" in html
    assert "Human experts (20, each asked a part)" in html
    assert client.get("/leaderboard/whole/chart.json").status_code == 200
    assert len(client.get("/api/v1/leaderboard/whole.csv").content.decode().splitlines()) == 3


def test_too_few_answers_are_incomplete_and_never_above_anyone(client, parts) -> None:
    """Nine right answers of ten given, in a study that nobody got far with, are no 90 %."""
    make_run(make_system(slug="steady"), parts["whole"], "+" * 7 + "-" * 5)
    make_people(parts["whole"], ["+" * 2 + "." * 10] * 8, questions_per_person=2)
    response = client.get("/api/v1/leaderboard/whole/").json()["rows"]
    assert [(row["slug"], row["rank"], row["status"]) for row in response] == [
        ("steady", 1, "complete"),
        ("human-experts-in-part", None, "incomplete"),
    ]
    assert (response[1]["accuracy"], response[1]["outcomes"]) == (None, {})


def test_a_flag_leaves_a_person_out_until_reviewed(client, parts) -> None:
    people = make_people(parts["whole"], ["+-" * 6] * 6)
    ParticipantFlag.objects.create(
        participant=people[0], code="too_fast", detail="seen", found_at=people[0].consented_at
    )
    assert rows(client, "whole")["human-experts"]["people"]["n"] == 5


def test_attention_checks_are_in_no_row(client, parts) -> None:
    people = make_people(parts["whole"], ["+" * 12] * 6)
    Assignment.objects.filter(participant__in=people, position=1).update(is_attention_check=True)
    assert rows(client, "whole") == {}
    assert Response.objects.count() == 72
