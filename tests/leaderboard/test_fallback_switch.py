"""Every page and file of a set with and without what only a fallback reader could read."""

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.management import call_command
from django.test import Client

from corpus.models import QuestionSet, Source
from corpus.services.results import results_changed
from evaluations.models import Item, ItemReading, Run
from leaderboard import fallback as fallback_module
from leaderboard.fallback import FallbackUse, fallback_use, helped_runs
from leaderboard.models import ScoreMatrix, Snapshot
from leaderboard.queries import load_board, whole_query
from leaderboard.selectors.boards import public_sets
from leaderboard.selectors.snapshots import is_intact
from leaderboard.services.snapshots import snapshot_publish
from tests.corpus.factories import label_questions, make_benchmark, make_questions, make_set
from tests.leaderboard.factories import make_people, make_run, make_system
from tests.leaderboard.stated import state

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
BOARD = "/api/v1/leaderboard/small/"


def rest_on_fallback(run: Run, n: int) -> Run:
    """Let the first answers of a run be such that only its fallback reader could read them."""
    run.frozen = {"fallback": {"reader": "fallback@1:other", "system": "other"}}
    run.save(update_fields=["frozen"])
    for item in Item.objects.filter(run=run).order_by("pk")[:n]:
        ItemReading.objects.create(answer=item, reader="standard@1", status="unparsed")
        ItemReading.objects.create(answer=item, reader="fallback@1:other", status="read")
    return run


@pytest.fixture
def results(small_set: Any) -> None:
    """A system with eight right answers, two of which only a fallback reader could read, and one without fallback."""
    rest_on_fallback(make_run(make_system(slug="helped"), small_set, "++++++++--"), 2)
    make_run(make_system(slug="strict"), small_set, "+++++++---")


def outcomes(client: Client, **query: str) -> dict[str, tuple[int, int]]:
    answer = client.get(BOARD, query).json()
    return {row["slug"]: (row["outcomes"]["right"], row["outcomes"]["unparsed"]) for row in answer["rows"]}


@pytest.mark.usefixtures("results")
def test_fallback_off_shows_the_strict_counts(client: Client) -> None:
    assert outcomes(client) == outcomes(client, fallback="on") == {"helped": (8, 0), "strict": (7, 0)}
    assert outcomes(client, fallback="off") == {"strict": (7, 0), "helped": (6, 2)}
    assert list(outcomes(client, fallback="off")) == ["strict", "helped"]
    assert outcomes(client) == {"helped": (8, 0), "strict": (7, 0)}
    assert ScoreMatrix.objects.count() == 1


@pytest.mark.usefixtures("results")
def test_another_value_is_answered_with_what_there_is(client: Client) -> None:
    answer = client.get(BOARD, {"fallback": "maybe"})
    assert answer.status_code == 400
    assert "There are: on, off." in answer.content.decode()


@pytest.mark.usefixtures("results")
def test_both_views_have_tags_of_their_own(client: Client) -> None:
    assert client.get(BOARD)["ETag"] != client.get(BOARD, {"fallback": "off"})["ETag"]


# Every page and file of a set

N, N_RIGHT, N_HELPED = 40, 30, 10
SET = "/leaderboard/wide"
API = "/api/v1/leaderboard/wide"
PAGES = (
    "",
    "topics/",
    "compare/",
    "humans/",
    "outcomes/",
    "factors/",
    "confidence/",
    "robustness/",
    "scale/",
    "questions/",
)


@pytest.fixture
def wide(db: None) -> QuestionSet:
    """An open set of forty questions: `helped` is right on thirty, ten of which only a fallback reader could read."""
    benchmark = make_benchmark(slug="wide", name="Wide bench")
    questions = make_questions(benchmark, [{}] * N)
    source = Source.objects.create(benchmark=benchmark, slug="book", name="Book")
    label_questions(questions, ["Organic Chemistry"] * N)
    for question in questions[:5]:
        question.source = source
        question.save()
    wide = make_set(benchmark, "wide", questions, name="Wide set", policy="open")
    for number, n_right in enumerate((36, 26, 18, 12)):
        make_run(make_system(slug=f"s{number}"), wide, "+" * n_right + "-" * (N - n_right))
    helped = make_run(make_system(slug="helped", name="Helped"), wide, "+" * N_RIGHT + "-" * (N - N_RIGHT))
    rest_on_fallback(state(helped, "5" * N), N_HELPED)
    make_people(wide, ["+" * n_right + "-" * (N - n_right) for n_right in range(12, 40)])
    return wide


