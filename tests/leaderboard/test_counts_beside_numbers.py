"""No share without the number of questions it is of, and the same number for it wherever it stands."""

import csv
import io

import pytest
from django.test import Client

from leaderboard.services.snapshots import snapshot_publish
from tests.corpus.factories import label_questions, make_benchmark, make_questions, make_set
from tests.leaderboard.factories import make_run, make_system

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
N = 24


@pytest.fixture
def whole(db):
    """Twenty-four open questions, sixteen of them organic, with four models; the first twelve are a set as well."""
    benchmark = make_benchmark(slug="real", name="Real bench")
    questions = make_questions(benchmark, [{"key": f"q{number}"} for number in range(N)])
    label_questions(questions, ["Organic"] * 16 + ["Physical"] * 8)
    make_set(benchmark, "part", questions[:12], name="Part", policy="open")
    question_set = make_set(benchmark, "whole", questions, name="Whole", policy="open")
    for number in range(4):
        system = make_system(slug=f"model-{number}", name=f"Model {number}", kind="model", parameter_count=10**9)
        make_run(system, question_set, "+" * (8 + number) + "-" * (16 - number))
    return question_set


def words(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def lines_of(client: Client, address: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(client.get(address).content.decode())))


def test_every_run_of_a_system_has_its_number_of_questions(client: Client, whole) -> None:
    runs = words(client, "/systems/model-3/").partition("All complete runs")[2]
    assert '45.8% <span class="sub">of 24 questions</span>' in runs


def test_a_snapshot_has_it_for_each_topic_and_what_changed_for_each_side(client: Client, whole) -> None:
    first = snapshot_publish(question_set=whole)
    make_run(make_system(slug="late", name="Late", kind="model"), whole, "+" * 23 + "-")
    second = snapshot_publish(question_set=whole)
    page = words(client, f"/snapshots/{first.number}/")
    assert 'Organic<span class="sub">16</span>' in page
    assert 'Physical<span class="sub">8</span>' in page
    changes = words(client, f"/snapshots/changes/?from={first.number}&to={second.number}")
    assert changes.count("24 questions") == 2


def test_the_file_of_systems_on_two_sets_has_it_for_each(client: Client, whole) -> None:
    (line, *_) = lines_of(client, "/leaderboard/whole/robustness/systems.csv")
    assert (line["n_small"], line["n_full"], line["n_rest"]) == ("12", "24", "12")
    assert float(line["small"]) * 12 + float(line["rest"]) * 12 == pytest.approx(float(line["full"]) * 24)


def test_a_point_of_the_chart_of_factors_has_it(client: Client, whole) -> None:
    models = client.get("/leaderboard/whole/factors/chart.json?x=size").json()["data"][0]
    assert {point[2] for point in models["customdata"]} == {24}
    assert "%{customdata[2]:,} questions" in models["hovertemplate"]


@pytest.mark.parametrize("page", ["topics/", "outcomes/"])
def test_pages_of_all_topics_are_of_all_questions_whatever_topic_is_in_the_address(
    client: Client, whole, page: str
) -> None:
    usual, narrowed = (
        words(client, f"/leaderboard/whole/{page}{query}").partition("<table")[2].rpartition("</table>")[0]
        for query in ("", "?topic=organic")
    )
    assert 'All<span class="sub">24</span>' in usual
    assert narrowed == usual


def test_a_file_of_all_topics_has_a_line_of_all_questions(client: Client, whole) -> None:
    found = lines_of(client, "/leaderboard/whole/outcomes/outcomes.csv?topic=organic")
    assert {line["n_questions"] for line in found if not line["topic"]} == {"24"}


def test_boards_files_and_the_api_tell_the_same_of_a_topic(client: Client, whole) -> None:
    board = client.get("/api/v1/leaderboard/whole/?topic=organic").json()
    by_topic = client.get("/api/v1/leaderboard/whole/").json()
    outcomes = lines_of(client, "/leaderboard/whole/outcomes/outcomes.csv")
    compared = lines_of(client, "/leaderboard/whole/compare/differences.csv?entrant=model-0&entrant=model-3")
    expected = {f"model-{number}": (8 + number) / 16 for number in range(4)}
    assert {row["slug"]: row["accuracy"] for row in board["rows"]} == expected
    assert {row["slug"]: row["topics"]["Organic"]["accuracy"] for row in by_topic["rows"]} == expected
    assert {line["slug"]: float(line["right_share"]) for line in outcomes if line["topic"] == "Organic"} == expected
    (line,) = [line for line in compared if line["topic"] == "Organic"]
    assert (float(line["first_accuracy"]), float(line["second_accuracy"])) == (11 / 16, 8 / 16)
    assert {row["topics"]["Organic"]["n"] for row in by_topic["rows"]} == {16}
