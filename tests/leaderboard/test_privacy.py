"""What an anonymous reader cannot work out: one person's results, the verdict on one question."""

import csv
import io
from fractions import Fraction

import pytest

from corpus.models import Question, QuestionSet
from survey.models import Response
from tests.corpus.factories import (
    label_question,
    label_questions,
    make_benchmark,
    make_question,
    make_questions,
    make_set,
)
from tests.leaderboard.factories import make_people, make_run, make_system

pytestmark = pytest.mark.one_database

FOLDERS = {"one": range(1), "four": range(1, 5), "fifteen": range(5, 20)}


@pytest.fixture
def sets(db) -> dict[str, QuestionSet]:
    """Twenty questions of three folders, as the set `whole`, and the last fifteen of them as `part`."""
    benchmark = make_benchmark(slug="bench")
    questions = make_questions(benchmark, [{}] * 20)
    for folder, numbers in FOLDERS.items():
        own = [questions[number] for number in numbers]
        label_questions(own, [folder] * len(own), grouping="folder")
    return {
        "whole": make_set(benchmark, "whole", questions),
        "part": make_set(benchmark, "part", questions[5:]),
    }


def rows(client, slug: str, **query) -> dict[str, dict]:
    response = client.get(f"/api/v1/leaderboard/{slug}/", {"grouping": "folder", **query})
    assert response.status_code == 200, response.content
    return {row["slug"]: row for row in response.json()["rows"]}


def people_of(client, slug: str, **query) -> dict | None:
    return rows(client, slug, **query).get("human-experts")


def right_answers(row: dict, **estimate) -> Fraction:
    """Return how many right answers of all people a reader works out from an accuracy."""
    shown = estimate or row
    return Fraction(shown["accuracy"]).limit_denominator(10_000) * row["people"]["n"]


STOPPED_EARLY = "  " + "+" * 18
FINISHED = "+-" * 10


def test_people_are_the_same_on_every_set_their_study_feeds(client, sets) -> None:
    make_people(sets["whole"], [*[FINISHED] * 6, STOPPED_EARLY])
    whole, part = people_of(client, "whole"), people_of(client, "part")
    assert (whole["people"]["n"], part["people"]["n"]) == (6, 6)
    # What the two boards differ by is nobody's: the mean on the common questions is one and the same.
    assert right_answers(part) == right_answers(whole, **whole["topics"]["fifteen"])


def test_an_answer_that_could_not_be_judged_takes_the_person_off_every_set(client, sets) -> None:
    make_people(sets["whole"], [FINISHED] * 7)
    Response.objects.filter(pk=Response.objects.order_by("pk").first().pk).update(outcome="", rule="", credit=None)
    assert [people_of(client, slug)["people"]["n"] for slug in ("whole", "part")] == [6, 6]


def test_a_small_study_does_not_add_its_few_people_to_those_of_another(client, sets) -> None:
    make_people(sets["whole"], [FINISHED] * 6)
    make_people(sets["part"], ["+" * 15])
    assert [people_of(client, slug)["people"]["n"] for slug in ("whole", "part")] == [6, 6]
    make_people(sets["part"], ["+" * 15] * 5)
    assert [people_of(client, slug)["people"]["n"] for slug in ("whole", "part")] == [6, 11]


def test_a_study_counts_only_on_sets_that_all_who_finished_it_were_asked(client, sets) -> None:
    people = make_people(sets["whole"], [FINISHED] * 7)
    people[0].assignments.filter(position=1).delete()
    assert people_of(client, "whole") is None
    assert people_of(client, "part")["people"]["n"] == 7


def test_the_page_says_how_many_finished_and_who_counts(client, sets) -> None:
    make_people(sets["whole"], [*[FINISHED] * 6, STOPPED_EARLY])
    for url in ("/leaderboard/part/", "/leaderboard/whole/", "/leaderboard/whole/topics/?grouping=folder"):
        words = " ".join(client.get(url).content.decode().split())
        assert "6 of 7 people count: all questions answered; 1 for another reason." in words
    make_people(sets["part"], ["+" * 15])
    words = " ".join(client.get("/leaderboard/part/").content.decode().split())
    assert "6 of 7 people count: all questions answered" in words
    assert "7 of 8 people who answered here count by the rules of their studies, and 6 of them on this board" in words


@pytest.mark.parametrize("policy", ["closed", "open"])
def test_people_have_no_mean_on_few_questions(client, sets, policy) -> None:
    QuestionSet.objects.update(policy=policy)
    make_people(sets["whole"], [FINISHED] * 6)
    topics = people_of(client, "whole")["topics"]
    assert {name: topic["accuracy"] is not None for name, topic in topics.items()} == {
        "one": False,
        "four": False,
        "fifteen": True,
    }
    for topic in ("one", "four"):
        row = people_of(client, "whole", topic=topic)
        assert (row["accuracy"], row["ci_low"], row["outcomes"], row["rank"]) == (None, None, {}, None)
        assert row["withheld"] == "few_questions"
    assert people_of(client, "whole", topic="fifteen")["accuracy"] == pytest.approx(7 / 15)