def _asked(address: str, query: dict[str, str]) -> str:
    return f"{address}{'&' if '?' in address else '?'}{urlencode(query)}"


def of_file(address: str, column: str, *, key: str = "slug", value: str = "helped") -> Callable[..., float]:
    """Return what reads the figure of one line of a CSV file."""

    def read(client: Client, **query: str) -> float:
        content = client.get(_asked(address, query)).content.decode()
        return float(next(line[column] for line in csv.DictReader(io.StringIO(content)) if line[key] == value))

    return read


def of_api(address: str, rows: str, *names: str) -> Callable[..., float]:
    """Return what reads the figure of a row of the API."""

    def read(client: Client, **query: str) -> float:
        found = next(row for row in client.get(address, query).json()[rows] if row.get("slug", "helped") == "helped")
        for name in names:
            found = found[name]
        return float(found)

    return read


def of_page(address: str, pattern: str) -> Callable[..., float]:
    """Return what reads the first number that a pattern finds on a page."""

    def read(client: Client, **query: str) -> float:
        html = " ".join(re.sub(r"<[^>]+>", " ", client.get(address, query).content.decode()).split())
        return float(re.search(pattern, html).group(1))

    return read


FIGURES: dict[str, tuple[Callable[..., float], float, float]] = {
    "board": (of_page(f"{SET}/", r"Helped .*?(\d+\.\d)%"), 75, 50),
    "board file": (of_file(f"{API}.csv", "accuracy"), 0.75, 0.5),
    "board API": (of_api(f"{API}/", "rows", "accuracy"), 0.75, 0.5),
    "topics": (of_api(f"{API}/", "rows", "topics", "Organic Chemistry", "accuracy"), 0.75, 0.5),
    "outcomes": (of_file(f"{SET}/outcomes/outcomes.csv", "unparsed"), 0, 10),
    "compare": (
        of_file(f"{SET}/compare/differences.csv?entrant=s0&entrant=helped", "second_accuracy", key="second"),
        0.75,
        0.5,
    ),
    "people": (of_file(f"{SET}/humans/humans.csv", "accuracy"), 0.75, 0.5),
    # Of 28 people those with fewer right answers, in whole bands.
    "people beaten": (lambda client, **query: float(_beaten(client, query) > 0.5), 1, 0),
    "confidence": (of_file(f"{SET}/confidence/levels.csv", "right", key="entrant"), 30, 20),
    "confidence API": (of_api(f"{API}/confidence/", "entrants", "share_right"), 0.75, 0.5),
    "factors": (of_file(f"{SET}/factors/factors.csv", "accuracy"), 0.75, 0.5),
    "factors, without": (of_file(f"{SET}/factors/factors.csv", "accuracy_without_fallback"), 0.5, 0.5),
    "factors, answers": (of_file(f"{SET}/factors/factors.csv", "n_by_fallback"), 10, 10),
    "robustness": (of_file(f"{SET}/robustness/sources.csv", "accuracy"), 0.75, 0.5),
    "robustness API": (of_api(f"{API}/robustness/", "by_source", "accuracy"), 0.75, 0.5),
    "scale": (of_file(f"{SET}/scale/scale.csv", "accuracy"), 0.75, 0.5),
    "questions": (of_file(f"{SET}/questions/questions.csv", "share_right", key="number", value="1"), 1, 0.8),
    "system": (of_page("/systems/helped/", r"Wide set .*?(\d+\.\d)%"), 75, 50),
    "system API": (of_api("/api/v1/systems/helped/", "results", "accuracy"), 0.75, 0.5),
}


