"""Which run stands for a system on a board, how far a run is, and what the public may see."""

from datetime import timedelta
from decimal import Decimal
from itertools import count
from uuid import uuid4

import pytest
from django.utils import timezone

from corpus.models import QuestionRevision
from evaluations.models import Item, ItemAttempt, ItemReading, ItemScore, Run, System
from evaluations.selectors import (
    active_run,
    board_items,
    outcome_counts,
    public_system,
    public_systems,
    run_progress,
)
from tests.corpus.factories import make_benchmark, make_question, make_revision, make_set

pytestmark = pytest.mark.django_db
_minutes = count(1)


@pytest.fixture
def questions():
    benchmark = make_benchmark(slug="b")
    made = [make_question(benchmark) for _ in range(3)]
    make_set(benchmark, "b", made)
    return made


def make_system(slug="s", **fields):
    return System.objects.create(slug=slug, name=fields.pop("name", slug), provider="random", **fields)


def make_run(system, questions, outcomes, *, origin="asked", repeats=1, status="finished", rule="standard@1", **fields):
    """Save a run, each newer than the one before; an outcome is a word of `Outcome`, "failed" or "waiting"."""
    set_revision = questions[0].benchmark.question_sets.get(slug="b").current_revision
    name = str(uuid4()) if origin == "imported" else ""
    fields |= {"origin": origin, "repeats": repeats, "status": status, "source_name": name}
    run = Run.objects.create(system=system, set_revision=set_revision, **fields)
    Run.objects.filter(pk=run.pk).update(queued_at=timezone.now() + timedelta(minutes=next(_minutes)))
    for index, outcome in enumerate(outcomes):
        state = outcome if outcome in {"failed", "waiting"} else "answered"
        Item.objects.create(
            run=run,
            question_revision=questions[index % len(questions)].current_revision,
            repeat=index // len(questions),
            status=state,
            outcome={"failed": "error", "waiting": ""}.get(outcome, outcome),
            credit=Decimal(outcome == "right") if state == "answered" else None,
            rule=rule if state == "answered" else "",
            attempts=1,
        )
    return run


def roots(questions):
    return [question.current_revision.root_id for question in questions]


def add_score(item, rule, outcome, *, corrected_by=None):
    reading = ItemReading.objects.create(
        answer=item, reader=f"test-{item.readings.count()}", status="read", corrected_by=corrected_by
    )
    return ItemScore.objects.create(
        answer=item, reading=reading, rule=rule, outcome=outcome, credit=Decimal(outcome == "right")
    )


def test_rows_say_system_run_repeat_question_outcome_credit_and_status(questions):
    system = make_system()
    run = make_run(system, questions, ["right", "wrong", "failed"])
    board = board_items(root_ids=roots(questions), rule="standard")
    assert [tuple(item) for item in board.items] == [
        (system.pk, run.pk, 0, roots(questions)[0], "right", Decimal(1), "answered"),
        (system.pk, run.pk, 0, roots(questions)[1], "wrong", Decimal(0), "answered"),
        (system.pk, run.pk, 0, roots(questions)[2], "error", None, "failed"),
    ]
    assert [(entry.n_answered, entry.is_complete) for entry in board.runs] == [(2, False)]


@pytest.mark.parametrize(
    ("older", "newer", "chosen", "is_complete"),
    [
        (["right"] * 3, ["wrong"] * 3, "newer", True),
        (["right"] * 3, ["wrong", "wrong", "failed"], "older", True),
        (["right"] * 3, ["waiting"] * 3, "older", True),
        (["right", "right", "failed"], ["wrong", "waiting", "waiting"], "newer", False),
        (["right", "right", "failed"], ["waiting"] * 3, "older", False),
        (["right", "failed", "right"], ["wrong"] * 3, "newer", True),
    ],
)
def test_the_newest_complete_run_stands_for_a_system(questions, older, newer, chosen, is_complete):
    system = make_system()
    runs = {"older": make_run(system, questions, older), "newer": make_run(system, questions, newer)}
    (entry,) = board_items(root_ids=roots(questions), rule="standard").runs
    assert (entry.run_id, entry.is_complete) == (runs[chosen].pk, is_complete)


ALL, SOME, NONE = ["right"] * 3, ["right", "right", "failed"], ["waiting"] * 3


@pytest.mark.parametrize(
    ("asked", "is_of_sweep", "submitted", "chosen"),
    [
        (ALL, False, ALL, "asked"),
        (ALL, False, SOME, "asked"),
        (ALL, True, ALL, "asked"),
        (SOME, False, ALL, "submitted"),
        (SOME, False, SOME, "asked"),
        (NONE, False, ALL, "submitted"),
        (NONE, False, SOME, "submitted"),
        (NONE, False, NONE, "asked"),
    ],
)
@pytest.mark.parametrize("submitted_first", [True, False])
@pytest.mark.parametrize("origin", ["asked", "imported"])
def test_a_submission_never_takes_the_place_of_what_was_asked(
    questions, asked, is_of_sweep, submitted, chosen, submitted_first, origin
):
    system, runs = make_system(), {}
    for kind in ("submitted", "asked") if submitted_first else ("asked", "submitted"):
        outcomes = asked if kind == "asked" else submitted
        fields = {"sweep": uuid4()} if kind == "asked" and is_of_sweep else {}
        runs[kind] = make_run(system, questions, outcomes, origin=origin if kind == "asked" else kind, **fields)
    (entry,) = board_items(root_ids=roots(questions), rule="standard").runs
    assert entry.run_id == runs[chosen].pk


