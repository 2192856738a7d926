"""Boards of several sets and groupings beside each other: no verdict on one question follows from all they show."""

import csv
import io
import json
from io import StringIO
from itertools import combinations

import numpy as np
import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from corpus.models import QuestionSet
from corpus.services.results import results_changed
from evaluations.models import Item
from tests.corpus.factories import label_question, label_questions, make_benchmark, make_questions, make_set
from tests.leaderboard.factories import make_people, make_run, make_system

pytestmark = pytest.mark.one_database

N = 14
SETS = {"all": range(N), "mini": range(8), "mini-tools": range(5), "mini-no-tools": range(5, 8)}
TOPICS = {"general": [0, 1, 5, 8, 9, 10], "organic": [2, 3, 4, 6, 7, 11, 12, 13]}
SKILLS = {"recall": [0, 1, 2, 5, 8, 9, 10], "reason": [3, 4, 6, 7, 11, 12, 13]}
GROUPINGS = {"topic": TOPICS, "skill": SKILLS}


@pytest.fixture
def sets(db) -> dict[str, QuestionSet]:
    benchmark = make_benchmark(slug="bench")
    questions = make_questions(benchmark, [{}] * N)
    for grouping, groups in GROUPINGS.items():
        for name, members in groups.items():
            own = [questions[number] for number in members]
            label_questions(own, [name] * len(own), grouping=grouping)
    return {slug: make_set(benchmark, slug, [questions[i] for i in members]) for slug, members in SETS.items()}


def members(slug: str, grouping: str, topic: str) -> list[int]:
    return [number for number in SETS[slug] if number in GROUPINGS[grouping][topic]]


def everything_shown(client, slug_of_row: str) -> np.ndarray:
    """Return which questions each figure is of, for every figure that the API, filters included, and the file show."""
    shown = [
        numbers
        for slug in SETS
        for grouping in GROUPINGS
        for part in (of_rows, of_filters, of_file)
        for numbers in part(client, slug, grouping, slug_of_row)
    ]
    matrix = np.zeros((len(shown), N))
    for row, numbers in zip(matrix, shown, strict=True):
        row[numbers] = 1
    return matrix


def of_rows(client, slug: str, grouping: str, slug_of_row: str) -> list[list[int]]:
    answer = client.get(f"/api/v1/leaderboard/{slug}/?grouping={grouping}").json()
    (row,) = [row for row in answer["rows"] if row["slug"] == slug_of_row] or [{"accuracy": None, "topics": {}}]
    topics = [members(slug, grouping, name) for name, each in row["topics"].items() if each["accuracy"] is not None]
    return topics if row["accuracy"] is None else [list(SETS[slug]), *topics]


def of_filters(client, slug: str, grouping: str, slug_of_row: str) -> list[list[int]]:
    shown = []
    for name in GROUPINGS[grouping]:
        response = client.get(f"/api/v1/leaderboard/{slug}/?grouping={grouping}&topic={name}")
        for row in response.json().get("rows", []):
            if row["slug"] == slug_of_row and (row["accuracy"] is not None or row["outcomes"]):
                shown.append(members(slug, grouping, name))
    return shown


def of_file(client, slug: str, grouping: str, slug_of_row: str) -> list[list[int]]:
    text = client.get(f"/api/v1/leaderboard/{slug}.csv?grouping={grouping}").content.decode()
    return [
        members(slug, grouping, name)
        for line in csv.DictReader(io.StringIO(text))
        for name in GROUPINGS[grouping]
        if line["slug"] == slug_of_row and line.get(f"{name} (accuracy)")
    ]


def smallest_that_follows(shown: np.ndarray) -> list[int]:
    rank = np.linalg.matrix_rank(shown)
    return [i for i in range(N) if np.linalg.matrix_rank(np.delete(shown, i, axis=1)) < rank]


def test_no_verdict_follows_from_all_boards_together(client, sets) -> None:
    make_run(make_system(slug="model"), sets["all"], "+-" * 7)
    shown = everything_shown(client, "model")
    assert smallest_that_follows(shown) == []
    # The check above can fail: a topic of the small board beside that of the larger one would tell a verdict.
    both = np.zeros((2, N))
    both[0, members("mini", "topic", "general")] = both[1, members("mini-tools", "topic", "general")] = 1
    assert 5 in smallest_that_follows(np.concatenate([shown, both]))
    assert len({tuple(row) for row in shown}) > len(SETS)


def test_the_difference_of_a_topic_on_two_boards_is_no_single_question(client, sets) -> None:
    make_run(make_system(slug="model"), sets["all"], "+-" * 7)
    seen = {
        slug: client.get(f"/api/v1/leaderboard/{slug}/?topic=general").json()["rows"][0]["accuracy"]
        for slug in ("mini", "mini-tools")
    }
    assert None in seen.values()


