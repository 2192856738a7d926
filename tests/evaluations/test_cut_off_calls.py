"""Calls that are on their way when a worker has to end: paid perhaps, never forgotten, and no try of the question."""

import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from evaluations.models import Item, ItemAttempt, Run, System
from evaluations.prompts import prompt_style
from evaluations.selectors.costs import spent
from evaluations.selectors.runs import last_errors
from evaluations.services import asking_loop, failures
from evaluations.services.asking import ask_until_done
from evaluations.services.claims import claim_items
from evaluations.services.failures import CutOffCall, record_cut_off
from evaluations.services.questions import Question, make_ready, run_context
from evaluations.services.rate_limits import EndpointLimits, Taken
from evaluations.services.runs import run_create, run_start
from tests.evaluations.asked_servers import number_of
from tests.evaluations.conftest import make_bank
from tests.fake_servers.server import FakeServer, Fault, Said

pytestmark = pytest.mark.django_db(transaction=True)

PRICED = {"input_price": Decimal(2), "output_price": Decimal(8)}
# What the fake server charges for one call: 11 tokens in, 7 out.
ONE = (2 * Decimal(11) + 8 * Decimal(7)) / 1_000_000
FOLLOW_UP = prompt_style("self-critique@1").follow_up
MakeSystem = Callable[..., System]


@pytest.fixture(autouse=True)
def _short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking_loop, "GRACE_SECONDS", 0.05)
    monkeypatch.setattr(asking_loop, "BEAT_SECONDS", 0.02)


class Hanging:
    """Calls that `hangs` names hang, until it is let go."""

    def __init__(self, hangs: Callable[[str], bool]) -> None:
        self._hangs = hangs
        self.is_on = True

    def __call__(self, prompt: str, nth: int) -> Fault | None:
        return Fault(hangs_seconds=30) if self.is_on and self._hangs(prompt) else None


@pytest.fixture
def hanging() -> Hanging:
    """All but the first question hangs."""
    return Hanging(lambda prompt: "Question 1:" not in prompt)


def cut_off_run(server: FakeServer, system: System, *, n_calls: int, size: int = 6, **fields: Any) -> Run:
    """Return a run whose worker was told to end once so many calls had arrived."""
    run = run_create(system=system, set_revision=make_bank(size), wake=False, **fields)
    tally = ask_until_done(run_id=run.pk, stop_requested=lambda: len(server.calls) >= n_calls)
    assert tally.was_stopped
    return run


def test_every_call_that_was_sent_is_in_the_costs(make_system: MakeSystem, hanging: Hanging) -> None:
    with FakeServer(fault=hanging) as server:
        run = cut_off_run(server, make_system(server.base_url, concurrency=3, **PRICED), n_calls=4)
        assert (spent(run=run).n_known, spent(run=run).n_unknown) == (1, 3)
        hanging.is_on = False
        ask_until_done(run_id=run.pk)
    assert len(server.calls) == 9
    assert (spent(run=run).known, spent(run=run).n_known, spent(run=run).n_unknown) == (6 * ONE, 6, 3)
    assert {(each.kind, each.error_code) for each in ItemAttempt.objects.all()} == {("cut_off", "cut_off")}
    assert sorted(run.items.values_list("attempts", flat=True)) == [1, 1, 1, 2, 2, 2]


def test_what_is_free_of_charge_stays_so(make_system: MakeSystem, hanging: Hanging) -> None:
    with FakeServer(fault=hanging) as server:
        system = make_system(server.base_url, concurrency=2, input_price=Decimal(0), output_price=Decimal(0))
        run = cut_off_run(server, system, n_calls=3)
    assert spent(run=run).n_unknown == 0
    assert [each.cost for each in ItemAttempt.objects.all()] == [0, 0]


def test_a_question_is_not_given_up_because_its_workers_had_to_end(
    make_system: MakeSystem, hanging: Hanging, settings: Any
) -> None:
    settings.EVALUATION_TRIES = 2
    with FakeServer(fault=hanging) as server:
        run = cut_off_run(server, make_system(server.base_url, concurrency=1), n_calls=2, size=2)
        for n_calls in (3, 4):
            ask_until_done(run_id=run.pk, stop_requested=lambda n=n_calls: len(server.calls) >= n)  # type: ignore[misc]
        item = run.items.get(position=1)
        assert (item.status, item.attempts, item.other_attempts.count()) == ("waiting", 3, 3)
        assert failures.tries_of(item) == 0
        assert last_errors(run=run) == (), "nothing went wrong"
        hanging.is_on = False
        ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert run.status == "finished"


