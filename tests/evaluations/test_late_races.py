"""A worker and a person at the same run at the same time, each over a connection of its own: neither is refused."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection, connections, transaction

from corpus.services.results import results_changed
from evaluations.database_clock import database_now
from evaluations.errors import RunStateError
from evaluations.models import Item, ItemConfidence, Run, System
from evaluations.providers import FinishReason, NeverRetryError, Reply, Scope
from evaluations.services import answers, failures
from evaluations.services.answers import Arrived, Stored, store_answers
from evaluations.services.apart_rows import CONFIDENCE, ApartClaim, claim_apart, store_reply
from evaluations.services.claims import claim_items, free_expired_claims
from evaluations.services.costs import prices_of
from evaluations.services.failures import record_failure
from evaluations.services.questions import Question, RunContext, make_ready, run_context
from evaluations.services.runs import run_create, run_finish, run_pause, run_resume, run_start
from tests.evaluations.conftest import make_bank

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite lets one write at a time"),
]
REPLY = Reply("[ANSWER]A[/ANSWER]", FinishReason.STOP, tokens_in=3, tokens_out=2, latency_ms=5)
BAD_KEY = NeverRetryError("bad_key", "The key is not accepted.", Scope.RUN)


class Elsewhere:
    """Calls functions over connections of their own, and waits a moment for them to end or to be held up."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool
        self._called: list[Future[Any]] = []

    def call(self, function: Callable[..., Any], **arguments: Any) -> None:
        ended = threading.Event()

        def call() -> Any:
            try:
                return function(**arguments)
            finally:
                connections["default"].close()
                ended.set()

        self._called.append(self._pool.submit(call))
        ended.wait(1)

    def errors(self) -> list[BaseException | None]:
        return [each.exception(timeout=30) for each in self._called]


@pytest.fixture
def elsewhere() -> Iterator[Elsewhere]:
    with ThreadPoolExecutor(1) as pool:
        yield Elsewhere(pool)


@pytest.fixture
def run(make_system: Callable[..., System], settings: Any) -> Run:
    settings.EVALUATION_TRIES = 1
    system = make_system(input_price=Decimal(2), output_price=Decimal(8))
    run = run_create(system=system, set_revision=make_bank(2), asks_confidence=True)
    run_start(run_id=run.pk)
    run.items.filter(position=1).update(status="answered", outcome="right", cost=0, completion="A")
    return run


@pytest.fixture
def context(run: Run) -> RunContext:
    return run_context(run_id=run.pk)


def claimed(context: RunContext) -> Question:
    tokens = {claim.item_id: claim.token for claim in claim_items(run_id=context.run_id, limit=1)}
    (question,) = make_ready(context=context, tokens=tokens)
    assert isinstance(question, Question)
    return question


def test_a_late_reply_that_finishes_a_run_and_its_resuming_do_not_wait_for_each_other(
    run: Run, context: RunContext, elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    Run.objects.filter(pk=run.pk).update(asks_confidence=False)
    question = claimed(context)
    Item.objects.filter(pk=question.item.pk).update(lease_until=database_now() - timedelta(seconds=1))
    assert free_expired_claims(run_id=run.pk) == 1
    assert run_finish(run_id=run.pk) == "incomplete"

    def resumed_meanwhile(**arguments: Any) -> None:
        elsewhere.call(run_resume, run_id=run.pk)
        results_changed(**arguments)

    monkeypatch.setattr(answers, "results_changed", resumed_meanwhile)
    assert store_answers(context=context, arrived=[Arrived(question, REPLY)]) == Stored(1, 0)
    (error,) = elsewhere.errors()
    assert isinstance(error, RunStateError), error
    run.refresh_from_db()
    assert (run.status, {*run.items.values_list("status", flat=True)}) == ("finished", {"answered"})


def lapsed(run: Run) -> ApartClaim | None:
    claims = claim_apart(
        apart=CONFIDENCE,
        items=run.items.filter(position=1),
        limit=1,
        only_first=False,
        prices=prices_of(run.frozen),
        fields={"prompt": "How sure?"},
    )
    ItemConfidence.objects.filter(error_code="asking").update(asked_at=database_now() - timedelta(hours=1))
    return claims[0] if claims else None


def test_a_late_reply_asked_apart_and_a_resuming_do_not_wait_for_each_other(run: Run, elsewhere: Elsewhere) -> None:
    claim = lapsed(run)
    assert claim is not None
    assert lapsed(run) is None, "its worker is given up for lost"
    run_pause(run_id=run.pk)
    with transaction.atomic():
        assert store_reply(apart=CONFIDENCE, claim=claim, reply=REPLY, prices=prices_of(run.frozen), fields={})
        elsewhere.call(run_resume, run_id=run.pk)
        results_changed(benchmark_id=run.set_revision.question_set.benchmark_id)
    assert elsewhere.errors() == [None]
    run.refresh_from_db()
    assert (run.status, ItemConfidence.objects.get().error_code) == ("queued", "")


def test_a_failure_that_pauses_a_run_and_a_person_who_does_so_do_not_wait_for_each_other(
    run: Run, context: RunContext, elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    pause = failures.pause_unless_decided

    def paused_meanwhile(**arguments: Any) -> bool:
        elsewhere.call(run_pause, run_id=run.pk)
        return pause(**arguments)

    monkeypatch.setattr(failures, "pause_unless_decided", paused_meanwhile)
    assert record_failure(context=context, question=claimed(context), error=BAD_KEY, has_answers=True)
    assert elsewhere.errors() == [None]
    run.refresh_from_db()
    assert (run.status, run.error_code) == ("paused", "")
