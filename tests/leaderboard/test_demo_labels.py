"""Made-up systems among real ones: wherever a result of theirs stands, it is said beside it."""

import csv
import io
import re

import pytest
from django.core.management import call_command
from django.test import Client

from corpus.models import Benchmark, Question, Source
from evaluations.models import System
from leaderboard.charts import label
from leaderboard.queries import load_board, parse_query
from leaderboard.selectors.boards import public_sets
from leaderboard.services.snapshots import snapshot_publish
from leaderboard.share_image import drawn_name, share_picture
from tests.corpus.factories import label_questions, make_benchmark, make_questions, make_set
from tests.leaderboard.factories import edit_system, make_people, make_run, make_system
from tests.leaderboard.stated import state

N = 40
PAIR = "entrant=real-0&entrant=made-up"


@pytest.fixture
def mixed(db):
    """A real, open set of forty questions with five real systems and a made-up one that is best; and a part of it."""
    benchmark = make_benchmark(slug="real", name="Real bench")
    questions = make_questions(benchmark, [{"key": f"q{number}"} for number in range(N)])
    label_questions(questions, [("Organic", "Physical", "General")[number % 3] for number in range(N)])
    source = Source.objects.create(benchmark=benchmark, slug="source", name="Source")
    Question.objects.filter(pk__in=[question.pk for question in questions[:9]]).update(source=source)
    make_set(benchmark, "part", questions[:20], name="Part of it", policy="open")
    question_set = make_set(benchmark, "real", questions, name="Real set", policy="open")
    for number in range(5):
        system = make_system(slug=f"real-{number}", name=f"Real {number}", kind="model", parameter_count=10**9)
        make_run(system, question_set, "+" * (20 + 2 * number) + "-" * (20 - 2 * number))
    made_up = make_system(slug="made-up", name="Made up", kind="model", is_demo=True, parameter_count=10**9)
    state(make_run(made_up, question_set, "+" * 38 + "--"), "54" * 20)
    return question_set


def lines_of(client: Client, address: str) -> list[dict[str, str]]:
    response = client.get(address)
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode())))


@pytest.mark.parametrize(
    "file",
    [
        "/api/v1/leaderboard/real.csv",
        "/leaderboard/real/outcomes/outcomes.csv",
        "/leaderboard/real/factors/factors.csv",
        "/leaderboard/real/scale/scale.csv",
        "/leaderboard/real/robustness/sources.csv",
        "/leaderboard/real/robustness/systems.csv",
    ],
)
def test_a_file_says_of_each_line_whether_it_is_made_up(client: Client, mixed, file: str) -> None:
    told = {line["slug"]: line["is_demo"] for line in lines_of(client, file)}
    assert told["made-up"] == "true"
    assert told["real-0"] == "false"


def test_the_file_of_confidence_says_it_of_each_line(client: Client, mixed) -> None:
    found = lines_of(client, "/leaderboard/real/confidence/levels.csv")
    assert {(line["entrant"], line["is_demo"]) for line in found} == {("made-up", "true")}


def test_the_file_of_a_comparison_says_it_of_both(client: Client, mixed) -> None:
    for line in lines_of(client, f"/leaderboard/real/compare/differences.csv?{PAIR}"):
        assert (line["first"], line["first_is_demo"], line["second_is_demo"]) == ("made-up", "true", "false")


@pytest.mark.parametrize(
    "chart",
    [
        "chart.json",
        f"topics/chart.json?{PAIR}",
        f"compare/chart.json?{PAIR}",
        "factors/chart.json?x=size",
        "scale/chart.json",
        "confidence/chart.json",
        "confidence/distribution.json",
    ],
)
def test_a_chart_says_it_beside_the_name(client: Client, mixed, chart: str) -> None:
    text = client.get(f"/leaderboard/real/{chart}").content.decode()
    assert "Made up (demo)" in text
    assert "Real 0 (demo)" not in text


def test_made_up_people_are_told_as_such_in_charts(client: Client, mixed) -> None:
    make_people(mixed, ["+" * n + "-" * (N - n) for n in (10, 14, 18, 22, 26, 30)], is_demo=True)
    assert "human mean 50.0% (demo)" in client.get("/leaderboard/real/chart.json").content.decode()
    assert "Human mean 50.0% (demo)" in client.get("/leaderboard/real/factors/chart.json?x=size").content.decode()
    for chart in (f"topics/chart.json?{PAIR}", "scale/chart.json"):
        assert "Human experts (mean of 6) (demo)" in client.get(f"/leaderboard/real/{chart}").content.decode()


