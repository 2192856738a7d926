"""The published study comes out as printed, as the survey recorded it, and under our rule, number by number."""

import json
import shutil
import zipfile
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from corpus.models import Grouping
from survey.models import Participant, Response, ResponseScore

pytestmark = [pytest.mark.django_db, pytest.mark.shared, pytest.mark.one_database]
BLOCKS = {"tool": "tools", "notool": "no-tools"}
SIZES = {"tools": 121, "no-tools": 115}


@pytest.fixture
def data(shared: Path) -> Path:
    return shared / "data" / "chembench"


@pytest.fixture
def mini_bank(data: Path, tmp_path: Path) -> None:
    """Import the 236 questions that the survey asks."""
    tools, no_tools = data / "mini_tool.txt", data / "mini_notool.txt"
    keys = {line for path in (tools, no_tools) for line in path.read_text("utf-8").splitlines() if line}
    bank = tmp_path / "bank"
    with zipfile.ZipFile(data / "corpus.zip") as packed:
        for member in packed.namelist():
            folder, _, name = member.rpartition("/")
            if not name.endswith(".json"):
                continue
            start = f"{folder.rpartition('/')[2]}-{name.removesuffix('.json')}-"
            if any(key.startswith(start) for key in keys):
                packed.extract(member, bank)
    call_command(
        "import_corpus",
        str(bank),
        f"--topics={data / 'classified_questions.csv'}",
        f"--set=chembench-mini-tools={tools}",
        f"--set=chembench-mini-no-tools={no_tools}",
        f"--set=chembench-mini={tools},{no_tools}",
        stdout=StringIO(),
    )
    shutil.rmtree(bank)


def import_humans(data: Path, *args: str) -> dict[str, Any]:
    out = StringIO()
    call_command("import_survey", str(data / "humans.zip"), "--json", *args, stdout=out, stderr=StringIO())
    report: dict[str, Any] = json.loads(out.getvalue())
    return report


def right(rule: str) -> dict[str, Counter[str]]:
    """Return right answers by person: by block, in all, and by topic."""
    labels = Grouping.objects.get(slug="topic").labels
    topics = dict(labels.values_list("questions__key", "name"))
    counts: dict[str, Counter[str]] = {}
    rows = ResponseScore.objects.filter(rule=f"{rule}@1", outcome="right").values_list(
        "answer__assignment__participant__pseudonym",
        "answer__assignment__block__slug",
        "answer__assignment__question_revision__question__key",
    )
    for person, block, key in rows:
        counts.setdefault(person, Counter()).update([block, "all", f"topic {topics[key]}"])
    return counts


@pytest.mark.usefixtures("mini_bank")
def test_the_published_study(data: Path, client: Client) -> None:
    expected = json.loads((data / "expected.json").read_text("utf-8"))["humans"]
    report = import_humans(data)
    check_report(report)
    check_as_published(expected)
    check_by_option_text(expected, report)
    check_differences(report)
    check_boards(client, expected)
    again = import_humans(data)
    assert (again["new"], again["changed"], again["unchanged"]) == (0, 0, report["new"])
    assert Participant.objects.count() == 15


def check_report(report: dict[str, Any]) -> None:
    assert report["people"] == {"new": 15, "changed": 0, "unchanged": 0}
    assert report["refused_by_code"] == {
        "answer": {"question-not-in-set": report["refused"]},
        "question": {"question-not-in-set": 16},
    }
    assert report["notes"] == []
    assert Response.objects.count() == report["new"]
    finished = Participant.objects.filter(finished_at__isnull=False).values_list("pseudonym", flat=True)
    assert sorted(finished) == [f"h0{number}" for number in range(1, 10)]


def check_as_published(expected: dict[str, Any]) -> None:
    counts = right("as-published")
    assert len(expected) == 9
    for person, printed in expected.items():
        published = printed["as_published"]
        theirs = counts[person]
        assert (theirs["tools"], theirs["no-tools"]) == (published["n_correct_tool"], published["n_correct_notool"])
        assert theirs["all"] / 236 == published["combined"]
        for name, block in BLOCKS.items():
            assert theirs[block] / SIZES[block] == published[name]
        for topic, entry in published["topics"].items():
            assert theirs[f"topic {topic}"] / entry["n"] == pytest.approx(entry["score"])


def check_by_option_text(expected: dict[str, Any], report: dict[str, Any]) -> None:
    counts = right("survey-option-text")
    for person, printed in expected.items():
        by_text = printed["by_option_text"]
        assert counts[person]["all"] / 236 == pytest.approx(by_text["combined"], abs=0.0006)
        for name, block in BLOCKS.items():
            assert counts[person][block] / SIZES[block] == pytest.approx(by_text[name])
        assert report["kept_as_reported"][person] == by_text["unmatched_kept_as_report"]


def check_differences(report: dict[str, Any]) -> None:
    found = report["differences"]
    assert (found["against"], found["n_unexplained"]) == ("survey-option-text@1", 0)
    kinds = set(
        Response.objects.filter(
            assignment__question_revision__question__key__in={line["key"] for line in found["lines"]}
        ).values_list("assignment__question_revision__kind", flat=True)
    )
    assert kinds == {"number"}
    standard, by_text = right("standard"), right("survey-option-text")
    gained = Counter(line["person"] for line in found["lines"] if line["outcome"] == "right")
    lost = Counter(line["person"] for line in found["lines"] if line["reported_outcome"] == "right")
    for person in standard:
        assert standard[person]["all"] - by_text[person]["all"] == gained[person] - lost[person]


def check_boards(client: Client, expected: dict[str, Any]) -> None:
    """The public sees the mean of those who finished, and nobody's own."""
    means = {
        "as-published": sum(printed["as_published"]["combined"] for printed in expected.values()) / 9,
        "survey-option-text": sum(right("survey-option-text")[person]["all"] for person in expected) / 9 / 236,
        "standard": sum(right("standard")[person]["all"] for person in expected) / 9 / 236,
    }
    for rule, mean in means.items():
        rows = client.get("/api/v1/leaderboard/chembench-mini/", {"rule": rule}).json()["rows"]
        (people,) = [row for row in rows if row["kind"] == "human"]
        assert people["accuracy"] == pytest.approx(mean)
        assert people["n_questions"] == 236
        assert "h01" not in json.dumps(rows)
