"""The public API and the CSV file."""

import csv
import io

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from corpus.models import Label, Option, Question, QuestionSet
from evaluations.models import System
from leaderboard.payloads import safe_cell
from leaderboard.selectors.boards import unique_names
from tests.corpus.factories import label_question
from tests.leaderboard.factories import make_people, make_run, make_system

pytestmark = pytest.mark.one_database

BOARD = "/api/v1/leaderboard/small/"
CSV = "/api/v1/leaderboard/small.csv"


@pytest.fixture
def results(small_set):
    imported = make_system(slug="imported", name="Imported", source_name="Imported_v1", provider="imported")
    make_run(imported, small_set, "++++++++--", origin="imported", published="++++++----")
    make_run(make_system(slug="asked", name="Asked", kind="agent"), small_set, "++++--ur--")
    make_run(make_system(slug="stopped", name="Stopped"), small_set, "++++++++e ")
    make_people(small_set, ["+++++-----"] * 6)
    return small_set


def rows(client, url: str = BOARD, **query) -> dict[str, dict]:
    response = client.get(url, query)
    assert response.status_code == 200, response.content
    return {row["slug"]: row for row in response.json()["rows"]}


def test_sets_are_listed(client, results) -> None:
    assert client.get("/api/v1/sets/").json() == {
        "sets": [
            {
                "slug": "small",
                "name": "Small set",
                "benchmark": "small",
                "revision": 1,
                "n_questions": 10,
                "default_rule": "standard@1",
                "is_demo": False,
            }
        ]
    }


def test_a_row_holds_what_the_design_promises(client, results) -> None:
    row = rows(client)["imported"]
    assert {name: row[name] for name in ("rank", "rank_low", "rank_high", "name", "source_name", "kind")} == {
        "rank": 1,
        "rank_low": 1,
        "rank_high": 2,
        "name": "Imported",
        "source_name": "Imported_v1",
        "kind": "model",
    }
    assert (row["n_questions"], row["n_scored"], row["accuracy"]) == (10, 10, 0.8)
    assert row["ci_low"] == pytest.approx(0.4902, abs=1e-4)
    assert row["ci_high"] == pytest.approx(0.9433, abs=1e-4)
    assert row["outcomes"]["right"] == 8
    assert set(row["outcomes"]) == {
        "right",
        "wrong",
        "unparsed",
        "refused",
        "empty",
        "truncated",
        "gave_up",
        "do_not_know",
        "error",
    }
    assert row["topics"]["Organic Chemistry"] == {
        "slug": "organic-chemistry",
        "n": 6,
        "accuracy": 1.0,
        "ci_low": pytest.approx(0.6097, abs=1e-4),
        "ci_high": 1.0,
        "withheld": None,
    }
    assert row["topics"]["Physical Chemistry"]["accuracy"] == 0.5


def test_rows_come_in_rank_order_and_incomplete_ones_last(client, results) -> None:
    response = client.get(BOARD).json()
    assert [(row["slug"], row["rank"], row["status"]) for row in response["rows"]] == [
        ("imported", 1, "complete"),
        ("human-experts", 2, "complete"),
        ("asked", 3, "complete"),
        ("stopped", None, "incomplete"),
    ]
    assert response["rows"][-1]["accuracy"] is None
    # On a closed set the counts of a running run would tell each verdict as it comes.
    assert response["rows"][-1]["outcomes"] == {}
    assert response["rows"][-1]["n_scored"] == 8
    QuestionSet.objects.update(policy="open")
    assert client.get(BOARD).json()["rows"][-1]["outcomes"]["error"] == 1
    assert response["rule"] == "standard@1"


def test_people_are_aggregates_by_the_privacy_rule(client, results) -> None:
    assert rows(client)["human-experts"]["people"] == {"n": 6, "best": None, "worst": None}
    make_people(results, ["++++++++++", *["+---------"] * 4])
    assert rows(client)["human-experts"]["people"] == {"n": 11, "best": 1.0, "worst": 0.1}
    assert rows(client, topic="organic-chemistry")["human-experts"]["people"] == {
        "n": 11,
        "best": None,
        "worst": None,
    }


