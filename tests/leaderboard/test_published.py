"""Printed results: transcribed as they stand, shown as references, and in no rank, chart, file or snapshot."""

import csv
import json
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from corpus.models import Benchmark, Label
from corpus.services.results import results_changed
from leaderboard.boards import Topic
from leaderboard.charts import bar_chart
from leaderboard.importers.published_tables import INDEX_FIELDS, PublishedTablesError, published_tables
from leaderboard.models import PublishedResult
from leaderboard.queries import load_board, parse_query
from leaderboard.selectors.boards import unique_names
from leaderboard.selectors.published import is_of_topic
from leaderboard.services.snapshots import snapshot_publish
from tests.leaderboard.factories import make_run, make_system

pytestmark = pytest.mark.one_database

FIXTURES = settings.BASE_DIR / "fixtures" / "published"
TABLE = "system,setting,kind,overall,Organic Chemistry\nPrinted one,T 0,model,0.90,0.75\nPrinted people,,human,0.4,\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_index(tmp_path, "figures.csv,chembench,Table 1,small,topic,accuracy,A remark.")
    (tmp_path / "figures.csv").write_text(TABLE)
    return tmp_path


def write_index(folder: Path, *lines: str) -> None:
    (folder / "tables.csv").write_text("\n".join([",".join(INDEX_FIELDS), *lines, ""]))


def imported(folder: Path, *options: str) -> dict:
    out = StringIO()
    call_command("import_published", str(folder), "--json", *options, stdout=out)
    return json.loads(out.getvalue())


def section(client, url: str) -> str:
    html = client.get(url).content.decode()
    return " ".join(html.partition("Published results")[2].split())


@pytest.mark.django_db
def test_a_board_shows_them_below_its_table_with_their_source(client, small_set, folder) -> None:
    make_run(make_system(slug="ours", name="Ours"), small_set, "++++++++--")
    imported(folder)
    found = section(client, "/leaderboard/small/")
    assert found.index("Printed one") < found.index("90%") < found.index("Printed people") < found.index("40%")
    assert "75%" not in found
    assert "Nature Chemistry 17" in found
    assert "(Table 1)" in found
    assert "A remark." in found
    on_topic = section(client, "/leaderboard/small/?topic=organic-chemistry")
    assert "75%" in on_topic
    assert "90%" not in on_topic
    assert "Printed people" not in on_topic
    assert "Printed one" not in section(client, "/leaderboard/small/?kind=human")
    by_topic = section(client, "/leaderboard/small/topics/")
    assert "90%" in by_topic
    assert "75%" in by_topic
    assert "not printed" in by_topic


@pytest.mark.django_db
def test_a_printed_topic_stands_beside_its_own_topic_whatever_others_are_called(client, small_set, folder) -> None:
    make_run(make_system(slug="ours", name="Ours"), small_set, "++++++++--")
    imported(folder)
    Label.objects.filter(slug="physical-chemistry").update(name="Organic Chemistry")
    results_changed(benchmark_id=small_set.benchmark_id)
    assert "75%" in section(client, "/leaderboard/small/?topic=organic-chemistry")
    assert "Printed one" not in section(client, "/leaderboard/small/?topic=physical-chemistry")


@pytest.mark.parametrize(
    ("printed", "labels", "slug"),
    [
        ("Toxicity/Safety", {"toxicity-safety": "Safety", "organic": "Organic"}, "toxicity-safety"),
        ("Organic", {"organic-2": "Organic", "physical": "Physical"}, "organic-2"),
        ("Organic", {"organic-2": "Organic", "organic": "Carbon"}, "organic"),
        ("Organic (a)", {"a": "Organic", "b": "Organic"}, ""),
        ("Organic", {"a": "Organic", "b": "Organic"}, ""),
        ("Other", {"a": "Organic"}, ""),
    ],
)
def test_a_printed_column_is_of_one_topic_or_of_none(printed, labels, slug) -> None:
    told = unique_names(labels)
    topics = [Topic(each, told[each], np.arange(3), label) for each, label in labels.items()]
    assert [topic.slug for topic in topics if is_of_topic(printed, topic, topics)] == [slug] * bool(slug)


@pytest.mark.django_db
def test_they_are_in_no_rank_chart_file_or_snapshot(client, small_set, folder) -> None:
    make_run(make_system(slug="ours", name="Ours"), small_set, "++++++----")
    imported(folder)
    board = load_board(question_set=small_set, query=parse_query({}, question_set=small_set))
    assert [(row.slug, row.rank) for row in board.rows] == [("ours", 1)]
    snapshot = snapshot_publish(question_set=small_set, rule="", note="")
    places = [
        json.dumps(bar_chart(board)),
        client.get("/api/v1/leaderboard/small/").content.decode(),
        client.get("/api/v1/leaderboard/small.csv").content.decode(),
        snapshot.content,
        snapshot.table,
        client.get("/").content.decode(),
    ]
    assert [place for place in places if "Printed" in place] == []