def csv_line(client, slug: str, **query) -> dict[str, str]:
    response = client.get("/api/v1/leaderboard/whole.csv", {"grouping": "folder", **query})
    (line,) = [line for line in csv.DictReader(io.StringIO(response.content.decode())) if line["slug"] == slug]
    return line


@pytest.fixture
def system(sets) -> None:
    make_run(make_system(slug="model", name="Model"), sets["whole"], "+" * 20)


@pytest.mark.usefixtures("system")
def test_a_closed_set_tells_no_verdict_on_one_question(client) -> None:
    topics = rows(client, "whole")["model"]["topics"]
    # With one question hidden, the set less both other groups would be that question: the smaller one goes with it.
    assert {name: topic["accuracy"] for name, topic in topics.items()} == {"one": None, "four": None, "fifteen": 1.0}
    assert topics["one"]["withheld"] == topics["four"]["withheld"] == "few_questions"
    filtered = rows(client, "whole", topic="one")["model"]
    assert (filtered["accuracy"], filtered["ci_low"], filtered["outcomes"]) == (None, None, {})
    assert (filtered["rank"], filtered["status"]) == (None, "complete")


@pytest.mark.usefixtures("system")
def test_the_file_and_the_pages_tell_none_either(client) -> None:
    line = csv_line(client, "model")
    assert (line["one (accuracy)"], line["four (accuracy)"], line["fifteen (accuracy)"]) == ("", "", "1.0")
    line = csv_line(client, "model", topic="one")
    assert (line["accuracy"], line["right"], line["wrong"], line["withheld"]) == ("", "", "", "few_questions")
    board = client.get("/leaderboard/whole/?grouping=folder&topic=one").content.decode()
    row = board.split(">Model</a>")[1].split("</tr>")[0]
    assert "one question: not shown" in row
    assert "%" not in row
    assert "incomplete" not in row
    outcomes = board.split('<table class="outcomes">')[1].split("</table>")[0]
    assert 'class="number">1<' not in outcomes
    topics = client.get("/leaderboard/whole/topics/?grouping=folder").content.decode()
    assert "one question: not shown" in topics
    assert client.get("/leaderboard/whole/chart.json?grouping=folder&topic=one").json()["data"] == []


@pytest.mark.usefixtures("system")
def test_an_open_set_shows_every_group(client) -> None:
    QuestionSet.objects.update(policy="open")
    topics = rows(client, "whole")["model"]["topics"]
    assert [topic["accuracy"] for topic in topics.values()] == [1.0, 1.0, 1.0]
    assert rows(client, "whole", topic="one")["model"]["accuracy"] == 1.0


def test_a_closed_set_of_one_question_tells_nothing(client, db) -> None:
    benchmark = make_benchmark()
    single = make_set(benchmark, "single", [make_question(benchmark)])
    make_run(make_system(slug="model"), single, "+")
    label_question(Question.objects.get(), grouping="folder", name="one")
    row = rows(client, "single")["model"]
    assert (row["accuracy"], row["outcomes"], row["withheld"]) == (None, {}, "few_questions")
    (result,) = client.get("/api/v1/systems/model/").json()["results"]
    assert (result["accuracy"], result["outcomes"]) == (None, {})
    assert "100.0%" not in client.get("/systems/model/").content.decode()
    assert "100.0%" not in client.get("/").content.decode()


def test_an_incomplete_run_stays_incomplete_under_every_filter(client, sets) -> None:
    make_run(make_system(slug="model"), sets["whole"], "-" * 20)
    make_run(make_system(slug="stopped"), sets["whole"], " " * 5 + "+" * 15)
    row = rows(client, "whole", topic="fifteen")["stopped"]
    assert (row["status"], row["rank"], row["rank_low"], row["accuracy"], row["ci_low"]) == (
        "incomplete",
        None,
        None,
        None,
        None,
    )
    assert row["outcomes"] == {}
    assert {topic["accuracy"] for topic in rows(client, "whole")["stopped"]["topics"].values()} == {None}
    # The part is a set of its own, of which it answered every question.
    assert rows(client, "part")["stopped"]["rank"] == 1
    page = client.get("/leaderboard/whole/?grouping=folder&topic=fifteen").content.decode()
    assert "incomplete" in page.split(">stopped</a>")[1].split("</tr>")[0]
