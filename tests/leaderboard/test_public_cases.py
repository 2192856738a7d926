"""The public cases of boards (LB-...), each on exactly what it says must be seen; LB-14 is in `test_topic_chart`."""

import csv
import io
import re

import pytest
from django.core.cache import cache
from django.test import Client

from corpus.models import QuestionSet
from corpus.scoring.types import Reading, ReadStatus
from corpus.services.results import results_changed
from evaluations.models import Item, System
from evaluations.services.rescoring import item_reading_correct
from evaluations.services.withdrawing import run_put_back, run_withdraw
from leaderboard.csv_files import csv_response
from leaderboard.services import statistics as board_statistics
from tests.corpus.factories import label_question, make_benchmark, make_questions, make_set
from tests.leaderboard.factories import edit_system, make_run, make_system

pytestmark = pytest.mark.one_database

BOARD = "/leaderboard/small/"
API = "/api/v1/leaderboard/small/"


def rows(client: Client, **query: str) -> dict[str, dict]:
    return {row["slug"]: row for row in client.get(API, query).json()["rows"]}


def names_on_page(client: Client, query: str = "") -> list[str]:
    table = client.get(BOARD + query).content.decode().split('<table class="ranking')[1].split("</table>")[0]
    return re.findall(r'<a href="/systems/([\w-]+)/">', table)


def test_lb_01_who_has_no_score_comes_last_and_unranked_in_both_directions(client, small_set) -> None:
    """LB-01: systems with 0.7, none, NaN, 0.2: 0.7, 0.2, then the unscored, unranked, sorted either way."""
    make_run(make_system(slug="high"), small_set, "+" * 7 + "-" * 3)
    make_run(make_system(slug="none"), small_set, " " * 10, status="queued")
    make_run(make_system(slug="not-a-number"), small_set, "e" * 10, status="incomplete")
    make_run(make_system(slug="low"), small_set, "+" * 2 + "-" * 8)
    assert names_on_page(client) == ["high", "low", "none", "not-a-number"]
    assert names_on_page(client, "?direction=ascending") == ["low", "high", "none", "not-a-number"]
    found = rows(client)
    assert list(found) == ["high", "low", "none", "not-a-number"]
    assert [row["rank"] for row in found.values()] == [1, 2, None, None]
    assert [row["status"] for row in found.values()] == ["complete", "complete", "incomplete", "incomplete"]
    assert [row["n_scored"] for row in found.values()] == [10, 10, 0, 0]
    assert "no accuracy" in client.get(BOARD).content.decode().split("/systems/none/")[1].split("</tr>")[0]


def test_lb_02_equal_scores_share_a_rank_and_keep_their_order(client, db) -> None:
    """LB-02: 0.57, 0.57, 0.50: ranks 1, 1, 3, the same order on each load, compared before rounding."""
    benchmark = make_benchmark(slug="small")
    hundred = make_set(benchmark, "small", make_questions(benchmark, [{}] * 100))
    for slug, right in (("b", 57), ("c", 50), ("a", 57)):
        make_run(make_system(slug=slug), hundred, "+" * right + "-" * (100 - right))
    for _ in range(2):
        cache.clear()
        assert [(slug, row["rank"]) for slug, row in rows(client).items()] == [("a", 1), ("b", 1), ("c", 3)]
        assert names_on_page(client) == ["a", "b", "c"]
        assert names_on_page(client, "?direction=ascending") == ["c", "a", "b"]


