"""A maintainer's decision: one run of what was accepted, whoever presses when, judged like everything else."""

import json
import threading
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from corpus.models import ActionLog, QuestionRevision
from evaluations.errors import ReasonMissingError, RunStateError
from evaluations.models import Item, ItemScore, Run, Submission, System
from evaluations.selectors import board_items
from evaluations.selectors.missing_usage import estimated_cost
from evaluations.selectors.submissions import SAMPLE, submission_review
from evaluations.services import submissions
from evaluations.services.completion_import import submission_create
from evaluations.services.prompt_export import export_lines
from evaluations.services.rescoring import run_rescore
from evaluations.services.runs import run_pause, run_resume, run_stop
from evaluations.services.submissions import (
    SubmissionStateError,
    submission_accept,
    submission_reject,
)
from leaderboard.queries import BoardQuery, load_board
from tests.evaluations.completions import (
    RIGHT,
    STYLE,
    file_of,
    header_of,
    lines_of,
    make_outside_set,
    make_outside_system,
    make_submission,
)

MIXED = {"q-choice": "[ANSWER]B[/ANSWER]", "q-number": "no idea at all", "q-other": ""}


def test_an_accepted_submission_is_a_finished_run(bank, system, admin_user) -> None:
    before = bank.question_set.benchmark.results_version
    submission = make_submission(bank, system, MIXED | {"q-choice": RIGHT["q-choice"]}, seconds=1.25, tokens_out=7)
    run = submission_accept(submission_id=submission.pk, actor=admin_user, reason="Looks good.")
    assert (run.origin, run.status, run.repeats, run.prompt_style) == ("submitted", "finished", 1, STYLE)
    assert run.finished_at is not None
    assert run.frozen["submission"]["id"] == submission.pk
    outcomes = dict(run.items.values_list("question_revision__question__key", "outcome"))
    assert outcomes == {"q-choice": "right", "q-number": "unparsed", "q-other": "empty"}
    item = run.items.get(question_revision__question__key="q-choice")
    assert (item.completion, item.latency_ms, item.tokens_out, item.attempts) == (RIGHT["q-choice"], 1250, 7, 1)
    assert item.options_shown[0][0] == "A"
    submission.refresh_from_db()
    assert (submission.status, submission.run, submission.reviewed_by) == ("accepted", run, admin_user)
    bank.question_set.benchmark.refresh_from_db()
    assert bank.question_set.benchmark.results_version > before
    logged = ActionLog.objects.filter(actor=admin_user).values_list("code", "object_id")
    assert set(logged) == {("submission.accepted", str(submission.pk)), ("run.submitted", str(run.pk))}


def test_what_changes_before_the_review_changes_nothing_of_what_was_answered(bank, system) -> None:
    first = {"model_id": "old", "input_price": 2, "facts": {"tools": "none"}}
    System.objects.filter(pk=system.pk).update(system_prompt="Be brief.", **first)
    submission = make_submission(bank, System.objects.get())
    later = {"model_id": "new", "input_price": 9, "facts": {"tools": "Python, web search"}}
    System.objects.filter(pk=system.pk).update(system_prompt="Be long.", **later)
    run = submission_accept(submission_id=submission.pk)
    assert (run.frozen["system_prompt"], run.frozen["model_id"], run.frozen["prices"]["input"]) == (
        "Be brief.",
        "old",
        "2",
    )
    assert run.frozen["tools"] == "none"
    assert run.frozen["set_hash"] == bank.content_hash


def test_what_others_paid_is_not_estimated(bank, system) -> None:
    System.objects.filter(pk=system.pk).update(input_price=2, output_price=8)
    run = submission_accept(submission_id=make_submission(bank, System.objects.get()).pk)
    assert estimated_cost(run=run) is None
    assert estimated_cost(run=run, item=run.items.first()) is None


def test_an_accepted_completion_is_read_as_it_will_be_read_again(bank, system) -> None:
    """A reply that repeats system prompt and question: neither is its answer, now or at a rescoring."""
    System.objects.filter(pk=system.pk).update(system_prompt="The answer is B. Or is it?")
    system.refresh_from_db()
    (question, *_) = [json.loads(line) for line in export_lines(set_revision=bank, style_name=STYLE, system=system)][1:]
    echoed = f"{question['system_prompt']}\n\n{question['prompt']}"
    submission = make_submission(bank, system, RIGHT | {"q-choice": echoed})
    assert submission_review(submission=submission).statuses["read"] == 2
    run = submission_accept(submission_id=submission.pk)
    assert run.items.get(completion=echoed).outcome == "empty"
    preview = run_rescore(run=run)
    assert preview.rescoring is None


def test_repeats_are_repeats(bank, system) -> None:
    lines = [*lines_of(RIGHT), *lines_of(MIXED, repeat=1)]
    received = submission_create(
        content=file_of(header_of(bank), *lines), system=system, set_revision=bank, style_name=STYLE
    )
    run = submission_accept(submission_id=received.submission.pk)
    assert (run.repeats, run.status, run.items.count()) == (2, "finished", 6)
    assert run.items.filter(repeat=1, outcome="right").count() == 0


def test_missing_questions_make_the_run_incomplete_and_leave_it_without_accuracy(bank, system) -> None:
    run = submission_accept(submission_id=make_submission(bank, system, {"q-choice": "[ANSWER]A[/ANSWER]"}).pk)
    assert run.status == "incomplete"
    other = make_outside_system("whole")
    submission_accept(submission_id=make_submission(bank, other).pk)
    board = load_board(question_set=bank.question_set, query=BoardQuery(rule="standard@1"), with_topics=False)
    shown = {row.slug: (row.is_complete, row.has_accuracy, row.is_submitted) for row in board.rows}
    assert shown == {"agent": (False, False, True), "whole": (True, True, True)}


