"""How answers ended, by entrant and by topic: the boards' own counts, and no others."""

import csv
import io
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from corpus.models import QuestionSet
from leaderboard.matrix import OUTCOMES
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

PAGE = "/leaderboard/wide/outcomes/"
CSV = f"{PAGE}outcomes.csv"
TOPICS = ("Organic Chemistry", "Physical Chemistry", "Rare", "Single")


@pytest.fixture
def results(db) -> QuestionSet:
    benchmark = make_benchmark(slug="wide", name="Wide bench")
    questions = make_questions(benchmark, [{}] * 30)
    # One question has no topic: else the one in a topic of its own would follow from the others.
    topics = [TOPICS[(number >= 12) + (number >= 24) + (number >= 28)] for number in range(29)]
    label_questions(questions[:28] + questions[29:], topics)
    wide = make_set(benchmark, "wide", questions, name="Wide set")
    make_run(make_system(slug="good", name="Good"), wide, "+" * 24 + "-" * 6)
    make_run(make_system(slug="mute", name="Mute"), wide, "rrruud" + "+" * 6 + "r" * 6 + "-" * 11 + "r")
    make_run(make_system(slug="twice", name="Twice"), wide, ["u" + "+" * 29, "+" * 30])
    make_run(make_system(slug="stopped", name="Stopped"), wide, "u" * 10 + "e" + " " * 19)
    make_people(wide, ["+" * 20 + "d" * 10] * 5)
    return wide


def page(client, status: int = 200, **query: str) -> str:
    response = client.get(PAGE, query)
    assert response.status_code == status
    return " ".join(response.content.decode().split())