def test_lb_05_an_unfinished_run_is_marked_and_never_above(client, db) -> None:
    """LB-05: A right on 60 of 100, B stopped after 10 with 9 right: B is marked incomplete and not above A."""
    benchmark = make_benchmark(slug="small")
    hundred = make_set(benchmark, "small", make_questions(benchmark, [{}] * 100))
    make_run(make_system(slug="a"), hundred, "+" * 60 + "-" * 40)
    make_run(make_system(slug="b"), hundred, "+" * 9 + "-" + " " * 90, status="stopped")
    found = rows(client)
    assert [(slug, row["rank"], row["accuracy"]) for slug, row in found.items()] == [("a", 1, 0.6), ("b", None, None)]
    assert (found["b"]["status"], found["b"]["n_scored"], found["b"]["n_questions"]) == ("incomplete", 10, 100)
    for query in ("", "?direction=ascending", "?sort=name", "?sort=questions&direction=ascending"):
        assert names_on_page(client, query) == ["a", "b"]
    assert 'tag-warning">incomplete' in client.get(BOARD).content.decode().split("/systems/b/")[1].split("</tr>")[0]


def test_lb_07_a_board_shows_every_change_when_it_is_loaded_again(client, small_set, admin_user, monkeypatch) -> None:
    """LB-07: finish a run, judge again, take a run away, hide a system: seen at once, nothing half-built is kept."""

    def accuracies() -> dict[str, float | None]:
        page, found = names_on_page(client), rows(client)
        assert page == list(found)
        return {slug: row["accuracy"] for slug, row in found.items()}

    make_run(make_system(slug="other"), small_set, "++--------")
    run = make_run(make_system(slug="new"), small_set, "+++++++++ ", status="running")
    assert accuracies() == {"other": 0.2, "new": None}

    # A page that fails on the way is kept by nobody.
    with monkeypatch.context() as broken:
        broken.setattr(board_statistics, "standings", lambda given: 1 / 0)
        Item.objects.filter(run=run, status="waiting").update(status="answered", outcome="wrong", rule="standard@1")
        results_changed(benchmark_id=small_set.benchmark_id, system_id=run.system_id)
        make_run(make_system(slug="third"), small_set, "+---------")
        for url in (BOARD, API):
            assert Client(raise_request_exception=False).get(url).status_code == 500
    assert accuracies() == {"new": 0.9, "other": 0.2, "third": 0.1}

    correct_to_right(Item.objects.get(run=run, outcome="wrong"), admin_user)
    assert accuracies() == {"new": 1.0, "other": 0.2, "third": 0.1}

    run_withdraw(run_id=run.pk, reason="Asked with the wrong prompt.")
    assert accuracies() == {"other": 0.2, "third": 0.1}
    run_put_back(run_id=run.pk)
    assert accuracies() == {"new": 1.0, "other": 0.2, "third": 0.1}
    edit_system("other", is_hidden=True)
    assert accuracies() == {"new": 1.0, "third": 0.1}
    for url in (BOARD, API):
        assert client.get(url)["ETag"], "a copy is asked about before it is shown"


def correct_to_right(item: Item, actor) -> None:
    right = item.question_revision.options.get(credit=1)
    reading = Reading(status=ReadStatus.READ, option_keys=(right.option_key,))
    item_reading_correct(item=item, reading=reading, reason="Misread.", actor=actor)


@pytest.mark.parametrize("name", ['=HYPERLINK("http://x","y")', "+1", "-2", "@SUM(A1)", "\tx"])
def test_lb_08_a_name_is_no_formula_and_a_number_stays_one(client, small_set, name) -> None:
    """LB-08: a system named like a formula, and a real figure of -0.5: text neutralised, the number left a number."""
    make_run(make_system(slug="formula", name=name), small_set, "+" * 5 + "-" * 5)
    (line,) = csv.DictReader(io.StringIO(client.get("/api/v1/leaderboard/small.csv").content.decode()))
    assert line["name"] == f"'{name}"
    assert line["accuracy"] == "0.5"
    text = csv_response("x.csv", ("name", "difference"), [(name, -0.5)]).content.decode().splitlines()[-1]
    assert text.endswith(",-0.5")
    assert text.startswith("\"'")