@pytest.mark.parametrize("rule", ["as-published", "as-published@1"])
def test_printed_verdicts_are_a_view_of_imported_results(client, results, rule) -> None:
    board = client.get(BOARD, {"rule": rule}).json()
    assert [(row["slug"], row["accuracy"]) for row in board["rows"]] == [("imported", 0.6)]
    assert (board["rule"], board["n_absent_under_rule"]) == ("as-published@1", 2)


def test_another_grouping_can_be_asked_for(client, results) -> None:
    label_question(Question.objects.get(key="q0"), grouping="skill", name="Calculation")
    topics = rows(client, grouping="skill")["imported"]["topics"]
    assert {name: estimate["n"] for name, estimate in topics.items()} == {"Calculation": 1}


@pytest.mark.parametrize(
    ("url", "status", "words"),
    [
        (BOARD + "?rule=none", 400, "standard@1"),
        (BOARD + "?rule=standard@9", 400, "standard@1"),
        (BOARD + "?grouping=none", 400, "topic"),
        (CSV + "?topic=none", 400, "organic-chemistry"),
        ("/api/v1/leaderboard/none/", 404, "small"),
        ("/api/v1/leaderboard/none.csv", 404, "small"),
        ("/api/v1/systems/none/", 404, "no system"),
        ("/api/v1/systems/asked/?rule=none", 400, "standard@1"),
    ],
)
def test_what_does_not_exist_is_answered_with_a_message(client, results, url, status, words) -> None:
    response = client.get(url)
    assert response.status_code == status
    assert words in response.json()["detail"]


@pytest.mark.parametrize("url", ["/api/v1/sets/", BOARD, CSV, "/api/v1/systems/asked/"])
def test_an_unchanged_answer_is_not_sent_again(client, results, url) -> None:
    first = client.get(url)
    again = client.get(url, headers={"If-None-Match": first["ETag"]})
    assert again.status_code == 304
    assert not again.content


@pytest.mark.parametrize(
    "url",
    [
        BOARD + "?rule=nonsense",
        BOARD + "?grouping=nonsense",
        BOARD + "?topic=nonsense",
        BOARD + "?kind=nonsense",
        CSV + "?rule=nonsense",
        CSV + "?grouping=nonsense",
        CSV + "?topic=nonsense",
        "/api/v1/systems/asked/?rule=nonsense",
    ],
)
def test_a_bad_request_stays_one_for_a_reader_who_has_any_version(client, results, url) -> None:
    response = client.get(url, headers={"If-None-Match": "*"})
    assert response.status_code == 400
    assert response.json()["detail"]


def test_a_good_request_is_unchanged_for_a_reader_who_has_any_version(client, results) -> None:
    url = BOARD + "?grouping=topic&topic=organic-chemistry"
    assert client.get(url, headers={"If-None-Match": "*"}).status_code == 304


@pytest.mark.parametrize("url", [BOARD, CSV, "/api/v1/systems/asked/"])
def test_a_change_gives_another_tag(client, results, url) -> None:
    tags = {client.get(url)["ETag"]}
    make_run(make_system(slug="new"), results, "+" * 10)
    tags.add(client.get(url)["ETag"])
    System.objects.filter(slug="asked").update(name="Renamed")
    tags.add(client.get(url)["ETag"])
    System.objects.filter(slug="imported").update(is_hidden=True)
    tags.add(client.get(url)["ETag"])
    QuestionSet.objects.update(policy="open")
    tags.add(client.get(url)["ETag"])
    assert len(tags) == 5


def test_each_view_of_a_board_has_its_own_tag(client, results) -> None:
    urls = [BOARD, CSV, BOARD + "?kind=model", BOARD + "?rule=as-published"]
    assert len({client.get(url)["ETag"] for url in urls}) == 4


def test_an_unchanged_answer_costs_no_board(client, results) -> None:
    tag = client.get(BOARD)["ETag"]
    with CaptureQueriesContext(connection) as queries:
        client.get(BOARD, headers={"If-None-Match": tag})
    assert len(queries) == 2


