"""`rescore`: what it proposes, what it accepts, and what it says about published verdicts."""

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from corpus.scoring import differences
from corpus.scoring import reading as reading_module
from corpus.scoring.types import Reading, ReadStatus
from evaluations.models import Item, ItemRescoring, ItemScore, Run
from evaluations.services import published_differences
from evaluations.services.reports import reports_import
from survey.models import Response, ResponseRescoring
from tests.evaluations.banks import FIXTURES, demo_benchmark, make_keyed_set
from tests.survey.factories import answer_next, make_participant, make_study

pytestmark = pytest.mark.django_db
PACK = FIXTURES / "reports" / "demo-model"
EXPECTED = json.loads((PACK / "expected.json").read_text("utf-8"))["questions"]


@pytest.fixture
def imported() -> Run:
    reports_import(path=PACK, benchmark=demo_benchmark())
    return Run.objects.get()


@pytest.fixture
def nothing_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A version 2 of the reader that reads nothing at all."""
    monkeypatch.setitem(
        reading_module._READERS, "standard@2", lambda *args: Reading(ReadStatus.UNPARSED, reader="standard@2")
    )


def rescore(*args: str) -> Any:
    out = StringIO()
    call_command("rescore", *args, "--json", stdout=out, stderr=StringIO())
    return json.loads(out.getvalue())


def expected_counts(rule: str) -> dict[str, int]:
    outcomes = [verdicts[rule]["outcome"] for verdicts in EXPECTED.values()]
    return {outcome: outcomes.count(outcome) for outcome in set(outcomes)}


def test_counts_of_both_rules_for_a_report(imported: Run) -> None:
    report = rescore("--system", "demo-model")
    (line,) = report["rescorings"]
    assert (line["status"], line["n_answers"], line["n_drifted"]) == ("nothing to do", len(EXPECTED), 0)
    (entrant,) = report["entrants"]
    assert (entrant["slug"], entrant["kind"], entrant["n_questions"]) == ("demo-model", "model", 80)
    for rule in ("standard", "as-published"):
        counts = {outcome: n for outcome, n in entrant["rules"][rule].items() if n}
        assert counts == expected_counts(rule)


@pytest.mark.usefixtures("nothing_read")
def test_a_proposal_says_how_many_scores_it_holds_and_what_comes_next(imported: Run) -> None:
    out = StringIO()
    call_command("rescore", "--run", str(imported.pk), stdout=out)
    proposed = ItemRescoring.objects.get()
    assert f"Rescoring {proposed.pk} holds {len(EXPECTED)} scores to add" in " ".join(out.getvalue().split())
    assert "accept them with --accept" in out.getvalue()
    call_command("rescore", "--run", str(imported.pk), "--accept", stdout=(accepted := StringIO()))
    assert "scores to add" not in accepted.getvalue()


@pytest.mark.usefixtures("nothing_read")
def test_verdicts_change_only_with_accept(imported: Run) -> None:
    before = list(Item.objects.order_by("pk").values_list("outcome", flat=True))
    report = rescore("--run", str(imported.pk))
    assert report["rescorings"][0]["status"] == "proposed"
    assert report["entrants"][0]["rules"]["standard"]["unparsed"] == len(EXPECTED)
    assert list(Item.objects.order_by("pk").values_list("outcome", flat=True)) == before
    accepted = rescore("--run", str(imported.pk), "--accept")
    assert accepted["rescorings"][0]["status"] == "accepted"
    assert accepted["rescorings"][0]["rescoring"] == report["rescorings"][0]["rescoring"]
    assert set(Item.objects.values_list("outcome", flat=True)) == {"unparsed"}
    assert rescore("--run", str(imported.pk), "--accept")["rescorings"][0]["status"] == "nothing to do"
    assert ItemRescoring.objects.count() == 1


def test_a_set_narrows_what_is_judged_and_counted(imported: Run) -> None:
    keys = sorted(EXPECTED)[:3]
    make_keyed_set(imported.set_revision.question_set.benchmark, "three", keys)
    report = rescore("--set", "three", "--rule", "chempro-exact", "--accept")
    assert report["rescorings"][0]["n_answers"] == 3
    assert ItemScore.objects.filter(rule="chempro-exact@1").count() == 3
    (entrant,) = report["entrants"]
    assert entrant["n_questions"] == 3
    assert sum(entrant["rules"]["chempro-exact"].values()) == 3


def test_people_are_rescored_as_systems_are() -> None:
    study = make_study(n_choice=2, n_number=0, n_tools=0)
    participant = make_participant(study)
    answer_next(participant)
    answer_next(participant)
    report = rescore("--study", study.slug, "--rule", "chempro-exact", "--accept")
    assert [line["status"] for line in report["rescorings"]] == ["accepted"]
    (entrant,) = report["entrants"]
    assert (entrant["slug"], entrant["kind"], entrant["n_questions"]) == (participant.pseudonym, "person", 2)
    assert entrant["rules"]["chempro-exact"]["right"] == entrant["rules"]["standard"]["right"] == 2
    assert ResponseRescoring.objects.get().status == "accepted"
    assert set(Response.objects.values_list("rule", flat=True)) == {"standard@1"}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--system", "nobody"], "There is no system nobody"),
        (["--run", "00000000-0000-0000-0000-000000000000"], "There is no run"),
        (["--study", "none"], "There is no study none"),
        (["--set", "none"], "There is no question set none"),
        (["--rule", "guess"], "There is no rule 'guess'"),
        (["--reader", "guess"], "There is no reader 'guess'"),
        (["--rule", "as-published", "--reader", "standard"], "stored parses"),
        (["--report", "x.csv"], "belongs to --against"),
        (["--against", "as-published"], "no imported run"),
    ],
)
def test_what_cannot_be_done_says_what_to_do(args: list[str], message: str) -> None:
    if "stored parses" in message:
        reports_import(path=PACK, benchmark=demo_benchmark())
    with pytest.raises(CommandError, match=message):
        call_command("rescore", *args, stdout=StringIO(), stderr=StringIO())


# Against published verdicts


def differing() -> set[str]:
    return {key for key, rules in EXPECTED.items() if rules["standard"]["outcome"] != rules["as-published"]["outcome"]}


def test_every_difference_is_listed_with_its_cause_and_no_word_of_a_reply(imported: Run, tmp_path: Path) -> None:
    path = tmp_path / "differences.csv"
    report = rescore("--against", "as-published", "--report", str(path))
    with path.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert {row["key"] for row in rows} == differing()
    assert {row["cause"] for row in rows} <= set(differences.CAUSES)
    assert sum(sum(by_system.values()) for by_system in report["causes"].values()) == len(rows)
    assert report["systems"]["demo-model"] == {
        "n": len(EXPECTED),
        "right_published": expected_counts("as-published")["right"],
        "right": expected_counts("standard")["right"],
    }
    text = path.read_text("utf-8")
    assert not [item.completion for item in Item.objects.all() if len(item.completion) > 20 and item.completion in text]


def test_a_difference_nothing_explains_is_listed_and_fails_the_command(
    imported: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(published_differences, "cause_of", lambda difference: "")
    out = StringIO()
    with pytest.raises(CommandError, match=f"{len(differing())} of {len(differing())} differences"):
        call_command("rescore", "--against", "as-published", "--report", stdout=out, stderr=StringIO())
    listed = out.getvalue().partition("## Not explained by any predicate")[2]
    assert all(key in listed for key in differing())


def test_comparing_stores_nothing(imported: Run) -> None:
    before = (ItemScore.objects.count(), ItemRescoring.objects.count())
    call_command("rescore", "--against", "as-published", "--report", stdout=StringIO(), stderr=StringIO())
    assert (ItemScore.objects.count(), ItemRescoring.objects.count()) == before
