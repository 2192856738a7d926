"""Claims: one holder at a time, fresh tokens, and what happens when a holder is lost."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, connections
from django.utils import timezone

from corpus.models import Benchmark, QuestionSetRevision
from corpus.selectors.changes import changes_since
from evaluations.models import Item, ItemAttempt, Run, System
from evaluations.providers import FinishReason, Reply, RetryLaterError
from evaluations.selectors.costs import spent
from evaluations.services.answers import Arrived, Stored, store_answers
from evaluations.services.claims import (
    Claim,
    claim_items,
    free_expired_claims,
    release_claims,
    remaining,
    renew_claims,
)
from evaluations.services.failures import record_failure
from evaluations.services.questions import Question, RunContext, make_ready, run_context
from evaluations.services.runs import run_create, run_start, run_stop
from evaluations.services.stalled_runs import rescue_runs
from tests.evaluations.conftest import make_bank

MakeSystem = Callable[..., System]


@pytest.fixture
def run(twenty: QuestionSetRevision, make_system: MakeSystem) -> Run:
    run = run_create(system=make_system(), set_revision=twenty)
    run_start(run_id=run.pk)
    run.refresh_from_db()
    return run


def ready(context: RunContext, claims: list[Claim]) -> list[Question]:
    made = make_ready(context=context, tokens={claim.item_id: claim.token for claim in claims})
    return [question for question in made if isinstance(question, Question)]


def replied(question: Question, text: str = "[ANSWER]A[/ANSWER]") -> Arrived:
    return Arrived(question, Reply(text, FinishReason.STOP, tokens_in=3, tokens_out=2, latency_ms=5))


def expire(claims: list[Claim]) -> None:
    ids = [claim.item_id for claim in claims]
    Item.objects.filter(pk__in=ids).update(lease_until=timezone.now() - timedelta(seconds=1))


def test_a_claim_takes_waiting_items_in_order_and_counts_the_attempt(run: Run) -> None:
    claims = claim_items(run_id=run.pk, limit=3)
    items = list(run.items.filter(status="leased").order_by("position"))
    assert sorted(claim.item_id for claim in claims) == [item.pk for item in items]
    assert [item.position for item in items] == [0, 1, 2]
    assert {item.lease_token for item in items} == {claim.token for claim in claims}
    assert {item.attempts for item in items} == {1}
    assert min(item.lease_until for item in items if item.lease_until) > timezone.now()


def test_nobody_claims_what_another_holds(run: Run) -> None:
    first = claim_items(run_id=run.pk, limit=15)
    second = claim_items(run_id=run.pk, limit=15)
    assert len(first) == 15
    assert len(second) == 5
    assert not {claim.item_id for claim in first} & {claim.item_id for claim in second}
    assert claim_items(run_id=run.pk, limit=15) == []
    assert claim_items(run_id=run.pk, limit=0) == []


@pytest.mark.parametrize("status", ["queued", "paused", "stopped", "finished"])
def test_nothing_is_claimed_of_a_run_that_is_not_running(run: Run, status: str) -> None:
    Run.objects.filter(pk=run.pk).update(status=status)
    assert claim_items(run_id=run.pk, limit=5) == []


def test_the_first_question_goes_alone(run: Run) -> None:
    (first,) = claim_items(run_id=run.pk, limit=5, only_first=True)
    assert Item.objects.get(pk=first.item_id).position == 0
    assert claim_items(run_id=run.pk, limit=5, only_first=True) == []
    release_claims([first])
    Item.objects.filter(pk=first.item_id).update(not_before=timezone.now() + timedelta(minutes=1))
    assert claim_items(run_id=run.pk, limit=5, only_first=True) == [], "it waits, and nobody goes before it"
    Item.objects.filter(pk=first.item_id).update(status="failed")
    (second,) = claim_items(run_id=run.pk, limit=5, only_first=True)
    assert Item.objects.get(pk=second.item_id).position == 1


def test_an_item_that_has_to_wait_is_not_claimed_before_its_time(run: Run) -> None:
    run.items.filter(position__gt=0).update(status="answered")
    run.items.update(not_before=timezone.now() + timedelta(seconds=30))
    assert claim_items(run_id=run.pk, limit=5) == []
    left = remaining(run_id=run.pk)
    assert (left.n_waiting, left.n_leased) == (1, 0)
    assert left.seconds_until_due is not None
    assert 25 < left.seconds_until_due <= 30
    run.items.update(not_before=timezone.now() - timedelta(seconds=1))
    assert len(claim_items(run_id=run.pk, limit=5)) == 1


def test_an_expired_claim_is_freed_once_with_a_recorded_attempt(run: Run) -> None:
    claims = claim_items(run_id=run.pk, limit=2)
    assert free_expired_claims(run_id=run.pk) == 0
    expire(claims)
    assert free_expired_claims(run_id=run.pk) == 2
    assert free_expired_claims(run_id=run.pk) == 0
    assert list(ItemAttempt.objects.values_list("error_code", "lease_token")) == [("worker_lost", claims[0].token)] * 2
    again = claim_items(run_id=run.pk, limit=2)
    assert {claim.item_id for claim in again} == {claim.item_id for claim in claims}
    assert again[0].token != claims[0].token
    assert set(Item.objects.filter(pk__in=[c.item_id for c in again]).values_list("attempts", flat=True)) == {2}


@pytest.mark.parametrize(("price", "cost"), [(Decimal(0), Decimal(0)), (Decimal(2), None), (None, None)])
def test_a_call_of_a_lost_worker_costs_something_unknown_unless_all_is_free(
    twenty: QuestionSetRevision, make_system: MakeSystem, price: Decimal | None, cost: Decimal | None
) -> None:
    priced = run_create(system=make_system(input_price=price, output_price=price), set_revision=twenty, wake=False)
    run_start(run_id=priced.pk)
    expire(claim_items(run_id=priced.pk, limit=1))
    free_expired_claims(run_id=priced.pk)
    assert ItemAttempt.objects.get().cost == cost


def test_a_question_that_ends_its_workers_is_given_up(run: Run, settings: Any) -> None:
    settings.EVALUATION_TRIES = 3
    run.items.filter(position__gt=0).update(status="answered")
    for _ in range(3):
        expire(claim_items(run_id=run.pk, limit=1))
        free_expired_claims(run_id=run.pk)
    item = run.items.get(position=0)
    assert (item.status, item.outcome, item.error_code, item.attempts) == ("failed", "error", "worker_lost", 3)


def test_readers_are_told_of_a_question_that_is_given_up_after_its_run_ended(run: Run, settings: Any) -> None:
    settings.EVALUATION_TRIES = 1
    benchmark_id = run.set_revision.question_set.benchmark_id
    expire(claim_items(run_id=run.pk, limit=1))
    run_stop(run_id=run.pk)
    before = Benchmark.objects.get(pk=benchmark_id).results_version
    assert rescue_runs().n_freed == 1
    assert run.items.filter(outcome="error").count() == 1
    changed = changes_since(benchmark_id=benchmark_id, since=before, until=before + 1)
    assert (changed.is_all, changed.system_ids) == (False, {run.system_id})


def test_readers_are_not_told_of_a_question_that_waits_again(run: Run) -> None:
    benchmark = Benchmark.objects.get(pk=run.set_revision.question_set.benchmark_id)
    expire(claim_items(run_id=run.pk, limit=1))
    assert free_expired_claims(run_id=run.pk) == 1
    assert Benchmark.objects.get(pk=benchmark.pk).results_version == benchmark.results_version


def test_renewing_and_releasing_need_the_token(run: Run) -> None:
    claims = claim_items(run_id=run.pk, limit=2)
    stranger = [Claim(claim.item_id, uuid4()) for claim in claims]
    expire(claims)
    assert renew_claims(stranger) == 0
    assert release_claims(stranger) == 0
    assert renew_claims(claims) == 2
    assert free_expired_claims(run_id=run.pk) == 0
    assert release_claims(claims) == 2
    assert run.items.filter(status="waiting", lease_token=None).count() == 20


@pytest.mark.parametrize("tries", [1, 6])
def test_a_claim_that_is_renewed_while_it_is_being_freed_stays(run: Run, settings: Any, tries: int) -> None:
    settings.EVALUATION_TRIES = tries
    claims = claim_items(run_id=run.pk, limit=1)
    expire(claims)
    renewed: list[int] = []

    def renew_before_the_first_write(execute: Callable[..., Any], sql: str, *args: Any) -> Any:
        if sql.startswith("UPDATE") and not renewed:
            renewed.append(0)
            renewed[0] = renew_claims(claims)
        return execute(sql, *args)

    with connection.execute_wrapper(renew_before_the_first_write):
        assert free_expired_claims(run_id=run.pk) == 0
    assert renewed == [1]
    assert Item.objects.get(pk=claims[0].item_id).lease_token == claims[0].token
    assert not ItemAttempt.objects.exists()


def test_what_was_never_sent_was_not_tried(run: Run) -> None:
    claims = claim_items(run_id=run.pk, limit=1)
    assert release_claims(claims) == 1
    assert Item.objects.get(pk=claims[0].item_id).attempts == 0


def test_answers_of_a_batch_are_stored_each_as_it_is(run: Run) -> None:
    """Some fields alike in every row of the batch, some not, one row under a claim that is gone."""
    context = run_context(run_id=run.pk)
    questions = ready(context, claim_items(run_id=run.pk, limit=3))
    expire([Claim(questions[2].item.pk, questions[2].token)])
    free_expired_claims(run_id=run.pk)
    texts = ["[ANSWER]A[/ANSWER] 100 %s \u00e9 'quoted'", "[ANSWER]B[/ANSWER]", "late"]
    replies = [
        Arrived(question, Reply(text=text, finish_reason=FinishReason.STOP, tokens_in=number or None))
        for number, (question, text) in enumerate(zip(questions, texts, strict=True))
    ]
    stored = store_answers(context=context, arrived=replies)
    assert (stored.n_stored, stored.n_late) == (2, 1)
    rows = list(run.items.filter(status="answered").order_by("position"))
    assert [(row.completion, row.tokens_in, row.finish_reason) for row in rows] == [
        (texts[0], None, "stop"),
        (texts[1], 1, "stop"),
    ]
    assert [row.prompt for row in rows] == [question.prepared.prompt for question in questions[:2]]
    assert all(row.options_shown and row.lease_token is None for row in rows)
    assert ItemAttempt.objects.filter(kind="late").get().completion == "late"


def test_a_late_reply_is_kept_beside_the_answer_and_never_replaces_it(run: Run) -> None:
    context = run_context(run_id=run.pk)
    old = claim_items(run_id=run.pk, limit=1)
    (slow,) = ready(context, old)
    expire(old)
    free_expired_claims(run_id=run.pk)
    (quick,) = ready(context, claim_items(run_id=run.pk, limit=1))
    assert slow.item.pk == quick.item.pk
    assert store_answers(context=context, arrived=[replied(quick, "[ANSWER]A[/ANSWER]")]) == Stored(1, 0)
    assert store_answers(context=context, arrived=[replied(slow, "[ANSWER]B[/ANSWER]")]) == Stored(0, 1)
    item = Item.objects.get(pk=quick.item.pk)
    assert (item.completion, item.outcome, item.attempts) == ("[ANSWER]A[/ANSWER]", "right", 2)
    assert item.readings.count() == item.scores.count() == 1
    late = item.other_attempts.get(kind="late")
    assert (late.completion, late.lease_token) == ("[ANSWER]B[/ANSWER]", slow.token)


def test_a_call_whose_reply_came_late_is_in_the_costs_once(
    twenty: QuestionSetRevision, make_system: MakeSystem
) -> None:
    """Its worker was given up for lost, so that its cost was unknown; now it is known."""
    run = run_create(system=make_system(input_price=Decimal(2), output_price=Decimal(8)), set_revision=twenty)
    run_start(run_id=run.pk)
    context = run_context(run_id=run.pk)
    late, lost = claim_items(run_id=run.pk, limit=2)
    (question, _) = ready(context, [late, lost])
    expire([late, lost])
    free_expired_claims(run_id=run.pk)
    assert (spent(run=run).n_known, spent(run=run).n_unknown) == (0, 2)
    assert store_answers(context=context, arrived=[replied(question)]) == Stored(0, 1)
    # 3 tokens in, 2 out.
    assert (spent(run=run).known, spent(run=run).n_known, spent(run=run).n_unknown) == (Decimal("0.000022"), 1, 1)


def test_a_late_reply_while_the_successor_is_still_asking_leaves_its_claim_alone(run: Run) -> None:
    context = run_context(run_id=run.pk)
    old = claim_items(run_id=run.pk, limit=1)
    (slow,) = ready(context, old)
    expire(old)
    free_expired_claims(run_id=run.pk)
    (new,) = claim_items(run_id=run.pk, limit=1)
    assert store_answers(context=context, arrived=[replied(slow)]) == Stored(0, 1)
    assert not record_failure(
        context=context, question=slow, error=RetryLaterError("timeout", "slow"), has_answers=True
    )
    item = Item.objects.get(pk=new.item_id)
    assert (item.status, item.lease_token, item.outcome) == ("leased", new.token, "")


def test_the_same_reply_delivered_twice_is_one_answer(run: Run) -> None:
    context = run_context(run_id=run.pk)
    (question,) = ready(context, claim_items(run_id=run.pk, limit=1))
    assert store_answers(context=context, arrived=[replied(question)]) == Stored(1, 0)
    assert store_answers(context=context, arrived=[replied(question)]) == Stored(1, 0)
    item = Item.objects.get(pk=question.item.pk)
    assert item.readings.count() == item.scores.count() == 1


@pytest.mark.django_db(transaction=True)
def test_many_connections_claim_every_item_exactly_once(make_system: MakeSystem) -> None:
    run = run_create(system=make_system(), set_revision=make_bank(60))
    run_start(run_id=run.pk)
    start = threading.Barrier(4)

    def work() -> list[Claim]:
        taken: list[Claim] = []
        try:
            start.wait(10)
            while claims := claim_items(run_id=run.pk, limit=4):
                taken.extend(claims)
        finally:
            connections["default"].close()
        return taken

    with ThreadPoolExecutor(4) as pool:
        taken = [claim for future in [pool.submit(work) for _ in range(4)] for claim in future.result(timeout=60)]
    assert sorted(claim.item_id for claim in taken) == sorted(run.items.values_list("pk", flat=True))
    assert set(run.items.values_list("attempts", flat=True)) == {1}


@pytest.mark.django_db(transaction=True)
def test_without_the_condition_two_connections_would_take_the_same_item(make_system: MakeSystem) -> None:
    """The race that the conditional UPDATE closes: read first, write later, and both believe they hold it."""
    run = run_create(system=make_system(), set_revision=make_bank(1))
    run_start(run_id=run.pk)
    seen = [list(Item.objects.filter(run=run, status="waiting").values_list("pk", flat=True)) for _ in range(2)]
    naive = [Item.objects.filter(pk__in=ids).update(status="waiting", lease_token=uuid4()) for ids in seen]
    assert naive == [1, 1]
    held = [claim_items(run_id=run.pk, limit=1) for _ in range(2)]
    assert [len(claims) for claims in held] == [1, 0]
