"""A database that breaks off after it stored a reply, before it could say so: the reply comes once more, in vain."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connections

from corpus.models import QuestionSetRevision
from evaluations.database_clock import database_now
from evaluations.models import Item, ItemAttempt, ItemConfidence, ItemFallback, Run, System
from evaluations.providers import FinishReason, Reply, RetryLaterError
from evaluations.selectors.costs import spent
from evaluations.services.answers import Arrived, Stored, store_answers
from evaluations.services.apart_rows import (
    CONFIDENCE,
    FALLBACK,
    Apart,
    ApartClaim,
    claim_apart,
    store_cut_off,
    store_failure,
    store_reply,
)
from evaluations.services.claims import claim_items, free_expired_claims
from evaluations.services.costs import prices_of
from evaluations.services.failures import CutOffCall, cut_off_error, record_cut_off, record_failure
from evaluations.services.questions import Question, RunContext, make_ready, run_context
from evaluations.services.runs import run_create, run_start

REPLY = Reply("[ANSWER]A[/ANSWER]", FinishReason.STOP, tokens_in=3, tokens_out=2, latency_ms=5)
# 3 tokens in and 2 out at 2 and 8 a million.
COST = Decimal("0.000022")
# A failure whose cost is known: the endpoint had accepted the call and then ended it.
BROKEN = RetryLaterError("broken_off", "It broke off.")
BROKEN.taken = REPLY
APARTS = [pytest.param(CONFIDENCE, id="confidence"), pytest.param(FALLBACK, id="fallback")]


@pytest.fixture
def run(twenty: QuestionSetRevision, make_system: Callable[..., System]) -> Run:
    system = make_system(input_price=Decimal(2), output_price=Decimal(8))
    run = run_create(system=system, set_revision=twenty, asks_confidence=True)
    run_start(run_id=run.pk)
    return run


@pytest.fixture
def context(run: Run) -> RunContext:
    return run_context(run_id=run.pk)


def claimed(context: RunContext) -> Question:
    """Claim the first question of the run that waits."""
    tokens = {claim.item_id: claim.token for claim in claim_items(run_id=context.run_id, limit=1)}
    (question,) = make_ready(context=context, tokens=tokens)
    assert isinstance(question, Question)
    return question


def lost(context: RunContext, question: Question) -> None:
    """Give the worker up that asks a question."""
    Item.objects.filter(pk=question.item.pk).update(lease_until=database_now() - timedelta(seconds=1))
    assert free_expired_claims(run_id=context.run_id) == 1


def paid(run: Run) -> tuple[Decimal, int, int]:
    so_far = spent(run=run)
    return so_far.known, so_far.n_known, so_far.n_unknown


def test_the_same_reply_is_no_late_one(run: Run, context: RunContext) -> None:
    question = claimed(context)
    for _ in range(2):
        assert store_answers(context=context, arrived=[Arrived(question, REPLY)]) == Stored(1, 0)
    assert not ItemAttempt.objects.exists()
    item = run.items.get(status="answered")
    assert (item.readings.count(), item.scores.count()) == (1, 1)
    assert paid(run) == (COST, 1, 0)


@pytest.mark.parametrize(
    "second",
    [
        pytest.param(REPLY, id="the same words after the same time"),
        pytest.param(replace(REPLY, latency_ms=6), id="the same words"),
        pytest.param(replace(REPLY, text="[ANSWER]B[/ANSWER]"), id="other words"),
    ],
)
def test_the_reply_to_another_call_was_paid_as_well(run: Run, context: RunContext, second: Reply) -> None:
    slow = claimed(context)
    lost(context, slow)
    quick = claimed(context)
    assert quick.item.pk == slow.item.pk
    assert store_answers(context=context, arrived=[Arrived(quick, REPLY)]) == Stored(1, 0)
    assert store_answers(context=context, arrived=[Arrived(slow, second)]) == Stored(0, 1)
    assert ItemAttempt.objects.filter(kind="late").count() == 1
    assert paid(run) == (2 * COST, 2, 0)


@pytest.mark.parametrize("reverse", [False, True])
def test_replies_of_two_calls_for_one_question_may_come_together(run: Run, context: RunContext, reverse: bool) -> None:
    slow = claimed(context)
    lost(context, slow)
    quick = claimed(context)
    arrived = [Arrived(slow, replace(REPLY, text="[ANSWER]B[/ANSWER]")), Arrived(quick, REPLY)]
    assert store_answers(context=context, arrived=arrived[::-1] if reverse else arrived) == Stored(1, 1)
    item = run.items.get(status="answered")
    assert (item.completion, item.outcome, item.scores.count()) == (REPLY.text, "right", 1)
    assert paid(run) == (2 * COST, 2, 0)


def test_a_late_reply_is_kept_and_paid_once(run: Run, context: RunContext) -> None:
    question = claimed(context)
    lost(context, question)
    for _ in range(2):
        assert store_answers(context=context, arrived=[Arrived(question, REPLY)]) == Stored(0, 1)
    assert ItemAttempt.objects.filter(kind="late").count() == 1
    assert paid(run) == (COST, 1, 0)


@pytest.mark.django_db(transaction=True)
def test_a_late_reply_that_is_stored_by_two_connections_at_once_is_paid_once(run: Run, context: RunContext) -> None:
    """The server may still be at the first transaction when the worker, cut off from it, stores the reply again."""
    question = claimed(context)
    lost(context, question)
    start = threading.Barrier(2)

    def store() -> Stored:
        try:
            start.wait(10)
            return store_answers(context=context, arrived=[Arrived(question, REPLY)])
        finally:
            connections["default"].close()

    with ThreadPoolExecutor(2) as pool:
        stored = [each.result(timeout=30) for each in [pool.submit(store) for _ in range(2)]]
    assert stored == [Stored(0, 1)] * 2
    assert paid(run) == (COST, 1, 0)


def test_a_failure_is_kept_and_paid_once(run: Run, context: RunContext) -> None:
    question = claimed(context)
    for _ in range(2):
        record_failure(context=context, question=question, error=BROKEN, has_answers=True)
    assert paid(run) == (COST, 1, 0)


def test_a_call_that_was_cut_off_is_kept_once(run: Run, context: RunContext) -> None:
    call = CutOffCall(claimed(context), cut_off_error(first=None, is_under_way=True))
    assert [record_cut_off(context=context, calls=[call]) for _ in range(2)] == [1, 0]
    assert paid(run) == (0, 0, 1)


def claimed_apart(apart: Apart, run: Run) -> ApartClaim:
    Item.objects.filter(run=run, position=0).update(status="answered", completion="?", cost=0)
    items = Item.objects.filter(run=run, status="answered")
    fields = {"prompt": "How sure?"} if apart is CONFIDENCE else {}
    (claim,) = claim_apart(
        apart=apart, items=items, limit=1, only_first=False, prices=prices_of(run.frozen), fields=fields
    )
    return claim


@pytest.mark.parametrize("apart", APARTS)
def test_a_reply_asked_apart_is_kept_and_paid_once(run: Run, apart: Apart) -> None:
    claim = claimed_apart(apart, run)
    stored = [
        store_reply(apart=apart, claim=claim, reply=REPLY, prices=prices_of(run.frozen), fields={}) for _ in range(2)
    ]
    assert stored == [True, True]
    assert apart.model.objects.get().cost == COST
    assert not ItemAttempt.objects.exists()


@pytest.mark.parametrize("apart", APARTS)
def test_a_late_reply_asked_apart_is_kept_and_paid_once(run: Run, apart: Apart) -> None:
    slow = claimed_apart(apart, run)
    for model in (ItemConfidence, ItemFallback):
        model.objects.update(asked_at=database_now() - timedelta(hours=1))
    quick = claimed_apart(apart, run)
    for claim, is_kept in ((quick, True), (slow, False), (slow, False)):
        stored = store_reply(apart=apart, claim=claim, reply=REPLY, prices=prices_of(run.frozen), fields={})
        assert stored is is_kept
    assert paid(run) == (2 * COST, 3, 0), "the answer itself is the third"


@pytest.mark.parametrize("delay_seconds", [None, 0.0, 5.0])
@pytest.mark.parametrize("apart", APARTS)
def test_a_failure_asked_apart_is_kept_and_paid_once(run: Run, apart: Apart, delay_seconds: float | None) -> None:
    claim = claimed_apart(apart, run)
    for _ in range(2):
        store_failure(apart=apart, claim=claim, error=BROKEN, prices=prices_of(run.frozen), delay_seconds=delay_seconds)
    assert paid(run) == (COST, 2, 0)
    assert apart.model.objects.get().tries == 1


@pytest.mark.parametrize("apart", APARTS)
def test_a_call_asked_apart_that_was_cut_off_is_kept_once(run: Run, apart: Apart) -> None:
    claim, error = claimed_apart(apart, run), cut_off_error(first=None, is_under_way=True)
    for _ in range(2):
        store_cut_off(apart=apart, claim=claim, error=error, prices=prices_of(run.frozen))
    assert paid(run) == (0, 1, 1)
