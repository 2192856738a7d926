"""Published counts come out of the database exactly, from stored readings, prompts and our own keys."""

import json
from collections import Counter
from io import StringIO

import pytest
from django.core.management import call_command

from corpus.models import Benchmark, Grouping, QuestionSet
from evaluations.models import Item, Run
from evaluations.selectors import board_items

pytestmark = [pytest.mark.django_db, pytest.mark.shared, pytest.mark.one_database]
SETS = {
    "n_correct": "chembench",
    "n_correct_mini": "chembench-mini",
    "n_correct_mini_tool": "chembench-mini-tools",
    "n_correct_mini_notool": "chembench-mini-no-tools",
}
GROUPINGS = {
    "topics": ("topic", "chembench"),
    "topics_mini": ("topic", "chembench-mini"),
    "topics_keyword": ("topic-by-keyword", "chembench"),
    "topics_keyword_mini": ("topic-by-keyword", "chembench-mini"),
}
# The packs that bite: letters out of order, options corrected since, an echoed prompt; and one without a YAML.
PACKS = ("galactica_120b", "random_baseline")


def measured(source_name):
    """Return the counts of one system in the shape of expected.json, through the board's selector."""
    roots = {slug: root_ids(slug) for slug in SETS.values()}
    boards = {slug: board_items(root_ids=roots[slug], rule="as-published") for slug in roots}
    right = {slug: right_roots(board, source_name) for slug, board in boards.items()}
    counts = {name: len(right[slug]) for name, slug in SETS.items()}
    counts["n"] = len(roots["chembench"])
    for name, (grouping, slug) in GROUPINGS.items():
        counts[name] = by_label(grouping, set(roots[slug]), right[slug])
    return counts


def expected(model):
    """Return the published counts; a score times its n is a whole number."""
    counts = {name: model[name] for name in (*SETS, "n")}
    for name in GROUPINGS:
        counts[name] = {label: (whole(group["score"] * group["n"]), group["n"]) for label, group in model[name].items()}
    return counts


def whole(value):
    assert abs(value - round(value)) < 1e-6
    return round(value)


def root_ids(slug):
    revision = QuestionSet.objects.get(slug=slug).current_revision
    return [member.root_id for member in revision.question_revisions.all()]


def right_roots(board, source_name):
    (run,) = [run for run in board.runs if run.source_name == source_name]
    assert run.is_complete
    return {item.root_id for item in board.items if item.system_id == run.system_id and item.outcome == "right"}


def by_label(grouping, wanted, right):
    labels = Grouping.objects.get(benchmark__slug="chembench", slug=grouping).labels.all()
    rows = labels.values_list("name", "questions__current_revision")
    sizes = Counter(name for name, root in rows if root in wanted)
    hits = Counter(name for name, root in rows if root in right)
    return {name: (hits[name], size) for name, size in sizes.items()}


def import_everything(data, packs):
    tools, no_tools = data / "mini_tool.txt", data / "mini_notool.txt"
    sets = {
        "chembench-mini-tools": f"{tools}",
        "chembench-mini-no-tools": f"{no_tools}",
        "chembench-mini": f"{tools},{no_tools}",
    }
    call_command(
        "import_corpus",
        str(data / "corpus.zip"),
        f"--topics={data / 'classified_questions.csv'}",
        *[f"--set={slug}={files}" for slug, files in sets.items()],
        "--json",
        stdout=StringIO(),
    )
    out = StringIO()
    paths = [str(data / f"reports-{name}.zip") for name in packs]
    call_command("import_reports", *paths, "--set", "chembench-mini", "--json", stdout=out)
    return json.loads(out.getvalue())


def test_published_counts_are_reproduced(shared):
    data = shared / "data" / "chembench"
    models = json.loads((data / "expected.json").read_text("utf-8"))["models"]
    report = import_everything(data, PACKS)
    for name in PACKS:
        assert measured(name) == expected(models[name])
    for pack, entrant in zip(report["packs"], report["entrants"], strict=True):
        (run,) = pack["runs"]
        assert (run["n_items"], run["unknown"], run["missing"], pack["refused"]) == (2788, [], [], [])
        assert entrant["rules"]["as-published"]["right"] == models[pack["source_name"]]["n_correct_mini"]
        assert sum(entrant["rules"]["as-published"].values()) == 236
    changed = {note["key"] for note in report["packs"][0]["runs"][0]["notes"]}
    assert len(changed) == 7
    assert report["packs"][1]["runs"][0]["notes"] == []
    assert Run.objects.filter(status="finished").count() == 2
    assert Benchmark.objects.get().default_rule == "standard@1"
    assert Item.objects.filter(rule="standard@1").count() == 2 * 2788
    galactica = Item.objects.filter(run__system__slug="galactica_120b")
    # The echoed prompt left out, it reads 0.27 in place of the printed 0.015.
    assert galactica.filter(outcome="right").count() > 700