def table(html: str, heading: str) -> tuple[list[str], dict[str, list[str]]]:
    """Return the headings of the table below a heading, and its cells by the name in their line."""
    body = html.split(f'id="{heading}"')[1].split("</table>")[0]

    def text(cell: str) -> str:
        return " ".join(re.sub(r"<[^>]+>", " ", cell.replace("\u200b", "")).split())

    headings = [text(cell) for cell in re.findall(r"<th[^>]*>(.*?)</th>", body.split("</thead>")[0])]
    lines = {}
    for line in body.split("</thead>")[1].split("</tr>")[:-1]:
        name, *_ = text(re.search(r"<th[^>]*>(.*?)</th>", line).group(1)).split(" (")
        lines[name] = [text(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", line)]
    return headings, lines


def records(client, **query: str) -> dict[tuple[str, str], dict[str, str]]:
    response = client.get(CSV, query)
    assert response.status_code == 200
    return {(line["slug"], line["topic"]): line for line in csv.DictReader(io.StringIO(response.content.decode()))}


def test_counts_and_shares_stand_with_the_number_of_answers(client, results) -> None:
    headings, lines = table(page(client), "entrants-heading")
    assert headings == ["Name", "Answers", "right", "wrong", "unparsed", "refused", "do not know"]
    assert lines["Mute"] == ["30", "20.0 6", "36.7 11", "6.7 2", "33.3 10", "3.3 1"]
    assert lines["Twice"][:2] == ["60", "98.3 59"]
    assert lines["Human experts"] == ["150", "66.7 100", "0.0 0", "0.0 0", "0.0 0", "33.3 50"]


def test_one_kind_is_shown_by_topic_and_small_topics_are_greyed(client, results) -> None:
    html = page(client, outcome="refused")
    headings, lines = table(html, "topics-heading")
    assert headings == ["Name", "All 30", "Organic Chemistry 12", "Physical Chemistry 12", "Rare 4", "Single 1"]
    assert lines["Mute"][:4] == ["33.3", "25.0", "50.0", "0.0"]
    assert 'class="number heat-small"' in html
    assert "Refused, by grouping" not in html
    assert "Refused, by topic" in html


def test_no_answer_is_all_that_says_nothing(client, results) -> None:
    _, lines = table(page(client), "topics-heading")
    assert lines["Mute"][:3] == ["43.3", "50.0", "50.0"]
    assert lines["Twice"][0] == "1.7"


def test_the_grouping_follows_the_address(client, results) -> None:
    for number, member in enumerate(results.current_revision.question_revisions.all()):
        label_question(member.question, grouping="molecular-size", name=f"{number % 2} to 10")
    headings, _ = table(page(client, grouping="molecular-size"), "topics-heading")
    assert headings[2:] == ["0 to 10 15", "1 to 10 15"]
    assert "Bad" not in page(client, status=400, grouping="nonsense")


def test_on_a_closed_set_nothing_follows_for_single_questions_or_from_incomplete_results(client, results) -> None:
    _, entrants = table(page(client), "entrants-heading")
    assert set(entrants["Stopped incomplete"]) == {"– not given"}
    _, topics = table(page(client, outcome="refused"), "topics-heading")
    assert topics["Mute"][4] == "– not given"
    found = records(client)
    assert found["stopped", ""]["refused"] == found["stopped", ""]["n_answers"] == ""
    assert found["mute", "Single"]["refused"] == ""


def test_on_an_open_set_errors_and_what_is_missing_are_told(client, results) -> None:
    QuestionSet.objects.update(policy="open")
    headings, lines = table(page(client), "entrants-heading")
    assert headings[-2:] == ["error", "missing"]
    assert lines["Stopped incomplete"][-2:] == ["3.3 1", "63.3 19"]
    assert lines["Stopped incomplete"][0] == "11 of 30"
    assert lines["Mute"][0] == "30"
    found = records(client)
    assert (found["stopped", ""]["n_due"], found["stopped", ""]["n_answers"]) == ("30", "11")


def test_every_count_is_that_of_the_board(client, results) -> None:
    """Whole set and each topic, people included: the page shows no more of anybody than the boards do."""
    found = records(client)
    for topic, name in (("", ""), *((name.lower().replace(" ", "-"), name) for name in TOPICS)):
        board = client.get("/api/v1/leaderboard/wide/", {"topic": topic} if topic else {}).json()
        for row in board["rows"]:
            line = found[row["slug"], name]
            told = {outcome.value: line[outcome.value] for outcome in OUTCOMES}
            on_board = {outcome: str(count) for outcome, count in row["outcomes"].items()}
            assert told == (on_board or dict.fromkeys(told, "")), (row["slug"], topic)


def test_shares_add_up(client, results) -> None:
    for line in records(client).values():
        if line["n_answers"]:
            assert sum(float(line[f"{outcome.value}_share"]) for outcome in OUTCOMES) == pytest.approx(1)
            assert line["n_due"] == line["n_answers"]
            assert sum(int(line[outcome.value]) for outcome in OUTCOMES) == int(line["n_answers"])


def test_a_name_is_safe_in_a_spreadsheet(client, results) -> None:
    make_run(make_system(slug="formula", name="=1+1"), results, "+" * 30)
    assert records(client)["formula", ""]["name"] == "'=1+1"


def test_bad_addresses_are_told_what_there_is(client, results) -> None:
    assert "no_answer, right, wrong" in page(client, status=400, outcome="nonsense")
    assert client.get("/leaderboard/none/outcomes/").status_code == 404
    assert client.post(PAGE).status_code == 405


def test_unchanged_pages_are_answered_shortly_and_cost_no_more_with_more_systems(client, results) -> None:
    tag = client.get(PAGE)["ETag"]
    assert client.get(PAGE, headers={"If-None-Match": tag}).status_code == 304
    with CaptureQueriesContext(connection) as few:
        client.get(PAGE)
    for _ in range(5):
        make_run(make_system(), results, "+" * 30)
    assert client.get(PAGE)["ETag"] != tag
    with CaptureQueriesContext(connection) as more:
        client.get(PAGE)
    assert len(more) == len(few)


def test_the_board_leads_here(client, results) -> None:
    assert f'href="{PAGE}' in client.get("/leaderboard/wide/").content.decode()


def test_without_results_the_page_says_so(client, db) -> None:
    make_set(make_benchmark(), "wide", [make_question(make_benchmark(slug="other"))])
    assert "No results yet" in page(client)