def test_the_topics_of_the_largest_set_are_shown(client, sets) -> None:
    make_run(make_system(slug="model"), sets["all"], "+-" * 7)
    (row,) = client.get("/api/v1/leaderboard/all/").json()["rows"]
    assert [topic["accuracy"] is not None for topic in row["topics"].values()] == [True, True]


def test_of_people_nothing_on_fewer_than_five_questions_follows(client, sets) -> None:
    make_people(sets["all"], ["+-" * 7] * 6)
    shown = everything_shown(client, "human-experts")
    rank = np.linalg.matrix_rank(shown)
    told = [
        columns
        for size in range(1, 5)
        for columns in combinations(range(N), size)
        if np.linalg.matrix_rank(np.delete(shown, columns, axis=1)) < rank
    ]
    # The totals of the sets tell three questions as one, since sets are always shown; nothing tells less or else.
    assert told[0] == (5, 6, 7)
    assert all(set(told[0]) <= set(columns) for columns in told)


def test_what_is_public_on_an_open_set_protects_nothing_but_costs_nothing(client, sets) -> None:
    QuestionSet.objects.filter(slug="mini").update(policy="open")
    make_run(make_system(slug="model"), sets["all"], "+-" * 7)
    (row,) = client.get("/api/v1/leaderboard/mini/?topic=general").json()["rows"]
    assert row["accuracy"] is not None


def test_totals_that_are_too_close_are_warned_of(sets) -> None:
    out = StringIO()
    call_command("rebuild_leaderboard", "--json", stdout=out)
    # Mini less its larger part is three questions: enough for systems, too few for people.
    (warning,) = json.loads(out.getvalue())["warnings"]
    assert "of people on fewer than 5 questions (3)" in warning
    benchmark = sets["all"].benchmark
    questions = [member.question_revision.question for member in sets["all"].current_revision.members.all()]
    make_set(benchmark, "all-but-one", questions[:-1])
    results_changed(benchmark_id=benchmark.pk)
    out = StringIO()
    call_command("rebuild_leaderboard", "--json", stdout=out)
    assert any("of systems on fewer than 2 questions (1)" in each for each in json.loads(out.getvalue())["warnings"])


def test_what_is_shown_is_not_worked_out_for_each_request(client, sets, monkeypatch) -> None:
    make_run(make_system(slug="model"), sets["all"], "+-" * 7)
    client.get("/leaderboard/all/")
    monkeypatch.setattr("leaderboard.selectors.shown.joint_disclosure", None)
    assert client.get("/leaderboard/mini/topics/").status_code == 200
    make_run(make_system(slug="other"), sets["all"], "+-" * 7)
    assert client.get("/leaderboard/mini/topics/").status_code == 200
    with CaptureQueriesContext(connection) as queries:
        client.get("/leaderboard/mini/topics/")
    assert not any("question_labels" in each["sql"] and "count" in each["sql"].lower() for each in queries)


def test_new_labels_are_looked_at_once_results_changed(client, sets) -> None:
    make_run(make_system(slug="model"), sets["all"], "+-" * 7)
    client.get("/leaderboard/all/topics/")
    members_of = sets["all"].current_revision.members.order_by("position")
    for member in members_of[: N - 1]:
        label_question(member.question_revision.question, grouping="topic", name="all but one")
    make_run(make_system(slug="other"), sets["all"], "+-" * 7)
    row = client.get("/api/v1/leaderboard/all/").json()["rows"][0]
    assert row["topics"]["all but one"]["accuracy"] is None


@pytest.mark.parametrize("policy", ["closed", "open"])
def test_a_running_run_does_not_tell_its_verdicts_as_they_come(client, sets, policy) -> None:
    QuestionSet.objects.update(policy=policy)
    run = make_run(make_system(slug="model"), sets["all"], "+-" + " " * 12, status="running")
    seen = []
    for number in range(2, 6):
        Item.objects.filter(run=run, position=number).update(status="answered", outcome="right", rule="standard@1")
        results_changed(benchmark_id=sets["all"].benchmark_id)
        (row,) = client.get("/api/v1/leaderboard/all/").json()["rows"]
        (part,) = client.get("/api/v1/leaderboard/all/?topic=organic").json()["rows"]
        assert (row["status"], row["n_scored"], row["accuracy"]) == ("incomplete", number + 1, None)
        seen.append((row["outcomes"], part["outcomes"], part["n_scored"]))
    if policy == "closed":
        assert seen == [({}, {}, None)] * 4
    else:
        assert seen[-1][0]["right"] == 5