def test_lb_10_one_row_for_a_system_with_its_history_in_reach(client, small_set) -> None:
    """LB-10: two runs of another temperature, a rename, two of one name: a row each, the newest, history reachable."""
    system = make_system(slug="model-x", name="model-x")
    for outcomes, temperature in (("+" * 6 + "-" * 4, 0), ("+" * 4 + "-" * 6, 1)):
        run = make_run(system, small_set, outcomes)
        run.parameters = {"temperature": temperature, "max_tokens": 100, "template": "http://inside.example"}
        run.prompt_style = "completion"
        run.save()
    make_run(make_system(slug="model-x-agent", name="model-x", kind="agent"), small_set, "+" * 9 + "-")
    found = rows(client)
    assert {slug: row["accuracy"] for slug, row in found.items()} == {"model-x-agent": 0.9, "model-x": 0.4}
    assert client.get(BOARD).content.decode().count(">model-x</a>") == 2
    html = client.get("/systems/model-x/").content.decode()
    newest, oldest = [" ".join(part.split()) for part in html.split("All complete runs")[1].split("<tr role")[2:4]]
    assert "40.0%" in newest
    assert "temperature: 1<" in newest
    assert "<strong>yes</strong>: the newest complete run" in newest
    assert "60.0%" in oldest
    assert "temperature: 0<" in oldest
    assert "no: an older run" in oldest
    assert "max_tokens" not in html, "alike in both"
    assert "inside.example" not in html
    System.objects.filter(pk=system.pk).update(name="model-y")
    assert rows(client)["model-x"]["name"] == "model-y"
    assert "60.0%" in client.get("/systems/model-x/").content.decode()


def test_lb_11_a_second_run_and_the_loss_of_the_worst_leave_the_others(client, small_set) -> None:
    """LB-11: asked again with an equal score, then the worst taken away: the newest is shown, the others remain."""
    system = make_system(slug="model-x")
    worst = make_run(system, small_set, "+" * 2 + "-" * 8)
    first = make_run(system, small_set, "+" * 6 + "-" * 4)
    again = make_run(system, small_set, "-" * 4 + "+" * 6)
    make_run(make_system(slug="other"), small_set, "+" * 5 + "-" * 5)
    row = rows(client)["model-x"]
    assert (row["accuracy"], row["rank"]) == (0.6, 1)
    assert row["ci_low"] < 0.6 < row["ci_high"]

    def history() -> list[str]:
        html = client.get("/systems/model-x/").content.decode().split("All complete runs")[1].split("</table>")[0]
        return re.findall(r"(\d+\.\d)%\s*<span", html)

    assert history() == ["60.0", "60.0", "20.0"]
    run_withdraw(run_id=worst.pk, reason="Wrong key.")
    assert history() == ["60.0", "60.0"]
    assert list(rows(client)) == ["model-x", "other"]
    for run, left in ((again, 0.6), (first, None)):
        run_withdraw(run_id=run.pk, reason="Wrong key.")
        assert rows(client).get("model-x", {}).get("accuracy") == left
    assert list(rows(client)) == ["other"]
    assert System.objects.filter(slug="model-x").exists()


def test_lb_13_spellings_of_a_topic_are_one_topic(client, db) -> None:
    """LB-13: `Organic Chemistry`, `organic-chemistry`, `organic_chemistry `: one topic."""
    benchmark = make_benchmark(slug="small")
    questions = make_questions(benchmark, [{}] * 9)
    for number, question in enumerate(questions):
        name = ("Organic Chemistry", "organic-chemistry", "organic_chemistry ")[number % 3]
        label_question(question, name=name)
    make_set(benchmark, "small", questions, policy=QuestionSet.Policy.OPEN)
    make_run(make_system(slug="a"), QuestionSet.objects.get(slug="small"), "+" * 6 + "-" * 3)
    (topic,) = rows(client)["a"]["topics"].values()
    assert (topic["n"], topic["accuracy"]) == (9, pytest.approx(6 / 9))
    assert rows(client, topic="organic_chemistry")["a"]["accuracy"] == pytest.approx(6 / 9)
