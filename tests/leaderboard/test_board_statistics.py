"""What a board says beside accuracies: worked out once for each state of the results, on page, in API and file."""

import csv
import io

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from corpus.models import QuestionSet
from leaderboard.models import BoardStatistics
from leaderboard.services import statistics as service
from tests.corpus.factories import label_question, label_questions, make_benchmark, make_questions, make_set
from tests.leaderboard.factories import make_people, make_run, make_system

pytestmark = pytest.mark.one_database

BOARD = "/leaderboard/wide/"
API = "/api/v1/leaderboard/wide/"
N = 40


@pytest.fixture
def wide_set(db) -> QuestionSet:
    """Forty questions: 24 organic, 16 physical; every fourth is a number, the others have four options."""
    benchmark = make_benchmark(slug="wide", name="Wide bench")
    questions = make_questions(benchmark, [{"kind": "number" if number % 4 == 3 else "choice"} for number in range(N)])
    label_questions(questions, [("Organic Chemistry", "Physical Chemistry")[number >= 24] for number in range(N)])
    return make_set(benchmark, "wide", questions, name="Wide set")


@pytest.fixture
def results(wide_set):
    make_run(make_system(slug="best", name="Best"), wide_set, "+" * 36 + "-" * 4)
    make_run(make_system(slug="near", name="Near"), wide_set, "+" * 35 + "-" * 5)
    make_run(make_system(slug="low", name="Low"), wide_set, "-" * 30 + "+" * 10)
    make_run(make_system(slug="stopped", name="Stopped"), wide_set, "+" * 20 + " " * 20)
    make_people(wide_set, ["+" * (15 + number) + "-" * (25 - number) for number in range(6)])
    return wide_set


def rows(client, **query) -> dict[str, dict]:
    return {row["slug"]: row for row in client.get(API, query).json()["rows"]}


def test_rows_say_which_ranks_are_possible_and_who_cannot_be_told_apart(client, results) -> None:
    found = rows(client)
    assert found["best"]["letters"] == found["near"]["letters"] == ["a"]
    assert (found["best"]["rank"], found["near"]["rank"]) == (1, 2)
    assert [(found[slug]["rank_low"], found[slug]["rank_high"]) for slug in ("best", "near")] == [(1, 2), (1, 2)]
    assert found["low"]["letters"] != ["a"]
    assert (found["stopped"]["letters"], found["stopped"]["rank_low"]) == ([], None)


def test_each_topic_counts_the_same_in_the_mean_of_topics(client, results) -> None:
    best = rows(client)["best"]
    assert best["macro_accuracy"] == pytest.approx((24 / 24 + 12 / 16) / 2)
    assert best["macro_topics"] == 2
    assert best["macro_low"] < best["macro_accuracy"] < best["macro_high"]
    people = rows(client)["human-experts"]
    topics = [topic["accuracy"] for topic in people["topics"].values()]
    assert people["macro_accuracy"] == pytest.approx(sum(topics) / 2)
    assert (people["macro_low"], people["macro_high"]) == (None, None)


def test_people_have_no_mean_of_topics_where_one_of_these_is_hidden(client, results) -> None:
    question = results.current_revision.question_revisions.first().question
    for revision in results.current_revision.question_revisions.all()[:3]:
        label_question(revision.question, name="Rare Chemistry")
    make_run(make_system(slug="late"), results, "+" * N)
    found = rows(client)
    assert question.labels.count() == 2
    assert found["best"]["macro_topics"] == 3
    assert found["human-experts"]["topics"]["Rare Chemistry"]["accuracy"] is None
    assert found["human-experts"]["macro_accuracy"] is None


def test_the_chance_level_is_that_of_the_whole_set(client, results) -> None:
    board = client.get(API).json()
    assert board["chance_level"] == pytest.approx(30 / 40 / 4)
    assert board["chance_sd"] == pytest.approx((30 * 0.25 * 0.75) ** 0.5 / 40)
    assert client.get(API, {"topic": "organic-chemistry"}).json()["chance_level"] is None
    assert "right in 18.8%" in " ".join(client.get(BOARD).content.decode().split())


def test_the_page_and_the_file_say_the_same(client, results) -> None:
    row = client.get(BOARD).content.decode().split(">Near</a>")[0].rsplit("<tr", 1)[1]
    assert 'title="The questions allow rank 1 to 2">1–2</span>' in row
    cell = client.get(BOARD).content.decode().split(">Near</a>")[1].split("</tr>")[0]
    assert '<span class="phone-word">group </span>a' in cell
    text = client.get("/api/v1/leaderboard/wide.csv").content.decode()
    lines = {line["slug"]: line for line in csv.DictReader(io.StringIO(text))}
    assert (lines["near"]["rank_low"], lines["near"]["rank_high"], lines["near"]["groups"]) == ("1", "2", "a")
    assert float(lines["near"]["macro_accuracy"]) == rows(client)["near"]["macro_accuracy"]
    assert float(lines["near"]["chance_level"]) == 0.1875


