"""The published counts as a reader of the boards gets them: page, API and CSV."""

import csv
import json
from io import StringIO

import pytest
from django.core.management import call_command

from corpus.models import Benchmark, QuestionSet
from corpus.services.results import results_changed
from evaluations.models import Item, Run

pytestmark = [pytest.mark.django_db, pytest.mark.shared, pytest.mark.one_database]

# Packs that bite: letters out of order, options corrected since, an echoed prompt; one without a YAML; an agent.
# Of the last two it is published how sure they said they are.
PACKS = ("galactica_120b", "random_baseline", "gpt-4o-react", "gpt-4", "llama3.1-8b-instruct")
SETS = {
    "chembench": "n_correct",
    "chembench-mini": "n_correct_mini",
    "chembench-mini-tools": "n_correct_mini_tool",
    "chembench-mini-no-tools": "n_correct_mini_notool",
}
GROUPED = (
    ("chembench", "topic", "topics"),
    ("chembench-mini", "topic", "topics_mini"),
    ("chembench", "topic-by-keyword", "topics_keyword"),
    ("chembench-mini", "topic-by-keyword", "topics_keyword_mini"),
)
SIZES = {"chembench": 2788, "chembench-mini": 236, "chembench-mini-tools": 121, "chembench-mini-no-tools": 115}


def import_packs(data) -> dict:
    out = StringIO()
    paths = [str(data / f"reports-{name}.zip") for name in PACKS]
    call_command("import_reports", *paths, "--set", "chembench-mini", "--json", stdout=out)
    return json.loads(out.getvalue())


def check_the_report(report: dict, models: dict) -> None:
    for pack, entrant in zip(report["packs"], report["entrants"], strict=True):
        (run,) = pack["runs"]
        assert (run["n_items"], run["unknown"], run["missing"], pack["refused"]) == (2788, [], [], [])
        assert entrant["rules"]["as-published"]["right"] == models[pack["source_name"]]["n_correct_mini"]
        assert sum(entrant["rules"]["as-published"].values()) == 236
    notes = {pack["source_name"]: pack["runs"][0]["notes"] for pack in report["packs"]}
    assert len({note["key"] for note in notes["galactica_120b"]}) == 7
    assert notes["random_baseline"] == []


def check_the_rows() -> None:
    assert Run.objects.filter(status="finished").count() == len(PACKS)
    assert Benchmark.objects.get().default_rule == "standard@1"
    assert Item.objects.filter(rule="standard@1").count() == len(PACKS) * 2788
    # The echoed prompt left out, it reads 0.27 in place of the printed 0.015.
    assert Item.objects.filter(run__system__slug="galactica_120b", outcome="right").count() > 700


def import_confidences(data) -> dict:
    out = StringIO()
    call_command("import_confidence", str(data / "confidence.zip"), "--json", stdout=out)
    return json.loads(out.getvalue())


def check_the_confidences(client, data, expected: dict) -> None:
    first, second = (import_confidences(data) for _ in range(2))
    for file, again in zip(first["files"], second["files"], strict=True):
        counts = expected[file["source_name"]]
        assert (file["imported"], file["already_there"]) == (2788, 0)
        assert (again["imported"], again["already_there"]) == (0, 2788)
        assert {line["code"] for line in file["refused"]} == {"unknown-key"}
        assert len(file["refused"]) == counts["not_in_corpus"]
    for without, field in (("", "all"), ("chemical-preference", "without_preference")):
        query = {"rule": "as-published", "without": without}
        page = client.get("/leaderboard/chembench/confidence/levels.csv", query).content.decode()
        found = {(line["entrant"], line["levels"]): line for line in csv.DictReader(page.splitlines())}
        assert {entrant for entrant, _ in found} == {file["system"] for file in first["files"]}
        for file in first["files"]:
            counts = dict(expected[file["source_name"]][field])
            unstated = counts.pop("", {"n": 0})["n"]
            shown = {level: found[file["system"], level] for level in "12345"}
            assert {f"{level}.0": (int(row["n"]), int(row["right"])) for level, row in shown.items()} == {
                level: (count["n"], count["correct"]) for level, count in counts.items()
            }
            whole = found[file["system"], "1 to 5"]
            assert round(int(whole["n"]) / float(whole["portion"])) - int(whole["n"]) == unstated


def by_source_name(client, slug: str, grouping: str = "topic") -> dict[str, dict]:
    response = client.get(f"/api/v1/leaderboard/{slug}/", {"rule": "as-published", "grouping": grouping})
    assert response.status_code == 200, response.content
    return {row["source_name"]: row for row in response.json()["rows"]}


@pytest.mark.usefixtures("report")
def test_boards_show_the_published_counts(client, data) -> None:
    expected = json.loads((data / "expected.json").read_text("utf-8"))
    models = expected["models"]
    check_the_report(import_packs(data), models)
    check_the_rows()
    for slug, field in SETS.items():
        rows = by_source_name(client, slug)
        page = client.get(f"/leaderboard/{slug}/", {"rule": "as-published"}).content.decode()
        lines = csv.DictReader(
            client.get(f"/api/v1/leaderboard/{slug}.csv", {"rule": "as-published"}).content.decode().splitlines()
        )
        in_file = {line["source_name"]: line for line in lines}
        assert set(rows) == set(in_file) == set(PACKS)
        for name in PACKS:
            right, n = models[name][field], SIZES[slug]
            assert (rows[name]["outcomes"]["right"], rows[name]["n_questions"]) == (right, n)
            assert rows[name]["accuracy"] == right / n
            assert int(in_file[name]["right"]) == right
            assert f"<strong>{100 * right / n:.1f}%</strong>" in page
    # Topics by keyword and by table differ by one question, so a closed set would show one of them only.
    QuestionSet.objects.update(policy=QuestionSet.Policy.OPEN)
    results_changed(benchmark_id=QuestionSet.objects.values_list("benchmark_id", flat=True)[0])
    for slug, grouping, field in GROUPED:
        rows = by_source_name(client, slug, grouping)
        for name in PACKS:
            shown = {topic: (entry["accuracy"], entry["n"]) for topic, entry in rows[name]["topics"].items()}
            printed = {topic: (pytest.approx(x["score"]), x["n"]) for topic, x in models[name][field].items()}
            assert shown == printed
    check_the_confidences(client, data, expected["confidence"])
