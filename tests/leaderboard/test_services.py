"""Stored matrices: built, kept, never outdated, and the same when built again."""

import io
import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from corpus.scoring.rules import rule_names
from corpus.services.results import results_changed
from leaderboard.matrix import pack
from leaderboard.models import ScoreMatrix
from leaderboard.selectors.boards import public_sets
from leaderboard.services import current_matrix
from tests.corpus.factories import make_revision, make_set_revision
from tests.leaderboard.factories import make_people, make_run, make_system

RULE = "standard@1"
PRINTED = "as-published@1"


def fresh(slug="small"):
    return public_sets().get(slug=slug)


@pytest.fixture
def results(small_set):
    imported = make_system(slug="imported", provider="imported")
    make_run(imported, small_set, "++++++----", origin="imported", published="+++-------")
    make_run(make_system(slug="asked"), small_set, "+++++r---u")
    make_people(small_set, ["+++++-----"] * 5)
    return small_set


def stored() -> dict:
    return {
        (row.set_revision_id, row.rule): (row.entrants, bytes(row.verdicts), row.inputs, row.results_version)
        for row in ScoreMatrix.objects.all()
    }


def test_deleted_and_built_again_it_is_the_same(results) -> None:
    for rule in rule_names():
        current_matrix(question_set=fresh(), rule=rule)
    before = stored()
    call_command("rebuild_leaderboard", stdout=io.StringIO())
    assert stored() == before
    assert len(before) == len(rule_names())


def test_a_matrix_is_built_in_few_queries_whatever_the_number_of_entrants(results) -> None:
    def count() -> int:
        ScoreMatrix.objects.all().delete()
        question_set = fresh()
        with CaptureQueriesContext(
            connection,
        ) as queries:
            current_matrix(question_set=question_set, rule=RULE)
        return sum(query["sql"].startswith("SELECT") for query in queries)

    few = count()
    for number in range(6):
        make_run(make_system(slug=f"more-{number}"), results, "+" * 10)
    assert count() == few


def test_an_unchanged_board_is_read_in_one_query(results) -> None:
    current_matrix(question_set=fresh(), rule=RULE)
    question_set = fresh()
    with CaptureQueriesContext(connection) as queries:
        current_matrix(question_set=question_set, rule=RULE)
    assert len(queries) == 1


def test_a_change_of_results_is_seen_at_once(results) -> None:
    assert len(current_matrix(question_set=fresh(), rule=RULE).entrants) == 7
    make_run(make_system(slug="new"), results, "+" * 10)
    assert len(current_matrix(question_set=fresh(), rule=RULE).entrants) == 8


def test_a_deleted_run_and_a_withdrawn_person_are_gone_at_once(results) -> None:
    from evaluations.models import Run
    from survey.models import Participant

    current_matrix(question_set=fresh(), rule=RULE)
    Run.objects.filter(system__slug="asked").delete()
    person = Participant.objects.first()
    person.withdrawn_at = person.consented_at
    person.save()
    results_changed(benchmark_id=results.benchmark_id)
    assert len(current_matrix(question_set=fresh(), rule=RULE).entrants) == 5


@pytest.mark.parametrize("by_command", [True, False])
def test_verdicts_of_a_withdrawn_person_leave_matrices_nobody_opens(results, by_command: bool) -> None:
    from survey.models import Participant
    from survey.services import participant_withdraw

    current_matrix(question_set=fresh(), rule=PRINTED)
    current_matrix(question_set=fresh(), rule=RULE)
    older = results.current_revision
    make_set_revision(results, [member.question_revision for member in older.members.all()])
    current_matrix(question_set=fresh(), rule=RULE)
    assert ScoreMatrix.objects.filter(set_revision=older).count() == 2
    person = Participant.objects.first()
    participant_withdraw(participant=person)
    if by_command:
        call_command("clear_stale_matrices", stdout=io.StringIO())
        assert not ScoreMatrix.objects.exists()
    current_matrix(question_set=fresh(), rule=RULE)
    (left,) = ScoreMatrix.objects.all()
    assert left.set_revision != older
    assert not [entry for entry in left.entrants if (entry["type"], entry["id"]) == ("person", person.pk)]


def test_the_newest_complete_run_is_shown(results) -> None:
    system = make_system(slug="again")
    make_run(system, results, "+" * 10)
    newest = make_run(system, results, "-" * 10)
    make_run(system, results, "++        ")
    matrix = current_matrix(question_set=fresh(), rule=RULE)
    (run_id,) = [entrant.run_id for entrant in matrix.entrants if entrant.id == system.pk and entrant.run_id]
    assert run_id == str(newest.pk)


def test_printed_verdicts_are_there_for_imported_results_only(results) -> None:
    matrix = current_matrix(question_set=fresh(), rule=PRINTED)
    (block,) = matrix.blocks()
    assert block[0].is_imported
    assert (block[1] == 0).sum() == 3


def test_answers_to_a_comparable_revision_count(results) -> None:
    question = results.current_revision.question_revisions.order_by("pk").first().question
    first = question.current_revision
    second = make_revision(question, stem="Which one is meant, please?", comparison_root=first)
    members = results.current_revision.members.order_by("position").values_list("question_revision_id", flat=True)
    revisions = [type(second).objects.get(pk=second.pk if pk == first.pk else pk) for pk in members]
    make_set_revision(results, revisions)
    results_changed(benchmark_id=results.benchmark_id)
    matrix = current_matrix(question_set=fresh(), rule=RULE)
    assert (matrix.codes >= 0).all()
    assert len(matrix.entrants) == 7


def test_a_matrix_with_other_codes_is_built_again(results) -> None:
    before = pack(current_matrix(question_set=fresh(), rule=RULE))
    ScoreMatrix.objects.update(inputs={"outcomes": ["right"], "root_ids": [], "question_ids": []})
    assert pack(current_matrix(question_set=fresh(), rule=RULE)) == before


def test_the_command_reports_for_machines(results) -> None:
    out = io.StringIO()
    call_command("rebuild_leaderboard", "--json", "--set", "small", "--rule", "standard", stdout=out)
    (entry,) = json.loads(out.getvalue())["matrices"]
    assert entry | {"seconds": 0} == {
        "set_slug": "small",
        "set_revision": 1,
        "rule": RULE,
        "results_version": fresh().benchmark.results_version,
        "n_systems": 2,
        "n_people": 5,
        "n_questions": 10,
        "seconds": 0,
    }


@pytest.mark.parametrize(("option", "message"), [("--set=none", "No set none"), ("--rule=none", "no rule")])
def test_the_command_refuses_what_does_not_exist(results, option: str, message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("rebuild_leaderboard", option, stdout=io.StringIO())


def test_a_board_is_shown_also_while_the_database_takes_no_writes(results, monkeypatch, caplog) -> None:
    wanted = pack(current_matrix(question_set=fresh(), rule=RULE))
    ScoreMatrix.objects.all().delete()

    def locked(**_fields: object) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(ScoreMatrix.objects, "update_or_create", locked)
    assert pack(current_matrix(question_set=fresh(), rule=RULE)) == wanted
    assert "database is locked" in caplog.text
    assert not ScoreMatrix.objects.exists()