TAGGED = re.compile(r"Made up(?:</a>)?\s*(?:<[^>]*>[^<]*</\w+>\s*)*?<span class=\"tag\">demo</span>|Made up \(demo\)")


@pytest.mark.parametrize(
    ("page", "n_names"),
    [
        ("", 1),
        ("leaderboard/real/", 2),
        ("leaderboard/real/topics/", 2),
        (f"leaderboard/real/compare/?{PAIR}", 3),
        (f"leaderboard/real/compare/questions/?{PAIR}", 1),
        ("leaderboard/real/factors/", 1),
        ("leaderboard/real/scale/", 1),
        ("leaderboard/real/outcomes/", 2),
        ("leaderboard/real/robustness/", 2),
        ("leaderboard/real/confidence/", 2),
    ],
)
def test_a_page_says_it_wherever_the_name_stands(client: Client, mixed, page: str, n_names: int) -> None:
    text = client.get(f"/{page}").content.decode()
    main = text[text.index("<main") :]
    shown = re.sub(r"<span class=\"visually-hidden\">[^<]*</span>|aria-label=\"[^\"]*\"|data-of=\"[^\"]*\"", "", main)
    assert len(TAGGED.findall(shown)) == shown.count("Made up") >= n_names


def test_a_real_set_with_a_made_up_row_is_not_called_made_up_as_a_whole(client: Client, mixed) -> None:
    text = client.get("/leaderboard/real/").content.decode()
    assert "Rows marked" in text
    assert "These questions, people and systems were made up" not in text


def test_a_picture_says_it_of_each_line(mixed) -> None:
    found = public_sets().get(pk=mixed.pk)
    picture = share_picture(load_board(question_set=found, query=parse_query({}, question_set=found)))
    assert picture.lines[0].name == "Made up (demo)"
    assert picture.lines[1].name == "Real 4"
    assert not picture.is_demo, "most of it is real"


@pytest.mark.parametrize("are_people_demo", [True, False])
def test_a_picture_of_nothing_real_says_it_as_a_whole(mixed, are_people_demo) -> None:
    System.objects.update(is_demo=True)
    make_people(mixed, ["+" * n + "-" * (N - n) for n in (10, 14, 18, 22, 26, 30)], is_demo=are_people_demo)
    found = public_sets().get(pk=mixed.pk)
    picture = share_picture(load_board(question_set=found, query=parse_query({}, question_set=found)))
    assert picture.is_demo == are_people_demo


@pytest.mark.parametrize("is_demo", [True, False])
def test_a_picture_of_made_up_questions_says_it_as_a_whole(small_set, is_demo) -> None:
    Benchmark.objects.update(is_demo=is_demo)
    for slug in ("one", "two"):
        make_run(make_system(slug=slug), small_set, "+++++-----")
    found = public_sets().get(pk=small_set.pk)
    picture = share_picture(load_board(question_set=found, query=parse_query({}, question_set=found)))
    assert picture.is_demo == is_demo


def test_a_picture_says_it_of_a_long_name_and_of_people_too(mixed) -> None:
    edit_system("made-up", name="Made up with a name for which no picture has room")
    make_people(mixed, ["+" * n + "-" * (N - n) for n in (10, 14, 18, 22, 26, 30)], is_demo=True)
    found = public_sets().get(pk=mixed.pk)
    picture = share_picture(load_board(question_set=found, query=parse_query({}, question_set=found)))
    assert drawn_name(picture.lines[0]).startswith("Made up with a name")
    assert drawn_name(picture.lines[0]).endswith("… (demo)")
    assert drawn_name(picture.lines[1]) == "Real 4"
    assert picture.human_words == "human mean 50.0% (demo)"
    assert "human mean 50.0% (demo)" in picture.words


@pytest.mark.parametrize("is_demo", [True, False])
def test_sentences_on_which_people_count_say_that_they_are_made_up(client: Client, mixed, is_demo) -> None:
    make_people(mixed, ["+" * n + "-" * (N - n) for n in (10, 14, 18, 22, 26, 30)], is_demo=is_demo)
    card = " ".join(client.get("/").content.decode().split("Real set</a>")[1].split('class="top"')[0].split())
    assert ('<p class="small quiet"> <span class="tag">demo</span>' in card) == is_demo
    page = " ".join(client.get("/leaderboard/real/outcomes/").content.decode().split())
    assert bool(re.search(r"Human experts[^:]* \(demo\): ", page)) == is_demo