def test_statistics_are_worked_out_once_and_anew_when_results_change(client, results, monkeypatch) -> None:
    calls = []
    real = service.standings
    monkeypatch.setattr(service, "standings", lambda given: calls.append(len(given)) or real(given))
    for url in (BOARD, API, f"{BOARD}topics/", "/", "/systems/best/"):
        client.get(url)
    assert calls == [4]
    cache.clear()
    before = rows(client)
    assert calls == [4], "a new process takes what is stored"
    for _ in range(2):
        client.get(BOARD, {"kind": "model"})
    assert calls == [4, 3]
    make_run(make_system(slug="late"), results, "+" * N)
    assert rows(client)["best"]["rank"] == 2
    assert calls == [4, 3, 5]
    assert BoardStatistics.objects.count() == 1
    assert before["best"]["rank"] == 1


def test_a_rebuild_works_them_out_so_that_no_reader_waits(client, results, monkeypatch) -> None:
    before = rows(client)
    stored = BoardStatistics.objects.values("made_from", "content").get()
    BoardStatistics.objects.update(content={"standings": {}, "macros": {}, "chance": None})
    cache.clear()
    call_command("rebuild_leaderboard", "--json", stdout=io.StringIO())
    assert BoardStatistics.objects.values("made_from", "content").get() == stored
    cache.clear()
    monkeypatch.delattr(service, "standings")
    assert rows(client) == before


def test_a_board_seen_before_asks_for_no_more_than_it_did(client, results) -> None:
    client.get(BOARD)
    with CaptureQueriesContext(connection) as queries:
        client.get(BOARD)
    assert not [query for query in queries if "boardstatistics" in query["sql"]]
    assert len(queries) <= 5


def test_a_board_is_shown_while_its_statistics_cannot_be_stored(client, results, monkeypatch) -> None:
    def held(**kwargs):
        raise OperationalError("database is locked")

    monkeypatch.setattr(BoardStatistics.objects, "update_or_create", held)
    assert rows(client)["best"]["letters"] == ["a"]


def test_few_questions_are_greyed_and_never_ranked(client, results) -> None:
    for revision in results.current_revision.question_revisions.all()[:9]:
        label_question(revision.question, name="Rare Chemistry")
    found = rows(client, topic="rare-chemistry")
    assert found["best"]["accuracy"] == 1.0
    assert [(row["rank"], row["rank_low"], row["letters"]) for row in found.values()] == [(None, None, [])] * 5
    html = client.get(BOARD, {"topic": "rare-chemistry"}).content.decode()
    assert 'class="ranking small-n"' in html
    assert "nobody is ranked here" in html
    assert rows(client, topic="physical-chemistry")["best"]["rank"] == 1


def test_what_was_sent_in_is_compared_by_question_on_open_sets_only(client, results) -> None:
    # Right on 8 questions more than another: the paired test tells them apart, the intervals do not.
    make_run(make_system(slug="sent"), results, "+" * 27 + "-" * 13, origin="submitted")
    assert set(rows(client)["sent"]["letters"]) & set(rows(client)["near"]["letters"])
    QuestionSet.objects.update(policy="open")
    assert not set(rows(client)["sent"]["letters"]) & set(rows(client)["near"]["letters"])


def test_one_row_for_each_system_and_one_for_each_of_a_name(client, results) -> None:
    """LB-10: two runs of a system, a rename, and two systems (settings) of one name."""
    system = make_system(slug="model-x", name="model-x")
    make_run(system, results, "+" * 10 + "-" * 30)
    make_run(system, results, "+" * 20 + "-" * 20)
    make_run(make_system(slug="model-x-warm", name="model-x"), results, "+" * 20 + "-" * 20)
    found = rows(client)
    assert found["model-x"]["accuracy"] == 0.5, "the newest complete run"
    assert found["model-x"]["letters"] == found["model-x-warm"]["letters"]
    assert found["model-x"]["rank"] == found["model-x-warm"]["rank"]
    assert client.get(BOARD).content.decode().count(">model-x</a>") == 2
    type(system).objects.filter(pk=system.pk).update(name="model-y")
    assert rows(client)["model-x"]["name"] == "model-y"


def test_what_is_shown_is_named_on_the_methods_page(client, db) -> None:
    html = " ".join(client.get("/methods/").content.decode().split())
    for words in ("Two contenders share a letter exactly", "Mogstad", "G. Y. Zou", "S. Holm", "Poisson", "McNemar"):
        assert words in html