def test_a_run_is_complete_for_the_questions_that_are_wanted(questions):
    system = make_system()
    make_run(system, questions, ["right", "wrong", "failed"], status="incomplete")
    board = board_items(root_ids=roots(questions)[:2], rule="standard")
    assert [entry.is_complete for entry in board.runs] == [True]
    assert len(board.items) == 2


def test_every_repeat_must_be_there(questions):
    system = make_system()
    make_run(system, questions, ["right"] * 5, repeats=2)
    assert [entry.is_complete for entry in board_items(root_ids=roots(questions), rule="standard").runs] == [False]
    make_run(system, questions, ["right"] * 6, repeats=2)
    board = board_items(root_ids=roots(questions), rule="standard")
    assert [entry.is_complete for entry in board.runs] == [True]
    assert sorted((item.root_id, item.repeat) for item in board.items) == [
        (root, repeat) for root in sorted(roots(questions)) for repeat in (0, 1)
    ]


def test_a_run_of_an_older_comparable_revision_counts_under_the_root(questions):
    system = make_system()
    make_run(system, questions, ["right"] * 3)
    old = questions[0].current_revision
    new = make_revision(questions[0])
    QuestionRevision.objects.filter(pk=new.pk).update(comparison_root=old)
    questions[0].refresh_from_db()
    make_run(system, questions, ["wrong"] * 3)
    board = board_items(root_ids=[old.pk], rule="standard")
    assert [(item.root_id, item.outcome) for item in board.items] == [(old.pk, "wrong")]


def test_a_newer_run_with_less_to_show_does_not_take_the_place_of_an_older_one(questions):
    system = make_system("twice")
    first = make_run(system, questions, ["right", "wrong", "waiting"], status="paused")
    make_run(system, questions, ["waiting"] * 3, status="queued")
    (run,) = board_items(root_ids=roots(questions), rule="standard").runs
    assert (run.run_id, run.n_answered) == (first.pk, 2)


def test_hidden_systems_are_absent_and_systems_without_an_answer_are_incomplete(questions):
    make_run(make_system("hidden", is_hidden=True), questions, ["right"] * 3)
    make_run(make_system("waits"), questions, ["waiting"] * 3, status="running")
    make_run(make_system("seen"), questions, ["right"] * 3)
    wanted = roots(questions)
    runs = board_items(root_ids=wanted, rule="standard").runs
    assert [(run.slug, run.n_answered, run.is_complete) for run in runs] == [("seen", 3, True), ("waits", 0, False)]
    shown = board_items(root_ids=wanted, rule="standard", with_hidden=True)
    assert [run.slug for run in shown.runs] == ["hidden", "seen", "waits"]


def test_as_published_is_there_for_imported_runs_alone(questions):
    imported, asked = make_system("imported"), make_system("asked")
    run = make_run(imported, questions, ["right"] * 3, origin="imported")
    make_run(imported, questions, ["right"] * 3)
    make_run(asked, questions, ["right"] * 3)
    for item in run.items.all():
        add_score(item, "as-published@1", "wrong")
    board = board_items(root_ids=roots(questions), rule="as-published")
    assert [(entry.slug, entry.run_id) for entry in board.runs] == [("imported", run.pk)]
    assert {item.outcome for item in board.items} == {"wrong"}


def test_another_rule_is_read_from_the_scores_a_persons_correction_first(questions, django_user_model):
    run = make_run(make_system(), questions, ["right"] * 3, rule="another@1")
    person = django_user_model.objects.create_user("corrector")
    first, second, _ = run.items.order_by("question_revision_id")
    add_score(first, "standard@1", "right", corrected_by=person)
    add_score(first, "standard@1", "wrong")
    add_score(first, "another@1", "unparsed")
    add_score(second, "standard@1", "right")
    add_score(second, "standard@1", "wrong")
    board = board_items(root_ids=roots(questions), rule="standard")
    assert [(item.outcome, item.credit) for item in board.items] == [("right", 1), ("wrong", 0), ("", None)]


@pytest.mark.parametrize("rule", ["standard", "as-published"])
def test_a_board_takes_three_queries(questions, rule, django_assert_num_queries):
    for slug in ("a", "b", "c"):
        system = make_system(slug)
        make_run(system, questions, ["right"] * 3, origin="imported")
        make_run(system, questions, ["right"] * 3, origin="imported")
    with django_assert_num_queries(3):
        board = board_items(root_ids=roots(questions), rule=rule)
    assert len(board.items) == 9