def _beaten(client: Client, query: dict[str, str]) -> float:
    return of_file(f"{SET}/humans/humans.csv", "beats_low")(client, **query)


@pytest.mark.usefixtures("wide")
def test_every_figure_is_told_with_and_without(client: Client) -> None:
    with_it = {name: read(client) for name, (read, _, _) in FIGURES.items()}
    without = {name: read(client, fallback="off") for name, (read, _, _) in FIGURES.items()}
    assert with_it == {name: figure for name, (_, figure, _) in FIGURES.items()}
    assert without == {name: figure for name, (_, _, figure) in FIGURES.items()}
    # Nothing that was kept of one choice is shown for the other.
    assert {name: read(client, fallback="on") for name, (read, _, _) in FIGURES.items()} == with_it


def words(client: Client, address: str, **query: str) -> str:
    response = client.get(address, query)
    assert response.status_code == 200
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


@pytest.mark.usefixtures("wide")
def test_every_page_says_so_in_words_and_keeps_the_choice(client: Client) -> None:
    for page in (*(f"{SET}/{page}" for page in PAGES), "/systems/helped/"):
        assert re.search("10 answers .*could only be read by a fallback reader", words(client, page)), page
        html = client.get(page).content.decode()
        assert f'href="{page}?fallback=off"' in html or 'href="?fallback=off"' in html, page
        assert "Without fallback readers: 10 answers" in words(client, page, fallback="off"), page
        strict = client.get(page, {"fallback": "off"}).content.decode()
        onward = re.findall(r'href="(/(?:leaderboard/wide|systems/helped)/[^"]*)"', strict)
        assert {address for address in onward if "fallback=off" not in address} <= {page}, page


def test_without_such_a_reader_nothing_is_said_of_it(client: Client, wide: QuestionSet) -> None:
    Run.objects.update(frozen={})
    results_changed(benchmark_id=wide.benchmark_id)
    for page in PAGES:
        assert "fallback" not in client.get(f"{SET}/{page}").content.decode().lower(), page
    assert "fallback reader" not in words(client, "/systems/helped/")


def test_on_a_closed_set_levels_are_told_in_one_of_both_ways_only(client: Client, wide: QuestionSet) -> None:
    QuestionSet.objects.filter(pk=wide.pk).update(policy="closed")
    results_changed(benchmark_id=wide.benchmark_id)
    told = {}
    for fallback in ("on", "off"):
        (entrant,) = client.get(f"{API}/confidence/", {"fallback": fallback}).json()["entrants"]
        told[fallback] = (entrant["share_right"], [level["right"] for level in entrant["levels"] if level["n"]])
    assert told == {"on": (0.75, [30]), "off": (None, [None])}


# Files that stay


def in_folder(folder: Path, name: str) -> list[dict[str, str]]:
    """Return the lines of a table that are of `helped`."""
    with (folder / name).open(newline="") as file:
        return [line for line in csv.DictReader(file) if line["slug"] == "helped"]


def test_an_export_is_with_or_without_and_says_so(wide: QuestionSet, tmp_path: Path) -> None:
    found = {}
    for name, options in {"with": [], "without": ["--without-fallback"]}.items():
        folder = tmp_path / name
        call_command("export_results", str(folder), "--set", "wide", *options, verbosity=0)
        results = json.loads((folder / "results.json").read_text())
        row = next(row for row in results["board"]["rows"] if row["slug"] == "helped")
        shares = [float(line["accuracy"]) for file in ("board.csv", "groups.csv") for line in in_folder(folder, file)]
        n_unparsed = [line["outcome"] for line in in_folder(folder, "verdicts.csv")].count("unparsed")
        found[name] = (results["fallback"], row["n_by_fallback"], row["accuracy"], shares, n_unparsed)
    assert found == {"with": ("on", 10, 0.75, [0.75] * 2, 0), "without": ("off", 10, 0.5, [0.5] * 2, 10)}
    read_me = {name: (tmp_path / name / "README.md").read_text() for name in found}
    assert "10 answers could only be read by another system" in read_me["with"]
    assert "Without fallback readers: 10 answers" in read_me["without"]