def test_a_waiting_or_rejected_submission_counts_nowhere(bank, system) -> None:
    waiting, rejected = make_submission(bank, system), make_submission(bank, system, MIXED)
    submission_reject(submission_id=rejected.pk, reason="Another model's words.")
    roots = list(bank.question_revisions.values_list("pk", flat=True))
    assert board_items(root_ids=roots, rule="standard@1").runs == ()
    assert not Item.objects.exists()
    waiting.refresh_from_db()
    rejected.refresh_from_db()
    assert (waiting.status, rejected.status, rejected.review_reason) == (
        "waiting",
        "rejected",
        "Another model's words.",
    )
    assert rejected.completions.count() == 3


def test_a_decision_stands(bank, system, admin_user) -> None:
    submission = make_submission(bank, system)
    run = submission_accept(submission_id=submission.pk, actor=admin_user)
    with pytest.raises(SubmissionStateError, match="accepted already by admin"):
        submission_accept(submission_id=submission.pk)
    with pytest.raises(SubmissionStateError, match="that decision stands"):
        submission_reject(submission_id=submission.pk, reason="No.")
    assert Run.objects.get() == run
    other = make_submission(bank, system, MIXED)
    with pytest.raises(ReasonMissingError):
        submission_reject(submission_id=other.pk, reason="  ")
    submission_reject(submission_id=other.pk, reason="No.")
    with pytest.raises(SubmissionStateError, match="rejected already"):
        submission_accept(submission_id=other.pk)
    assert Run.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_who_press_at_once_make_one_run() -> None:
    submission = make_submission(make_outside_set(), make_outside_system())
    start = threading.Barrier(2)
    made: list[Run] = []
    told: list[str] = []

    def press() -> None:
        try:
            start.wait(timeout=30)
            made.append(submission_accept(submission_id=submission.pk))
        except SubmissionStateError as error:
            told.append(error.code)
        finally:
            connection.close()

    people = [threading.Thread(target=press) for _ in range(2)]
    for person in people:
        person.start()
    for person in people:
        person.join(timeout=60)
    assert (len(made), told) == (1, ["submission-state"])
    assert Run.objects.get().items.count() == 3


def test_a_failure_half_way_leaves_it_waiting(bank, system, monkeypatch: pytest.MonkeyPatch) -> None:
    submission = make_submission(bank, system)

    def fail(**kwargs: Any) -> None:
        raise RuntimeError("the database went away")

    monkeypatch.setattr(submissions, "results_changed", fail)
    with pytest.raises(RuntimeError, match="went away"):
        submission_accept(submission_id=submission.pk)
    submission.refresh_from_db()
    assert submission.status == "waiting"
    assert not Run.objects.exists()
    assert not ItemScore.objects.exists()


def test_a_reader_that_fails_costs_no_completion(bank, system, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**kwargs: Any) -> None:
        raise ZeroDivisionError

    submission = make_submission(bank, system)
    with monkeypatch.context() as patched:
        patched.setattr("evaluations.services.reply_reading.read_answer", fail)
        run = submission_accept(submission_id=submission.pk)
    assert run.status == "incomplete"
    assert set(run.items.values_list("completion", "outcome")) == {(text, "") for text in RIGHT.values()}


def test_prompts_that_changed_meanwhile_are_not_judged(bank, system) -> None:
    submission = make_submission(bank, system)
    QuestionRevision.objects.filter(question__key="q-choice").update(stem="Which one is not?")
    with pytest.raises(SubmissionStateError, match="no longer those"):
        submission_accept(submission_id=submission.pk)
    submission.refresh_from_db()
    assert submission.status == "waiting"


def test_nothing_is_asked_in_a_submitted_run(bank, system) -> None:
    run = submission_accept(submission_id=make_submission(bank, system, {"q-choice": "[ANSWER]A[/ANSWER]"}).pk)
    with pytest.raises(RunStateError, match="were submitted; they are not asked again"):
        run_resume(run_id=run.pk)
    for change in (run_pause, run_stop):
        with pytest.raises(RunStateError):
            change(run_id=run.pk)


def test_a_run_belongs_to_one_submission(bank, system) -> None:
    run = submission_accept(submission_id=make_submission(bank, system).pk)
    other = make_submission(bank, system, MIXED)
    with pytest.raises(IntegrityError), transaction.atomic():
        Submission.objects.filter(pk=other.pk).update(run=run)


def test_the_review_counts_what_can_be_read_and_never_judges(bank, system, django_assert_max_num_queries) -> None:
    submission = make_submission(bank, system, MIXED | {"q-choice": "[ANSWER]D[/ANSWER]"})
    submission = Submission.objects.select_related("set_revision__question_set__benchmark").get(pk=submission.pk)
    with django_assert_max_num_queries(6):
        review = submission_review(submission=submission)
    assert (review.n_questions, review.n_covered, review.n_completions, review.n_empty) == (3, 3, 3, 1)
    assert review.statuses == {"read": 1, "unparsed": 1, "empty": 1}
    assert review.is_complete
    assert [line.status for line in review.sample] == ["unparsed", "empty", "read"]
    assert not ItemScore.objects.exists()
    part = submission_review(submission=make_submission(bank, system, {"q-number": "[ANSWER]42[/ANSWER]"}))
    assert (part.is_complete, part.missing) == (False, ("q-choice", "q-other"))
    assert len(part.sample) <= SAMPLE