def test_a_real_system_on_a_made_up_set_is_told_which_of_its_results_are_made_up(client: Client, mixed) -> None:
    demo = make_benchmark(slug="invented", name="Invented", is_demo=True)
    invented = make_set(demo, "invented", make_questions(demo, [{"key": "i0"}, {"key": "i1"}]), name="Invented set")
    make_run(System.objects.get(slug="real-0"), invented, "+-")
    text = client.get("/systems/real-0/").content.decode()
    assert "These questions, people and systems were made up" not in text
    assert re.search(r"Invented set</a>\s*<span class=\"tag\">demo</span>", text)
    assert not re.search(r"Real set</a>\s*<span class=\"tag\">demo</span>", text)
    assert re.search(
        r"Real set</a>\s*<span class=\"tag\">demo</span>", client.get("/systems/made-up/").content.decode()
    )


def test_a_folder_of_results_says_it_of_each_line_and_not_of_all(mixed, tmp_path) -> None:
    call_command("export_results", str(tmp_path / "results"), set="real")
    for file in ("groups.csv", "systems.csv", "verdicts.csv"):
        lines = list(csv.DictReader(io.StringIO((tmp_path / "results" / file).read_text())))
        told = {line["slug"]: line["is_demo"] for line in lines}
        assert (told["made-up"], told["real-0"]) == ("true", "false")
    said = (tmp_path / "results" / "README.md").read_text()
    assert "**Demo data among the rows**" in said
    assert "**Demo data**" not in said


def test_a_snapshot_says_it_of_each_row_and_change(client: Client, mixed) -> None:
    first = snapshot_publish(question_set=mixed)
    make_run(make_system(slug="late", name="Late made up", is_demo=True, kind="model"), mixed, "+" * 39 + "-")
    second = snapshot_publish(question_set=mixed)
    page = client.get(f"/snapshots/{first.number}/").content.decode()
    assert len(TAGGED.findall(page)) == page.count("Made up") == 2
    assert "These questions, people and systems were made up" not in page
    changes = client.get(f"/snapshots/changes/?from={first.number}&to={second.number}").content.decode()
    assert re.search(r"Late made up\s*<span class=\"tag\">demo</span>", changes)


def test_a_made_up_system_and_a_real_one_never_share_a_bar(mixed) -> None:
    make_run(make_system(slug="sly", name="Made up (demo)", kind="model"), mixed, "+" * 37 + "---")
    found = public_sets().get(pk=mixed.pk)
    rows = load_board(question_set=found, query=parse_query({}, question_set=found)).rows
    labels = [label(row) for row in rows]
    assert len(set(labels)) == len(labels)


@pytest.mark.parametrize(
    "part",
    ["leaderboard/real/", "leaderboard/real/scale/", "leaderboard/real/robustness/", "leaderboard/real/confidence/"],
)
def test_the_api_says_whether_anything_is_made_up(client: Client, mixed, part: str) -> None:
    found = client.get(f"/api/v1/{part}").json()
    assert found["is_demo"] is True
    rows = found.get("rows", found.get("entrants", found.get("by_source")))
    assert {row["slug"] for row in rows if row["is_demo"]} == {"made-up"}


def test_pages_of_questions_say_how_many_made_up_systems_their_shares_count(client: Client, mixed) -> None:
    question = Question.objects.get(key="q0")
    said = "Of the 6 systems counted here, 1 was made up"
    for page in ("/leaderboard/real/questions/", f"/leaderboard/real/questions/{question.pk}/"):
        assert said in " ".join(client.get(page).content.decode().split())
    (line,) = [line for line in lines_of(client, "/leaderboard/real/questions/questions.csv") if line["number"] == "1"]
    assert (line["n_systems"], line["n_demo_systems"], line["share_right"]) == ("6", "1", "1.0")


def test_a_list_of_questions_without_made_up_systems_says_nothing_of_any(client: Client, mixed) -> None:
    edit_system("made-up", is_demo=False)
    assert "Demo data" not in client.get("/leaderboard/real/questions/").content.decode()