def test_a_first_turn_is_kept_when_the_second_is_cut_off(make_system: MakeSystem) -> None:
    hanging = Hanging(lambda prompt: prompt == FOLLOW_UP)
    with FakeServer(fault=hanging) as server:
        system = make_system(server.base_url, concurrency=1, **PRICED)
        run = cut_off_run(server, system, n_calls=2, size=2, prompt_style="self-critique@1")
        attempt = ItemAttempt.objects.get()
        assert (attempt.completion, attempt.tokens_in, attempt.tokens_out) == ("[ANSWER]A[/ANSWER]", 11, 7)
        assert (attempt.cost, spent(run=run).n_unknown) == (None, 1)
        hanging.is_on = False
        ask_until_done(run_id=run.pk)
    assert (spent(run=run).n_known, spent(run=run).n_unknown) == (2, 1)


def test_a_first_turn_whose_second_was_never_sent_costs_what_it_did(
    make_system: MakeSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    n_left = 1

    async def take(self: EndpointLimits, tokens: list[int]) -> Taken:
        nonlocal n_left
        n_left -= 1
        return Taken(tuple(tokens) if n_left == 0 else (), 0.01)

    monkeypatch.setattr(EndpointLimits, "take", take)
    with FakeServer() as server:
        system = make_system(server.base_url, concurrency=1, **PRICED)
        run = cut_off_run(server, system, n_calls=1, size=1, prompt_style="self-critique@1")
        assert len(server.calls) == 1
    attempt = ItemAttempt.objects.get()
    assert (attempt.kind, attempt.error_code, attempt.cost) == ("cut_off", "not_sent", ONE)
    assert (spent(run=run).known, spent(run=run).n_unknown) == (ONE, 0)


def test_a_second_turn_that_is_held_does_not_keep_the_worker_of_a_paused_run(
    make_system: MakeSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The endpoint allows nothing for an hour; what the first turn cost is counted, and the question waits again."""
    monkeypatch.setattr(asking_loop, "LIMITED_SECONDS", 0.2)
    n_left = 1

    async def take(self: EndpointLimits, tokens: list[int]) -> Taken:
        nonlocal n_left
        n_left -= 1
        return Taken(tuple(tokens) if n_left == 0 else (), 0.01)

    def is_too_late() -> bool:
        if server.calls:
            Run.objects.filter(pk=run.pk, status="running").update(status="paused")
        return time.monotonic() > end

    monkeypatch.setattr(EndpointLimits, "take", take)
    with FakeServer() as server:
        system = make_system(server.base_url, concurrency=1, **PRICED)
        run = run_create(system=system, set_revision=make_bank(2), prompt_style="self-critique@1", wake=False)
        end = time.monotonic() + 30
        tally = ask_until_done(run_id=run.pk, stop_requested=is_too_late)
    assert not tally.was_stopped, "it ended by itself"
    attempt = ItemAttempt.objects.get()
    assert (attempt.kind, attempt.error_code, attempt.cost) == ("cut_off", "not_sent", ONE)
    assert list(run.items.values_list("status", flat=True)) == ["waiting", "waiting"]


def test_a_claim_that_is_gone_is_left_alone(make_system: MakeSystem) -> None:
    run = run_create(system=make_system(**PRICED), set_revision=make_bank(2), wake=False)
    run_start(run_id=run.pk)
    context = run_context(run_id=run.pk)
    tokens = {each.item_id: each.token for each in claim_items(run_id=run.pk, limit=2)}
    mine, lost = (each for each in make_ready(context=context, tokens=tokens) if isinstance(each, Question))
    Item.objects.filter(pk=lost.item.pk).update(status="answered", lease_token=None, lease_until=None)
    calls = [CutOffCall(each, failures.cut_off_error(first=None, is_under_way=True)) for each in (mine, lost)]
    assert record_cut_off(context=context, calls=calls) == 1
    assert [each.item_id for each in ItemAttempt.objects.all()] == [mine.item.pk]
    assert list(run.items.values_list("status", flat=True)) == ["waiting", "answered"]


def test_what_was_heard_at_the_very_end_is_stored(make_system: MakeSystem, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replies come while the last batch is being stored and the time is up."""
    stored = asking_loop.store_answers
    told_to_end = False

    def slowly(**batch: Any) -> Any:
        if told_to_end:
            time.sleep(0.2)
        return stored(**batch)

    monkeypatch.setattr(asking_loop, "store_answers", slowly)

    def answer(prompt: str) -> Said:
        time.sleep(0.1 * (number_of(prompt) - 1))
        return Said("[ANSWER]A[/ANSWER]")

    with FakeServer(answer=answer) as server:
        run = run_create(system=make_system(server.base_url, concurrency=6), set_revision=make_bank(6), wake=False)
        monkeypatch.setattr(asking_loop, "GRACE_SECONDS", 0.15)

        def must_stop() -> bool:
            nonlocal told_to_end
            told_to_end = told_to_end or len(server.calls) == 6
            return told_to_end

        ask_until_done(run_id=run.pk, stop_requested=must_stop)
    assert sorted(run.items.values_list("status", flat=True)) == ["answered"] * 6