def test_files_say_nothing_of_a_reader_that_no_run_had(client: Client, small_set: QuestionSet, tmp_path: Path) -> None:
    make_run(make_system(slug="plain"), small_set, "++++++++--")
    call_command("export_results", str(tmp_path / "out"), "--set", "small", verbosity=0)
    texts = [(tmp_path / "out" / name).read_text() for name in ("README.md", "results.json", "board.csv")]
    number = snapshot_publish(question_set=small_set).number
    texts += [client.get(f"/snapshots/{number}.json").content.decode(), words(client, f"/snapshots/{number}/")]
    assert not [text for text in texts if "fallback" in text.lower()]


def test_a_snapshot_states_how_many_answers_rest_on_a_fallback_reader(client: Client, wide: QuestionSet) -> None:
    number = snapshot_publish(question_set=wide).number
    rows = {row["slug"]: row for row in client.get(f"/snapshots/{number}.json").json()["board"]["rows"]}
    assert {slug: row["n_by_fallback"] for slug, row in rows.items() if "n_by_fallback" in row} == {"helped": 10}
    ItemReading.objects.filter(reader__startswith="fallback").delete()
    results_changed(benchmark_id=wide.benchmark_id)
    assert is_intact(Snapshot.objects.get(number=number))
    assert "10 answers read by a fallback reader only" in words(client, f"/snapshots/{number}/")


def test_a_board_that_was_looked_at_says_how_many_answers_rest_on_a_reader_at_no_further_cost(
    client: Client, wide: QuestionSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.get(f"{SET}/")
    found = public_sets().get(pk=wide.pk)
    monkeypatch.setattr(fallback_module, "current_matrix", None)
    assert fallback_use(question_set=found, rule="standard@1") == FallbackUse(n_answers=10, n_systems=1)
    # A matrix may be newer than what its reader knows of the results.
    matrix = load_board(question_set=found, query=whole_query(question_set=found, rule="", fallback="on")).matrix
    none = replace(matrix, entrants=(), codes=matrix.codes[:0])
    assert helped_runs(question_set=found, rule="standard@1", matrix=none) == {}
    assert len(helped_runs(question_set=found, rule="standard@1", matrix=matrix)) == 1


def test_on_a_closed_set_no_group_tells_where_a_fallback_reader_was_needed(client: Client) -> None:
    benchmark = make_benchmark(slug="crossing")
    questions = make_questions(benchmark, [{}] * 20)
    label_questions(questions, ["T0"] * 10 + ["T1"] * 10)
    make_set(benchmark, "crossed", questions, policy="closed")
    run = make_run(make_system(slug="helped"), QuestionSet.objects.get(slug="crossed"), "+" * 12 + "-" * 8)
    rest_on_fallback(run, 1)
    results_changed(benchmark_id=benchmark.pk)

    def row(**query: str) -> dict[str, Any]:
        (found,) = client.get("/api/v1/leaderboard/crossed/", query).json()["rows"]
        return found

    assert (row()["n_by_fallback"], row()["accuracy"], row(fallback="off")["accuracy"]) == (1, 0.6, 0.55)
    for topic in ("t0", "t1"):
        assert "n_by_fallback" not in row(topic=topic)
        assert row(topic=topic)["accuracy"] is not None
        assert row(topic=topic, fallback="off")["withheld"] == "few_questions"
        assert row(grouping="topic")["topics"][topic.upper()]["accuracy"] is not None
        assert row(grouping="topic", fallback="off")["topics"][topic.upper()]["accuracy"] is None
    assert row(fallback="off")["macro_accuracy"] is None
    QuestionSet.objects.update(policy="open")
    assert row(topic="t0")["n_by_fallback"] == 1
    assert row(topic="t0", fallback="off")["accuracy"] == 0.9
