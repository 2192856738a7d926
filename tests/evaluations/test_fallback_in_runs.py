"""A run that asked for a fallback reader ends when that has read: each reply once, within its limits, and paid for."""

import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import connections

from evaluations.database_clock import database_now
from evaluations.models import Item, ItemAttempt, ItemFallback, Run, System
from evaluations.selectors.costs import spent
from evaluations.selectors.fallback import unread_items
from evaluations.services import asking_apart, stalled_runs
from evaluations.services.apart_rows import FALLBACK, claim_apart
from evaluations.services.asking import ask_until_done
from evaluations.services.budgets import run_budget_raise
from evaluations.services.costs import Prices
from evaluations.services.rate_limits import EndpointLimits, Taken
from evaluations.services.runs import run_create, run_pause, run_resume
from evaluations.services.turns import run_whose_turn_it_is
from tests.evaluations.conftest import make_bank
from tests.fake_servers.server import FakeServer, Fault, Said, error_fault

pytestmark = pytest.mark.django_db(transaction=True)
MakeSystem = Callable[..., System]
UNREAD = "Both look fine at first, and yet it has to be the one with the ring, as opposed to phenol, hm"
PRICED = {"input_price": Decimal(2), "output_price": Decimal(8)}
N_REPLIES = 6


@pytest.fixture
def answered(make_system: MakeSystem) -> Callable[..., Run]:
    """Return a function that makes a run whose every reply waits for its fallback reader."""

    def make(reader: FakeServer, budget: str | None = None, prices: dict[str, Any] | None = None, **fields: Any) -> Run:
        run = run_create(
            system=make_system(**(prices or {})),
            set_revision=make_bank(N_REPLIES),
            fallback=make_system(reader.base_url, **fields),
            budget=None if budget is None else Decimal(budget),
            wake=False,
        )
        run.items.update(
            status="answered",
            outcome="unparsed",
            rule="standard@1",
            completion=UNREAD,
            prompt="?",
            cost=Decimal("0.001") if prices else None,
            answered_at=database_now(),
        )
        Run.objects.filter(pk=run.pk).update(status="running")
        return run

    return make


def reading() -> FakeServer:
    return FakeServer(answer=lambda prompt: Said("NO-ANSWER"), latency_seconds=0.05)


def status_of(run: Run) -> str:
    run.refresh_from_db()
    return run.status


