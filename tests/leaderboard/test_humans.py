"""The page about people: aggregates of whole groups only, and no more than the boards tell."""

import csv
import io
import re

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from corpus.models import QuestionSet
from evaluations.models import Run
from leaderboard import humans
from leaderboard.statistics import beaten_band, bootstrap_interval
from survey.models import StudyBlock
from tests.corpus.factories import label_questions, make_benchmark, make_questions, make_set
from tests.leaderboard.factories import make_people, make_people_of_parts, make_run, make_system

pytestmark = pytest.mark.one_database

PAGE = "/leaderboard/wide/humans/"


@pytest.fixture
def wide_set(db) -> QuestionSet:
    benchmark = make_benchmark(slug="wide", name="Wide bench")
    questions = make_questions(benchmark, [{}] * 20)
    label_questions(questions, ["Organic Chemistry"] * 10 + ["Physical Chemistry"] * 7 + ["Rare"] * 3)
    return make_set(benchmark, "wide", questions, name="Wide set")


def answers(*rights: int, n: int = 20) -> list[str]:
    return ["+" * right + "-" * (n - right) for right in rights]


def page(client, status: int = 200, **query: str) -> str:
    response = client.get(PAGE, query)
    assert response.status_code == status
    return " ".join(response.content.decode().split())