def test_a_system_has_its_facts_and_results(client, results) -> None:
    System.objects.filter(slug="asked").update(api_key_variable="SECRET_NAME", base_url="https://inside.example")
    response = client.get("/api/v1/systems/asked/")
    system = response.json()
    assert (system["slug"], system["name"], system["kind"]) == ("asked", "Asked", "agent")
    (result,) = system["results"]
    assert (result["set"], result["rule"], result["accuracy"], result["rank"]) == ("small", "standard@1", 0.4, 3)
    assert "SECRET_NAME" not in response.content.decode()
    assert "inside.example" not in response.content.decode()


def test_no_answer_key_question_or_single_verdict_is_served(client, results) -> None:
    texts = {*Option.objects.values_list("text", flat=True), *Option.objects.values_list("option_key", flat=True)}
    keys = {f'"{key}"' for key in Question.objects.values_list("key", flat=True)}
    for url in ("/api/v1/sets/", BOARD, CSV, "/api/v1/systems/asked/", "/leaderboard/small/chart.json"):
        body = client.get(url).content.decode()
        assert not [text for text in texts | keys if text in body]
        assert "person-" not in body


def test_the_description_is_served_without_pages_from_elsewhere(client, db) -> None:
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    assert set(paths) == {
        "/api/v1/sets/",
        "/api/v1/leaderboard/{set_slug}/",
        "/api/v1/leaderboard/{set_slug}.csv",
        "/api/v1/leaderboard/{set_slug}/confidence/",
        "/api/v1/leaderboard/{set_slug}/robustness/",
        "/api/v1/leaderboard/{set_slug}/scale/",
        "/api/v1/systems/{slug}/",
    }


def parsed_csv(client, **query) -> list[dict[str, str]]:
    response = client.get(CSV, query)
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def test_the_csv_file_holds_the_same_numbers(client, results) -> None:
    lines = {line["slug"]: line for line in parsed_csv(client)}
    for slug, row in rows(client).items():
        line = lines[slug]
        assert line["rank"] == ("" if row["rank"] is None else str(row["rank"]))
        assert line["accuracy"] == ("" if row["accuracy"] is None else str(row["accuracy"]))
        assert line["right"] == str(row["outcomes"].get("right", ""))
        assert line["Organic Chemistry (n)"] == "6"


@pytest.mark.parametrize("name", ['=HYPERLINK("http://x","y")', "+1", "-2", "@SUM(A1)", "\tx", "\rx"])
def test_a_name_cannot_become_a_formula(client, results, name) -> None:
    make_run(make_system(slug="formula", name=name), results, "+" * 10)
    (line,) = [line for line in parsed_csv(client) if line["slug"] == "formula"]
    assert line["name"] == f"'{name}"
    assert line["accuracy"] == "1.0"


@pytest.mark.parametrize(("value", "cell"), [(-0.5, -0.5), (0, 0), (None, None), ("a=b", "a=b"), ("=a", "'=a")])
def test_numbers_stay_numbers(value, cell) -> None:
    assert safe_cell(value) == cell
    assert type(safe_cell(value)) is type(cell)


def test_topics_of_one_name_stay_two(client, results) -> None:
    Label.objects.filter(slug="physical-chemistry").update(name="Organic Chemistry")
    names = ["Organic Chemistry (organic-chemistry)", "Organic Chemistry (physical-chemistry)"]
    topics = rows(client)["imported"]["topics"]
    assert {name: (topics[name]["slug"], topics[name]["n"], topics[name]["accuracy"]) for name in topics} == {
        names[0]: ("organic-chemistry", 6, 1.0),
        names[1]: ("physical-chemistry", 4, 0.5),
    }
    (line,) = [line for line in parsed_csv(client) if line["slug"] == "imported"]
    assert [(line[f"{name} (accuracy)"], line[f"{name} (n)"]) for name in names] == [("1.0", "6"), ("0.5", "4")]


def test_a_name_that_looks_like_a_told_apart_one_is_told_apart_as_well() -> None:
    names = {"a": "Rare", "b": "Rare", "c": "Rare (a)", "d": "Other"}
    told = unique_names(names)
    assert len(set(told.values())) == len(names)
    assert (told["b"], told["d"]) == ("Rare (b)", "Other")
