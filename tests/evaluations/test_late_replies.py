"""Replies that come after their worker was given up for lost: of a question that failed for it, they are the answer."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from corpus.models import Benchmark, QuestionSetRevision
from evaluations.database_clock import database_now
from evaluations.models import Item, ItemAttempt, ItemConfidence, Run, System
from evaluations.providers import FinishReason, Reply
from evaluations.selectors.costs import spent
from evaluations.services import runs
from evaluations.services.answers import Arrived, Stored, store_answers
from evaluations.services.apart_rows import CONFIDENCE, ApartClaim, claim_apart, store_reply
from evaluations.services.claims import claim_items, free_expired_claims
from evaluations.services.costs import prices_of
from evaluations.services.questions import Question, RunContext, make_ready, run_context
from evaluations.services.runs import finish_incomplete, run_create, run_finish, run_start

REPLY = Reply("[ANSWER]A[/ANSWER]", FinishReason.STOP, tokens_in=3, tokens_out=2, latency_ms=5)
# 3 tokens in and 2 out at 2 and 8 a million.
COST = Decimal("0.000022")


@pytest.fixture
def run(twenty: QuestionSetRevision, make_system: Callable[..., System]) -> Run:
    system = make_system(input_price=Decimal(2), output_price=Decimal(8))
    run = run_create(system=system, set_revision=twenty)
    run_start(run_id=run.pk)
    # Of the questions only the first is still to be asked.
    run.items.filter(position__gt=0).update(status="answered", outcome="right", cost=0)
    return run


@pytest.fixture
def context(run: Run) -> RunContext:
    return run_context(run_id=run.pk)


def lost(context: RunContext) -> Question:
    """Claim the first question and give its worker up."""
    tokens = {claim.item_id: claim.token for claim in claim_items(run_id=context.run_id, limit=1)}
    (question,) = make_ready(context=context, tokens=tokens)
    assert isinstance(question, Question)
    Item.objects.filter(pk=question.item.pk).update(lease_until=database_now() - timedelta(seconds=1))
    assert free_expired_claims(run_id=context.run_id) == 1
    return question


def first(run: Run) -> Item:
    return run.items.get(position=0)


def results_version(run: Run) -> int:
    return Benchmark.objects.get(question_sets__current_revision=run.set_revision).results_version


@pytest.mark.parametrize("n_stored", [1, 2])
def test_a_reply_to_the_last_try_is_the_answer_and_paid_once(
    run: Run, context: RunContext, settings: Any, n_stored: int
) -> None:
    settings.EVALUATION_TRIES = 1
    question = lost(context)
    assert (first(run).status, first(run).error_code) == ("failed", "worker_lost")
    before = results_version(run)
    for _ in range(n_stored):
        assert store_answers(context=context, arrived=[Arrived(question, REPLY)]) == Stored(1, 0)
    item = first(run)
    assert (item.status, item.completion, item.outcome, item.error_code) == ("answered", REPLY.text, "right", "")
    assert (item.readings.count(), item.scores.count(), item.lease_token) == (1, 1, None)
    assert not ItemAttempt.objects.filter(kind="late").exists()
    so_far = spent(run=run)
    assert (so_far.known, so_far.n_known, so_far.n_unknown) == (COST, 20, 0)
    assert results_version(run) > before
    assert run_finish(run_id=run.pk) == "finished"


def test_a_reply_to_an_earlier_try_is_kept_as_a_late_one(run: Run, context: RunContext, settings: Any) -> None:
    settings.EVALUATION_TRIES = 2
    earlier, last = lost(context), lost(context)
    assert first(run).status == "failed"
    assert store_answers(context=context, arrived=[Arrived(earlier, REPLY)]) == Stored(0, 1)
    assert (first(run).status, first(run).error_code) == ("failed", "worker_lost")
    assert store_answers(context=context, arrived=[Arrived(last, REPLY)]) == Stored(1, 0)
    assert spent(run=run).known == 2 * COST


def test_a_question_that_failed_for_another_reason_stays_failed(run: Run, context: RunContext) -> None:
    question = lost(context)
    Item.objects.filter(pk=question.item.pk).update(status="failed", error_code="too_long", outcome="error")
    assert store_answers(context=context, arrived=[Arrived(question, REPLY)]) == Stored(0, 1)
    assert (first(run).status, first(run).error_code) == ("failed", "too_long")


def test_a_question_that_waits_again_is_asked_again(run: Run, context: RunContext) -> None:
    question = lost(context)
    assert store_answers(context=context, arrived=[Arrived(question, REPLY)]) == Stored(0, 1)
    assert first(run).status == "waiting"


@pytest.mark.parametrize(("n_failed", "status"), [(1, "finished"), (2, "incomplete")])
def test_a_run_that_lacked_only_this_reply_is_finished(
    run: Run, context: RunContext, settings: Any, n_failed: int, status: str
) -> None:
    settings.EVALUATION_TRIES = 1
    question = lost(context)
    run.items.filter(position=1).update(**({"status": "failed", "outcome": "error"} if n_failed == 2 else {}))
    assert run_finish(run_id=run.pk) == "incomplete"
    assert store_answers(context=context, arrived=[Arrived(question, REPLY)]) == Stored(1, 0)
    run.refresh_from_db()
    assert run.status == status


def test_a_run_that_somebody_resumes_meanwhile_is_not_called_finished(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.items.update(status="answered", outcome="right")
    Run.objects.filter(pk=run.pk).update(status="incomplete")

    def resumed_meanwhile(run: Run) -> bool:
        Run.objects.filter(pk=run.pk).update(status="queued")
        return False

    monkeypatch.setattr(runs, "_lacks_answers", resumed_meanwhile)
    assert not finish_incomplete(run_id=run.pk)
    run.refresh_from_db()
    assert run.status == "queued"


def asked_about(run: Run) -> ApartClaim:
    """Claim the question of how sure the system is, of one answer, and give its worker up."""
    (claim,) = claim_apart(
        apart=CONFIDENCE, items=run.items.filter(position=1), limit=1, only_first=False, prices=prices_of(run.frozen)
    )
    ItemConfidence.objects.update(asked_at=database_now() - timedelta(hours=1))
    assert not claim_apart(
        apart=CONFIDENCE, items=run.items.filter(position=1), limit=1, only_first=False, prices=prices_of(run.frozen)
    )
    return claim


def test_a_reply_to_the_last_try_of_what_is_asked_apart_is_kept_and_paid_once(run: Run, settings: Any) -> None:
    settings.EVALUATION_TRIES = 1
    claim = asked_about(run)
    row = ItemConfidence.objects.get()
    assert row.error_code == "worker_lost"
    before = spent(run=run)
    for _ in range(2):
        assert store_reply(
            apart=CONFIDENCE, claim=claim, reply=REPLY, prices=prices_of(run.frozen), fields={"level": 4}
        )
    row.refresh_from_db()
    assert (row.completion, row.level, row.error_code, row.cost) == (REPLY.text, 4, "", COST)
    assert (spent(run=run).known - before.known, spent(run=run).n_unknown) == (COST, 0)
    assert ItemAttempt.objects.count() == 1


def test_of_what_is_asked_apart_a_reply_to_an_earlier_try_is_kept_as_a_late_one(run: Run, settings: Any) -> None:
    settings.EVALUATION_TRIES = 2
    claims = claim_apart(
        apart=CONFIDENCE, items=run.items.filter(position=1), limit=1, only_first=False, prices=prices_of(run.frozen)
    )
    ItemConfidence.objects.update(asked_at=database_now() - timedelta(hours=1))
    claims += claim_apart(
        apart=CONFIDENCE, items=run.items.filter(position=1), limit=1, only_first=False, prices=prices_of(run.frozen)
    )
    ItemConfidence.objects.update(asked_at=database_now() - timedelta(hours=1))
    claim_apart(
        apart=CONFIDENCE, items=run.items.filter(position=1), limit=1, only_first=False, prices=prices_of(run.frozen)
    )
    assert ItemConfidence.objects.get().error_code == "worker_lost"
    stored = [
        store_reply(apart=CONFIDENCE, claim=claim, reply=REPLY, prices=prices_of(run.frozen), fields={})
        for claim in claims
    ]
    assert stored == [False, True]