@pytest.mark.django_db
def test_importing_again_replaces_and_says_whether_anything_changed(small_set, folder) -> None:
    def version() -> int:
        return Benchmark.objects.get().results_version

    before = version()
    assert imported(folder, "--dry-run")["has_changed"]
    assert not PublishedResult.objects.exists()
    assert version() == before
    assert imported(folder) == {
        "n_tables": 1,
        "n_figures": 3,
        "has_changed": True,
        "boards_missing": [],
        "dry_run": False,
    }
    assert version() == before + 1
    assert not imported(folder)["has_changed"]
    assert version() == before + 1
    (folder / "figures.csv").write_text(TABLE.replace("0.90", "0.91"))
    assert imported(folder)["has_changed"]
    assert list(PublishedResult.objects.values_list("value", flat=True)) == ["0.91", "0.75", "0.4"]


@pytest.mark.parametrize(
    ("index", "table", "message"),
    [
        ("figures.csv,nowhere,Table 1,,topic,accuracy,", TABLE, "no paper “nowhere”"),
        ("../figures.csv,chembench,Table 1,,topic,accuracy,", TABLE, "a file of this folder"),
        ("figures.csv,chembench,Table 1,,,accuracy,", TABLE, "say of which grouping"),
        ("figures.csv,chembench,Table 1,,topic,accuracy,", TABLE.replace("0.90", "90"), "share of 1"),
        ("figures.csv,chembench,Table 1,,topic,accuracy,", TABLE.replace("0.90", "NaN"), "“NaN” is no accuracy"),
        ("figures.csv,chembench,Table 1,,topic,accuracy,", TABLE.replace("0.90", "high"), "“high” is no number"),
        ("figures.csv,chembench,Table 1,,topic,accuracy,", TABLE.replace("0.4,", "0.4"), "not as many cells"),
        ("figures.csv,chembench,Table 1,,topic,accuracy,", TABLE + "Printed one,T 0,model,1,\n", "stands there twice"),
        ("figures.csv,chembench,Table 1,,topic,accuracy,", TABLE.replace("human", "chemist"), "one of the kinds"),
        ("figures.csv,chembench,Table 1,,topic,accuracy,", "name\n", "has to begin with the columns"),
        ("missing.csv,chembench,Table 1,,topic,accuracy,", TABLE, "missing.csv cannot be read"),
    ],
)
def test_a_file_that_is_not_as_described_is_refused(folder, index, table, message) -> None:
    write_index(folder, index)
    (folder / "figures.csv").write_text(table)
    with pytest.raises(PublishedTablesError, match=message):
        published_tables(folder)


@pytest.mark.django_db
def test_the_command_says_what_is_wrong_and_stores_nothing(folder) -> None:
    (folder / "figures.csv").write_text(TABLE.replace("0.75", "x"))
    with pytest.raises(CommandError, match="line 2, Organic Chemistry: “x” is no number. Nothing was stored"):
        call_command("import_published", str(folder), stdout=StringIO())
    assert not PublishedResult.objects.exists()


@pytest.mark.shared
def test_the_fixtures_hold_the_printed_figures(shared) -> None:
    def rows(name: str) -> list[dict[str, str]]:
        return list(csv.DictReader((shared / "data" / "published" / name).read_text("utf-8").splitlines()))

    wanted = {
        (line["question_set"], line["system"], line["variant"].replace("T=", "temperature "), part(line)): line["value"]
        for line in rows("chembench.csv")
        if line["table"] in ("topics, full corpus", "topics, mini")
    }
    wanted |= {
        ("chempro", line["system"], line["variant"], line["slice"]): line["value"]
        for line in rows("chempro.csv")
        if line["table"] == "Table 2"
    }
    wanted |= {
        ("chemllmbench", line["system"], "", ""): line["value"]
        for line in rows("chemllmbench.csv")
        if line["metric"] == "average rank"
    }
    names = {"chembench": "full", "chembench-mini": "mini"}
    found = {
        (names.get(table.board, table.paper), figure.system, figure.setting, figure.topic): figure.value
        for table in published_tables(FIXTURES)
        for figure in table.figures
    }
    assert len(found) == 310 + 288 + 72 + 5
    assert found == wanted


def part(line: dict[str, str]) -> str:
    return "" if line["slice"] == "overall" else line["slice"].removeprefix("topic: ")