def test_no_questions_are_no_board(questions):
    make_run(make_system(), questions, ["right"] * 3)
    assert board_items(root_ids=[], rule="standard").runs == ()


def test_outcome_counts_name_every_outcome(questions):
    system = make_system()
    make_run(system, questions, ["right", "refused", "failed"])
    counts = outcome_counts(board=board_items(root_ids=roots(questions), rule="standard"), system_id=system.pk)
    assert {name: n for name, n in counts.items() if n} == {"right": 1, "refused": 1, "error": 1}
    assert len(counts) == 9


def test_progress_of_a_running_run(questions):
    now = timezone.now()
    run = make_run(make_system(), questions, ["right", "waiting", "waiting", "failed"], repeats=2, status="running")
    answered, held, expired, failed = run.items.order_by("id")
    lease = {"status": "leased", "lease_token": uuid4()}
    Item.objects.filter(pk=answered.pk).update(
        answered_at=now - timedelta(seconds=30), tokens_in=100, tokens_out=7, attempts=3
    )
    Item.objects.filter(pk=held.pk).update(**lease, lease_until=now + timedelta(seconds=60))
    Item.objects.filter(pk=expired.pk).update(**lease, lease_until=now - timedelta(seconds=1))
    ItemAttempt.objects.create(item=answered, lease_token=uuid4(), kind="error", error_code="retry", error_message="m")
    progress = run_progress(run=run, now=now)
    counts = (progress.n_items, progress.n_waiting, progress.n_in_flight, progress.n_answered, progress.n_failed)
    assert counts == (4, 1, 1, 1, 1)
    assert (progress.n_done, progress.percent, progress.n_sent) == (2, 50, 6)
    assert (progress.tokens_in, progress.tokens_out) == (100, 7)
    Item.objects.update(tokens_in=None)
    unreported = run_progress(run=run, now=now)
    assert (unreported.tokens_in, unreported.tokens_out) == (None, 7)
    assert progress.per_minute == pytest.approx(2)
    assert (progress.seconds_left, progress.time_left) == (60, "60 s")
    assert progress.outcomes == {"right": 1, "error": 1}
    assert [(error.item_id, error.code, error.is_final) for error in progress.last_errors] == [
        (answered.pk, "retry", False)
    ]


@pytest.mark.parametrize(
    ("status", "in_flight", "is_active"),
    [
        ("queued", False, True),
        ("running", False, True),
        ("paused", True, True),
        ("paused", False, False),
        ("finished", False, False),
        ("incomplete", False, False),
        ("stopped", False, False),
    ],
)
def test_progress_moves_while_something_may_still_come(questions, status, in_flight, is_active):
    run = make_run(make_system(), questions, ["waiting"], status=status)
    if in_flight:
        until = timezone.now() + timedelta(seconds=60)
        run.items.update(status="leased", lease_token=uuid4(), lease_until=until)
    progress = run_progress(run=run)
    assert progress.is_active is is_active
    assert (progress.per_minute, progress.seconds_left) == (None, None)


def test_items_given_up_are_the_last_errors_where_no_attempt_is_recorded(questions):
    run = make_run(make_system(), questions, ["failed", "right", "right"])
    run.items.filter(status="failed").update(error_code="options-unmatched", error_message="why")
    (error,) = run_progress(run=run).last_errors
    assert (error.code, error.message, error.is_final) == ("options-unmatched", "why", True)
    assert error.key == questions[0].key


def test_the_run_that_is_asking_now(questions):
    system = make_system()
    make_run(system, questions, ["right"] * 3)
    running = make_run(system, questions, ["waiting"] * 3, status="running")
    assert active_run(system_id=system.pk, set_revision_id=running.set_revision_id) == running.pk
    assert active_run(system_id=system.pk, set_revision_id=running.set_revision_id + 1) is None


def test_the_public_sees_counts_and_facts_and_no_way_to_reach_a_system(questions, django_assert_num_queries):
    system = make_system(
        "open", facts={"paper": "x"}, base_url="http://secret.internal/v1", api_key_variable="SECRET_KEY_NAME"
    )
    make_run(system, questions, ["right", "wrong", "failed"])
    make_run(system, questions, ["waiting"] * 3, status="running")
    with django_assert_num_queries(3):
        page = public_system(slug="open")
    newest, older = page.runs
    assert (newest.n_items, newest.n_answered, newest.outcomes) == (3, 0, {})
    assert (older.n_answered, older.n_failed, older.outcomes) == (2, 1, {"right": 1, "wrong": 1, "error": 1})
    assert (older.set_slug, older.set_number) == ("b", 1)
    assert "secret" not in repr(page).lower()


def test_hidden_systems_have_no_public_page(questions):
    make_run(make_system("hidden", is_hidden=True), questions, ["right"] * 3)
    make_system("seen")
    assert public_system(slug="hidden") is None
    assert public_system(slug="nobody") is None
    assert [page.slug for page in public_systems()] == ["seen"]