def test_three_workers_put_each_reply_to_it_once(answered: Callable[..., Run]) -> None:
    with reading() as reader:
        run = answered(reader, concurrency=2)

        def work() -> None:
            try:
                ask_until_done(run_id=run.pk)
            finally:
                connections.close_all()

        workers = [threading.Thread(target=work) for _ in range(3)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert (len(reader.calls), status_of(run)) == (N_REPLIES, "finished")
    assert set(ItemFallback.objects.values_list("completion", "error_code")) == {("NO-ANSWER", "")}


def test_a_worker_told_to_end_leaves_the_rest_to_the_next(
    answered: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking_apart, "BEAT_SECONDS", 0.02)
    with reading() as reader:
        run = answered(reader, concurrency=1)
        ask_until_done(run_id=run.pk, stop_requested=lambda: len(reader.calls) >= 2)
        assert len(reader.calls) < N_REPLIES
        assert (status_of(run), run.error_code) == ("running", "fallback_waits")
        assert "still wait for the fallback reader" in run.error_message
        ask_until_done(run_id=run.pk)
        assert (len(reader.calls), status_of(run), run.error_code) == (N_REPLIES, "finished", "")


def test_a_pause_keeps_the_rest_for_later(answered: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking_apart, "BEAT_SECONDS", 0.02)
    with reading() as reader:
        run = answered(reader, concurrency=1)

        def answer(prompt: str) -> Said:
            Run.objects.filter(pk=run.pk).update(status="paused")
            connections.close_all()
            return Said("NO-ANSWER")

        reader.answer = answer
        ask_until_done(run_id=run.pk)
        assert 0 < len(reader.calls) < N_REPLIES
        assert status_of(run) == "paused"
        reader.answer = lambda prompt: Said("NO-ANSWER")
        assert run_resume(run_id=run.pk).status == "queued"
        ask_until_done(run_id=run.pk)
        assert (len(reader.calls), status_of(run)) == (N_REPLIES, "finished")


def test_what_a_lost_worker_was_asking_is_asked_once_more_when_its_claim_ends(
    answered: Callable[..., Run], settings: Any
) -> None:
    with reading() as reader:
        run = answered(reader, prices=PRICED, **PRICED)
        lost = claim_apart(apart=FALLBACK, items=unread_items(run), limit=2, only_first=False, prices=Prices())
        ask_until_done(run_id=run.pk)
        # Theirs are left to them, and the run stays open for them.
        assert (len(reader.calls), status_of(run)) == (0, "running")
        long_ago = database_now() - timedelta(seconds=settings.EVALUATION_LEASE_SECONDS + 1)
        ItemFallback.objects.filter(item__in=[claim.item_id for claim in lost]).update(asked_at=long_ago)
        ask_until_done(run_id=run.pk)
        assert (len(reader.calls), status_of(run)) == (N_REPLIES, "finished")
    attempts = set(ItemAttempt.objects.values_list("kind", "error_code", "lease_token", "cost"))
    assert attempts == {("fallback", "worker_lost", lost[0].token, None)}
    assert spent(run=run).n_unknown == 2


def test_a_reader_that_asks_for_an_hour_is_waited_for_and_the_run_says_so(
    answered: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    woken: list[UUID] = []
    monkeypatch.setattr(stalled_runs, "wake_run", lambda *, run_id, jobs: woken.append(run_id) or True)
    monkeypatch.setattr(stalled_runs, "jobs_waiting", lambda: 0)
    late, held = database_now() - timedelta(hours=1), []

    async def hold(self: EndpointLimits, seconds: float) -> None:
        held.append(seconds)

    monkeypatch.setattr(EndpointLimits, "hold", hold)

    def fault(prompt: str, nth: int) -> Fault | None:
        return error_fault(429, "slow down", {"retry-after": "3000"}) if len(reader.calls) == 1 else None

    with FakeServer(answer=lambda prompt: Said("NO-ANSWER"), fault=fault) as reader:
        run = answered(reader)
        ask_until_done(run_id=run.pk)
        assert (len(reader.calls), status_of(run), run.error_code) == (1, "running", "fallback_waits")
        assert held == [3000]
        Run.objects.filter(pk=run.pk).update(heartbeat_at=late)
        assert stalled_runs.wake_stalled_runs() == stalled_runs.join_active_runs() == 0
        ItemFallback.objects.update(not_before=late)
        assert stalled_runs.wake_stalled_runs() == stalled_runs.join_active_runs() == 1
        assert woken == [run.pk, run.pk]
        ask_until_done(run_id=run.pk)
        assert (len(reader.calls), status_of(run), run.error_code) == (N_REPLIES + 1, "finished", "")


def test_a_run_with_replies_left_to_read_gets_its_turn(answered: Callable[..., Run], make_system: MakeSystem) -> None:
    with reading() as reader:
        run = answered(reader)
    other = run_create(system=make_system(), set_revision=make_bank(2), wake=False)
    assert run_whose_turn_it_is(run_id=other.pk) in {run.pk, other.pk}
    Run.objects.filter(pk=other.pk).update(status="running", heartbeat_at=database_now())
    assert run_whose_turn_it_is(run_id=other.pk) == run.pk


def test_it_is_asked_within_the_limits_of_its_own_system(
    answered: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []

    async def take(self: EndpointLimits, tokens: Sequence[int]) -> Taken:
        counted.extend(tokens[:1])
        return Taken(tuple(tokens[:1]), 0.0, 7)

    async def correct(self: EndpointLimits, *, bucket: int, n_tokens: int) -> None:
        counted.append(n_tokens)

    monkeypatch.setattr(EndpointLimits, "take", take)
    monkeypatch.setattr(EndpointLimits, "correct", correct)
    with reading() as reader:
        ask_until_done(run_id=answered(reader, concurrency=2, tokens_per_minute=100_000).pk)
    # Each reply took 11 tokens in and 7 out.
    assert sum(counted) == N_REPLIES * 18
    assert reader.most_in_flight <= 2


@pytest.mark.parametrize(
    ("prices", "n_known", "n_unknown"),
    [
        (PRICED, 2 * N_REPLIES, 0),
        ({}, N_REPLIES, N_REPLIES),
        ({**PRICED, "price_currency": "EUR"}, N_REPLIES, N_REPLIES),
    ],
)
def test_its_calls_are_in_what_the_run_cost(
    answered: Callable[..., Run], prices: dict[str, Any], n_known: int, n_unknown: int
) -> None:
    with reading() as reader:
        run = answered(reader, prices=PRICED, **prices)
        ask_until_done(run_id=run.pk)
    so_far = spent(run=run)
    assert (so_far.n_known, so_far.n_unknown) == (n_known, n_unknown)
    # 11 tokens in and 7 out at 2 and 8 a million.
    assert so_far.known == N_REPLIES * Decimal("0.001") + (n_known - N_REPLIES) * Decimal("0.000078")


@pytest.mark.parametrize(("fault", "n_unknown"), [(Fault(hangs_seconds=0.6), 1), (error_fault(503, "busy"), 0)])
def test_a_try_that_may_have_been_paid_is_unknown(
    answered: Callable[..., Run], settings: Any, fault: Fault, n_unknown: int
) -> None:
    settings.EVALUATION_CALL_SECONDS = 0.3
    with FakeServer(
        answer=lambda prompt: Said("NO-ANSWER"), fault=lambda prompt, nth: fault if len(reader.calls) == 1 else None
    ) as reader:
        run = answered(reader, prices=PRICED, **PRICED)
        ask_until_done(run_id=run.pk)
    assert (spent(run=run).n_known, spent(run=run).n_unknown) == (2 * N_REPLIES, n_unknown)


def test_a_used_up_budget_pauses_the_run_until_it_is_raised(answered: Callable[..., Run]) -> None:
    with reading() as reader:
        run = answered(reader, budget="0.005", prices=PRICED, **PRICED)
        ask_until_done(run_id=run.pk)
        assert (len(reader.calls), status_of(run), run.error_code) == (0, "paused", "budget")
        run_budget_raise(run_id=run.pk, budget=Decimal(1))
        ask_until_done(run_id=run.pk)
        assert (len(reader.calls), status_of(run)) == (N_REPLIES, "finished")


def test_a_run_paused_with_all_replies_read_is_finished_at_once(answered: Callable[..., Run]) -> None:
    with reading() as reader:
        run = answered(reader)
        Item.objects.filter(run=run).update(outcome="right")
        run_pause(run_id=run.pk)
        assert run_resume(run_id=run.pk).status == "finished"
    assert not reader.calls