def cells(html: str, name: str) -> list[str]:
    """Return the cells of the line that begins with a name, as text."""
    line = html.split(f">{name}<")[1].split("</tr>")[0]
    found = re.findall(r"<td.*?>(.*?)</td>", line)
    return [" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in found]


def test_the_mean_has_an_interval_over_people_and_one_over_questions(client, wide_set) -> None:
    make_people(wide_set, answers(*range(5, 15)))
    html = page(client)
    shares = np.array([(np.array(range(5, 15)) > place).mean() for place in range(20)])
    low, high = bootstrap_interval(shares)
    found = re.search(r"Human experts \(mean of 10\).*?</tr>", html).group()
    assert "<strong>47.5%</strong>" in found
    assert f"{low * 100:.1f}% to {high * 100:.1f}%" in found
    assert "25.0% to 70.0%" in found
    assert "10 of 10 people count" in html


def test_the_share_a_system_beats_is_told_in_bands_of_whole_groups(client, wide_set) -> None:
    make_people(wide_set, answers(*range(5, 15)))
    for slug, right in (("over", 20), ("under", 1), ("high", 13), ("low", 6)):
        make_run(make_system(slug=slug, name=slug), wide_set, answers(right)[0])
    html = page(client).split('id="beaten-heading"')[1]
    assert [cells(html, name)[1] for name in ("over", "high", "low", "under")] == [
        "all",
        "50% to 100%",
        "0% to 50%",
        "none",
    ]
    assert "Beats, of 10 experts" in html
    text = client.get("/leaderboard/wide/humans/humans.csv").content.decode()
    found = {line["slug"]: line for line in csv.DictReader(io.StringIO(text))}
    assert [(found[slug]["beats_low"], found[slug]["beats_high"]) for slug in ("over", "high", "under")] == [
        ("1.0", "1.0"),
        ("0.5", "1.0"),
        ("0.0", "0.0"),
    ]
    assert (found["human-experts"]["n_people"], found["high"]["n_people"]) == ("10", "10")
    assert found["human-experts"]["beats_low"] == ""


def test_no_interval_over_questions_where_two_sets_differ_by_few_questions(client, wide_set) -> None:
    # With the totals it would tell how many are right on each of the two questions.
    revisions = list(wide_set.current_revision.question_revisions.all())
    make_set(wide_set.benchmark, "less", revisions[:18], name="Less")
    make_people(wide_set, answers(*range(5, 15)))
    found = re.search(r"Human experts \(mean of 10\).*?</tr>", page(client)).group()
    assert found.count("not given") == 1
    assert "25.0% to 70.0%" in found


@pytest.mark.parametrize("n", [5, 9])
def test_of_fewer_people_than_extremes_need_no_share_is_told(client, wide_set, n) -> None:
    make_people(wide_set, answers(*range(5, 5 + n)))
    make_run(make_system(slug="high", name="high"), wide_set, answers(13)[0])
    html = page(client)
    assert f"mean of {n}" in html
    assert "Beats, of" not in html
    assert "close to telling single people's results" in html.replace("&#x27;", "'")


def test_of_fewer_people_than_a_mean_needs_nothing_is_told(client, wide_set) -> None:
    make_people(wide_set, answers(5, 6, 7, 8))
    html = page(client)
    assert "No people here yet" in html
    assert "%" not in html.split("<main")[1].split("</main>")[0]


def test_topics_are_those_the_boards_show_of_people(client, wide_set) -> None:
    make_people(wide_set, answers(*range(5, 15)))
    html = page(client).split('id="topics-heading"')[1]
    assert cells(html, "Organic Chemistry")[0] == "10"
    assert cells(html, "Organic Chemistry")[1].startswith("85.0%")
    assert ">Rare<" not in html


def test_of_people_asked_a_part_only_what_their_board_shows(client, wide_set) -> None:
    parts = ["+-" * 5 + "." * 10, "." * 10 + "+-" * 5]
    make_people(wide_set, parts * 6, questions_per_person=10)
    make_run(make_system(slug="high", name="high"), wide_set, answers(13)[0])
    html = page(client)
    row = re.search(r"Human experts \(12, each asked a part\).*?</tr>", html).group()
    assert "<strong>50.0%</strong>" in row
    assert row.count("not given") == 2
    assert "Beats, of" not in html


def test_with_tools_and_without_are_the_boards_of_the_parts(client, wide_set) -> None:
    revisions = list(wide_set.current_revision.question_revisions.all())
    with_tools = make_set(wide_set.benchmark, "with", revisions[:10], name="With")
    without = make_set(wide_set.benchmark, "without", revisions[10:], name="Without")
    people = [(letters[:10], letters[10:]) for letters in answers(*range(8, 14))]
    make_people_of_parts([with_tools, without], people)
    StudyBlock.objects.filter(set_revision=with_tools.current_revision).update(tools_allowed=True)
    html = page(client).split('id="tools-heading"')[1]
    assert cells(html, "With")[:3] == ["allowed", "6", "10"]
    assert cells(html, "Without")[:3] == ["not allowed", "6", "10"]
    for slug, name in (("with", "With"), ("without", "Without")):
        row = client.get(f"/api/v1/leaderboard/{slug}/").json()["rows"][0]
        assert cells(html, name)[3].startswith(f"{row['accuracy'] * 100:.1f}%")


def test_systems_that_were_allowed_tools_stand_beside_the_people_who_were(client, wide_set) -> None:
    revisions = list(wide_set.current_revision.question_revisions.all())
    with_tools = make_set(wide_set.benchmark, "with", revisions[:10], name="With")
    without = make_set(wide_set.benchmark, "without", revisions[10:], name="Without")
    make_people_of_parts([with_tools, without], [(each[:10], each[10:]) for each in answers(*range(8, 14))])
    StudyBlock.objects.filter(set_revision=with_tools.current_revision).update(tools_allowed=True)
    for name, tools in (("Agent", "Python, search"), ("Model", "")):
        run = make_run(make_system(name=name), wide_set, "+-" * 10)
        Run.objects.filter(pk=run.pk).update(frozen={"tools": tools})
    html = page(client).split('id="tools-heading"')[1]
    assert cells(html, "Agent")[:1] == ["Python, search"]
    assert cells(html, "Agent")[2] == "10"
    assert cells(html, "Agent")[3].startswith("50.0%")
    assert html.count(">Agent<") == 1, "not beside people without tools"
    assert ">Model<" not in html


def test_parts_of_people_too_few_to_be_shown_are_not_named(client, wide_set) -> None:
    make_people(wide_set, answers(*range(5, 15)))
    other = make_set(wide_set.benchmark, "other", make_questions(wide_set.benchmark, [{}] * 6), name="Other")
    make_people(other, ["+" * 6] * 4)
    assert ">Other<" not in page(client)


def test_what_is_worked_out_is_kept(client, wide_set, monkeypatch) -> None:
    make_people(wide_set, answers(*range(5, 15)))
    calls = []
    real = humans.people_statistics
    monkeypatch.setattr(humans, "people_statistics", lambda *args, **options: calls.append(1) or real(*args, **options))
    page(client)
    with CaptureQueriesContext(connection) as queries:
        page(client)
    assert calls == [1]
    assert len(queries) <= 9
    make_people(wide_set, answers(*range(5, 15)))
    assert "mean of 20" in page(client)
    assert calls == [1, 1]


def test_bad_addresses_are_told_what_there_is(client, wide_set) -> None:
    assert "standard@1, as-published@1" in page(client, status=400, rule="nonsense")
    assert "exists for imported results only" in page(client, rule="as-published")
    assert client.get("/leaderboard/none/humans/").status_code == 404
    assert client.post(PAGE).status_code == 405


def test_the_board_leads_here(client, wide_set) -> None:
    assert f'href="{PAGE}' in client.get("/leaderboard/wide/").content.decode()


@pytest.mark.parametrize(
    ("system", "n", "band"),
    [
        (0.5, 19, (6 / 19, 13 / 19)),
        (1.0, 19, (1.0, 1.0)),
        (0.0, 19, (0.0, 0.0)),
        (0.06, 19, (0.0, 6 / 19)),
        (0.5, 9, (0, 1)),
    ],
)
def test_bands_hold_the_share_and_have_as_many_people_on_either_side(system, n, band) -> None:
    people = np.linspace(0.05, 0.95, n)
    found = beaten_band(system, people, 5)
    assert (found.low, found.high, found.n_people) == (*band, n)
    assert found.low <= (people < system).mean() <= found.high


def test_a_band_does_not_change_with_one_person_of_its_middle() -> None:
    people = np.linspace(0.05, 0.95, 20)
    moved = np.where(np.arange(20) == 12, 0.74, people)
    assert beaten_band(0.71, people, 5) == beaten_band(0.71, moved, 5)
    assert np.isnan(beaten_band(0.5, np.zeros(0), 5).low)
