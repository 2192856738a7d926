"""How sure a system says it is of each answer: asked apart, once, and never a change of an answer."""

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from corpus.models import Benchmark, QuestionSetRevision
from evaluations.database_clock import database_now
from evaluations.errors import CannotBeAskedError
from evaluations.models import Item, ItemAttempt, ItemConfidence, Run, System
from evaluations.prompts.confidence import CONFIDENCE_PROMPT
from evaluations.providers import Reply, RetryLaterError
from evaluations.providers.base import FinishReason
from evaluations.selectors.confidence import askable_items, confidence_counts
from evaluations.selectors.costs import spent
from evaluations.services import asking_apart
from evaluations.services.apart_rows import CONFIDENCE, ApartClaim, claim_apart, renew_apart, store_failure, store_reply
from evaluations.services.asking import ask_until_done
from evaluations.services.confidence import ask_confidence
from evaluations.services.confidence_claims import confidence_can_be_claimed, confidence_is_open
from evaluations.services.costs import BUDGET, Prices, prices_of
from evaluations.services.questions import run_context
from evaluations.services.rate_limits import EndpointLimits, Taken
from evaluations.services.runs import run_create, run_pause, run_resume
from evaluations.services.systems import ensure_random_system
from tests.evaluations.conftest import make_bank
from tests.fake_servers.server import FakeServer, Fault, Said, error_fault

MakeSystem = Callable[..., System]


def says(level: str) -> Callable[[str], Said]:
    """Answer every question with A, and the question of how sure with `level`."""
    return lambda prompt: Said(level if prompt == CONFIDENCE_PROMPT else "It is clear. [ANSWER]A[/ANSWER]")


def finished(server: FakeServer, make_system: MakeSystem, size: int = 4, **fields: Any) -> Run:
    run = run_create(system=make_system(server.base_url, **fields), set_revision=make_bank(size), asks_confidence=True)
    ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    return run


def results_version(run: Run) -> int:
    return Benchmark.objects.get(question_sets__current_revision=run.set_revision).results_version


def confidence_calls(server: FakeServer) -> list[Mapping[str, Any]]:
    return [call.body for call in server.calls if call.prompt == CONFIDENCE_PROMPT]


@pytest.mark.django_db(transaction=True)
def test_each_answer_is_asked_about_once_in_its_context_and_stays_as_it_is(make_system: MakeSystem) -> None:
    prices = {"input_price": Decimal(2), "output_price": Decimal(10), "system_prompt": "Be brief."}
    with FakeServer(answer=says("4")) as server:
        run = finished(server, make_system, **prices)
        assert run.status == Run.Status.FINISHED
        ask_confidence(context=run_context(run_id=run.pk))
    assert len(server.calls) == 8
    items = list(run.items.select_related("stated_confidence").order_by("position"))
    assert {(item.outcome, item.completion, item.confidence) for item in items} == {
        ("right", "It is clear. [ANSWER]A[/ANSWER]", 4)
    }
    # 11 tokens in and 7 out at 2 and 10 a million.
    stated = {(each.stated_confidence.completion, each.stated_confidence.cost) for each in items}
    assert stated == {("4", Decimal("0.00009200"))}
    asked = {str(body["messages"]) for body in confidence_calls(server)}
    assert asked == {
        str(
            [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": item.prompt},
                {"role": "assistant", "content": item.completion},
                {"role": "user", "content": CONFIDENCE_PROMPT},
            ]
        )
        for item in items
    }
    assert run.frozen["confidence"] == {"prompt": CONFIDENCE_PROMPT, "reader": "confidence@1"}


@pytest.mark.django_db(transaction=True)
def test_what_states_no_level_is_kept_and_not_asked_again(make_system: MakeSystem) -> None:
    with FakeServer(answer=says("80 %")) as server:
        run = finished(server, make_system)
        tally = ask_confidence(context=run_context(run_id=run.pk))
    assert (tally.n_asked, tally.is_over) == (0, True)
    assert len(confidence_calls(server)) == 4
    rows = ItemConfidence.objects.filter(item__run=run)
    assert set(rows.values_list("completion", "level", "error_code")) == {("80 %", None, "")}
    assert set(run.items.values_list("confidence", "outcome")) == {(None, "right")}


@pytest.mark.django_db(transaction=True)
def test_failures_make_no_run_incomplete_and_are_asked_again_later(make_system: MakeSystem) -> None:
    def fault(prompt: str, nth: int) -> Fault | None:
        return error_fault(400, "not this one") if prompt == CONFIDENCE_PROMPT and nth <= 2 else None

    with FakeServer(answer=says("2"), fault=fault) as server:
        run = finished(server, make_system)
        assert run.status == Run.Status.FINISHED
        rows = ItemConfidence.objects.filter(item__run=run)
        assert Counter(rows.values_list("error_code", flat=True)) == {"": 2, "bad_request": 2}
        assert Counter(run.items.values_list("confidence", flat=True)) == {2: 2, None: 2}
        out, version = StringIO(), results_version(run)
        call_command("ask_confidence", run=run.pk, json=True, stdout=out)
    assert results_version(run) > version, "readers are shown the levels by it"
    assert json.loads(out.getvalue()) == {
        "run": str(run.pk),
        "n_asked": 2,
        "n_read": 2,
        "n_failed": 0,
        "is_over": True,
    }
    assert set(run.items.values_list("confidence", flat=True)) == {2}


@pytest.mark.django_db(transaction=True)
def test_a_passing_fault_is_tried_again_at_once(make_system: MakeSystem) -> None:
    def fault(prompt: str, nth: int) -> Fault | None:
        return error_fault(500, "hiccup") if prompt == CONFIDENCE_PROMPT and nth <= 2 else None

    with FakeServer(answer=says("5"), fault=fault) as server:
        run = finished(server, make_system, concurrency=1)
    assert len(confidence_calls(server)) == 6
    assert set(run.items.values_list("confidence", flat=True)) == {5}


@pytest.mark.django_db(transaction=True)
def test_a_key_that_is_refused_ends_the_asking_and_not_the_run(make_system: MakeSystem) -> None:
    def fault(prompt: str, nth: int) -> Fault | None:
        return error_fault(401, "no such key") if prompt == CONFIDENCE_PROMPT else None

    with FakeServer(fault=fault) as server:
        run = finished(server, make_system, size=12, concurrency=2)
    assert run.status == Run.Status.FINISHED
    assert run.items.filter(outcome="right").count() == 12
    assert len(confidence_calls(server)) <= 4
    counts = confidence_counts(run=run)
    assert counts is not None
    assert (counts.n_left, counts.n_failed) == (0, 12), "nobody will ask about the others"
    assert "no such key" in counts.why_failed


@pytest.mark.django_db(transaction=True)
def test_an_empty_reply_is_not_asked_about(make_system: MakeSystem) -> None:
    with FakeServer(answer=lambda prompt: Said(None)) as server:
        run = finished(server, make_system)
    assert (run.status, confidence_calls(server)) == (Run.Status.FINISHED, [])
    assert not confidence_is_open(run=run)


@pytest.mark.django_db(transaction=True)
def test_a_run_paused_meanwhile_goes_on_where_it_was(make_system: MakeSystem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking_apart, "BEAT_SECONDS", 0.02)
    with FakeServer(answer=says("3")) as server:
        run = run_create(
            system=make_system(server.base_url, concurrency=1), set_revision=make_bank(4), asks_confidence=True
        )
        context = run_context(run_id=run.pk)
        Run.objects.filter(pk=run.pk).update(asks_confidence=False, status="running")
        ask_until_done(run_id=run.pk)
        Run.objects.filter(pk=run.pk).update(asks_confidence=True, status="running")

        def may_go_on() -> bool:
            return not ItemConfidence.objects.filter(error_code="").exists()

        tally = ask_confidence(context=context, may_go_on=may_go_on)
        assert not tally.is_over
        assert 0 < tally.n_asked < 4
        run_pause(run_id=run.pk)
        assert run_resume(run_id=run.pk).status == Run.Status.QUEUED
        ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert set(run.items.values_list("confidence", flat=True)) == {3}
    assert len(confidence_calls(server)) == 4


def test_one_claim_holds_until_its_lease_ends(
    twenty: QuestionSetRevision, make_system: MakeSystem, settings: Any
) -> None:
    run = run_create(system=make_system("http://127.0.0.1:9/v1"), set_revision=twenty, asks_confidence=True)
    Item.objects.filter(run=run).update(status="answered", completion="[ANSWER]A[/ANSWER]")
    ids = list(run.items.order_by("position").values_list("pk", flat=True))
    lease = timedelta(seconds=settings.EVALUATION_LEASE_SECONDS)
    first = claimed(run, limit=3)
    assert [claim.item_id for claim in first] == ids[:3]
    assert [claim.item_id for claim in claimed(run, limit=1)] == [ids[3]]
    ItemConfidence.objects.filter(item__in=ids[:2]).update(asked_at=database_now() - 2 * lease)
    assert renew_apart(apart=CONFIDENCE, claims=[first[1]]) == 1
    assert [claim.item_id for claim in claimed(run, limit=1)] == [ids[0]]
    # The claim that ran out holds no more.
    assert renew_apart(apart=CONFIDENCE, claims=[first[0]]) == 0
    assert [(a.item_id, a.error_code, a.cost) for a in ItemAttempt.objects.all()] == [(ids[0], "worker_lost", None)]


def claimed(run: Run, limit: int, prices: Prices = Prices()) -> Sequence[ApartClaim]:  # noqa: B008 -- frozen
    return claim_apart(
        apart=CONFIDENCE,
        items=askable_items(run),
        limit=limit,
        only_first=False,
        prices=prices,
        fields={"prompt": "?"},
    )


def test_the_run_page_counts_the_levels(twenty: QuestionSetRevision, make_system: MakeSystem) -> None:
    run = run_create(system=make_system("http://127.0.0.1:9/v1"), set_revision=twenty, asks_confidence=True)
    Item.objects.filter(run=run).update(status="answered", completion="[ANSWER]A[/ANSWER]")
    items = list(run.items.order_by("position"))
    Item.objects.filter(pk=items[19].pk).update(completion=" ")
    rows = [(5, ""), (5, ""), (1, ""), (None, ""), (None, "bad_request"), (None, "asking"), (None, "stopped")]
    for item, (level, code) in zip(items, rows, strict=False):
        ItemConfidence.objects.create(item=item, prompt="?", level=level, error_code=code, asked_at=database_now())
    counts = confidence_counts(run=run)
    assert counts is not None
    assert counts.levels == {1: 1, 2: 0, 3: 0, 4: 0, 5: 2}
    # Of nineteen replies with text four have their own reply and one failed.
    assert (counts.n_replies, counts.n_unread, counts.n_failed, counts.n_left) == (4, 1, 1, 14)
    client = Client()
    client.force_login(User.objects.create_superuser("ada"))
    page = client.get(reverse("admin:evaluations_run_progress", args=[run.pk])).content.decode()
    assert "How sure the system says it is" in page
    assert "<td>14</td>" in page


def test_a_worker_that_finds_others_asking_leaves_the_run_open_and_does_not_call_for_more(
    twenty: QuestionSetRevision, make_system: MakeSystem
) -> None:
    run = run_create(system=make_system("http://127.0.0.1:9/v1"), set_revision=twenty, asks_confidence=True)
    Item.objects.filter(run=run).update(status="answered", outcome="right", completion="[ANSWER]A[/ANSWER]")
    ids = list(run.items.values_list("pk", flat=True))
    assert len(claimed(run, limit=100)) == len(ids)
    ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert run.status == Run.Status.RUNNING
    assert confidence_is_open(run=run)
    assert not confidence_can_be_claimed(run=run)


def test_a_baseline_is_not_asked_how_sure_it_is(twenty: QuestionSetRevision) -> None:
    with pytest.raises(CannotBeAskedError, match="baseline"):
        run_create(system=ensure_random_system(), set_revision=twenty, asks_confidence=True)
    assert not Run.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_run_that_does_not_ask_asks_nothing(make_system: MakeSystem) -> None:
    with FakeServer() as server:
        run = run_create(system=make_system(server.base_url), set_revision=make_bank(3))
        ask_until_done(run_id=run.pk)
    assert len(server.calls) == 3
    assert not ItemConfidence.objects.exists()
    with pytest.raises(CommandError, match="without the question"):
        call_command("ask_confidence", run=run.pk)


# What it costs, and the limits it keeps

PRICED = {"input_price": Decimal(2), "output_price": Decimal(8)}
FREE = {"input_price": Decimal(0), "output_price": Decimal(0)}
HANGS = Fault(hangs_seconds=0.6)


def answered(server: FakeServer, make_system: MakeSystem, size: int, budget: str | None = None, **fields: Any) -> Run:
    """Return a run whose questions have their answers, and whose system was not asked yet how sure it is."""
    system = make_system(server.base_url, **fields)
    amount = None if budget is None else Decimal(budget)
    run = run_create(system=system, set_revision=make_bank(size), asks_confidence=True, budget=amount)
    Run.objects.filter(pk=run.pk).update(asks_confidence=False)
    ask_until_done(run_id=run.pk)
    Run.objects.filter(pk=run.pk).update(asks_confidence=True, status="running")
    return run


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("fault", "prices", "n_known", "n_unknown"),
    [
        (HANGS, PRICED, 4, 1),
        (HANGS, FREE, 4, 0),
        (HANGS, {}, 0, 5),
        (error_fault(429, "slow down"), PRICED, 4, 0),
        (error_fault(400, "not this one"), PRICED, 3, 0),
    ],
)
def test_a_try_that_may_have_been_paid_is_unknown_and_one_turned_away_costs_nothing(
    make_system: MakeSystem, settings: Any, fault: Fault, prices: dict[str, Decimal], n_known: int, n_unknown: int
) -> None:
    settings.EVALUATION_CALL_SECONDS = 0.3

    def first(prompt: str, nth: int) -> Fault | None:
        return fault if prompt == CONFIDENCE_PROMPT and nth == 1 else None

    with FakeServer(answer=says("4"), fault=first) as server:
        run = finished(server, make_system, size=2, **prices)
    so_far = spent(run=run)
    assert ItemAttempt.objects.get(item__run=run).kind == "confidence"
    assert (so_far.n_known, so_far.n_unknown) == (n_known, n_unknown)


@pytest.mark.django_db(transaction=True)
def test_a_call_that_was_cut_off_is_counted_and_asked_again(
    make_system: MakeSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking_apart, "GRACE_SECONDS", 0.1)
    monkeypatch.setattr(asking_apart, "BEAT_SECONDS", 0.02)

    def fault(prompt: str, nth: int) -> Fault | None:
        return Fault(hangs_seconds=2) if prompt == CONFIDENCE_PROMPT and nth == 1 else None

    with FakeServer(answer=says("4"), fault=fault) as server:
        run = answered(server, make_system, 2, **PRICED)
        context = run_context(run_id=run.pk)
        tally = ask_confidence(context=context, must_stop=lambda: bool(confidence_calls(server)))
        assert (tally.n_asked, tally.is_over, len(confidence_calls(server))) == (0, False, 1)
        ask_confidence(context=context)
        assert spent(run=run).n_calls == len(server.calls) == 5
    assert spent(run=run).n_unknown == 1
    assert set(run.items.values_list("confidence", flat=True)) == {4}


def test_a_call_whose_reply_came_late_is_in_the_costs_once(
    twenty: QuestionSetRevision, make_system: MakeSystem
) -> None:
    """Its worker was given up for lost, so that its cost was unknown; now it is known, and others stay unknown."""
    run = run_create(system=make_system(**PRICED), set_revision=twenty, asks_confidence=True)
    Item.objects.filter(run=run).update(status="answered", outcome="right", completion="[ANSWER]A[/ANSWER]")
    prices = prices_of(run.frozen)
    late, lost = claimed(run, limit=2, prices=prices)
    before = spent(run=run)
    ItemConfidence.objects.update(asked_at=database_now() - timedelta(hours=1))
    claimed(run, limit=2, prices=prices)
    assert spent(run=run).n_unknown == before.n_unknown + 2
    reply = Reply(text="4", finish_reason=FinishReason.STOP, tokens_in=3, tokens_out=2)
    assert not store_reply(apart=CONFIDENCE, claim=late, reply=reply, prices=prices, fields={"level": 4})
    after = spent(run=run)
    assert after.known - before.known == Decimal("0.000022")
    assert (after.n_known, after.n_unknown) == (before.n_known + 1, before.n_unknown + 1)
    refused = RetryLaterError("rate_limit", "slow down")
    store_failure(apart=CONFIDENCE, claim=lost, error=refused, prices=prices, delay_seconds=1)
    assert spent(run=run).n_unknown == before.n_unknown, "a call that was turned away costs nothing"


@pytest.mark.django_db(transaction=True)
def test_a_used_up_budget_asks_nothing_more(make_system: MakeSystem) -> None:
    with FakeServer(answer=says("4")) as server:
        run = answered(server, make_system, 3, budget="100", **PRICED)
        Run.objects.filter(pk=run.pk).update(budget=Decimal("0.0001"))
        tally = ask_confidence(context=run_context(run_id=run.pk))
    assert confidence_calls(server) == []
    assert (tally.is_over, tally.n_failed) == (True, 3)
    assert set(ItemConfidence.objects.values_list("error_code", flat=True)) == {BUDGET}
    assert spent(run=run).n_calls == 3, "what was never asked is no call"


@pytest.mark.django_db(transaction=True)
def test_a_wait_the_endpoint_asks_for_holds_every_call(make_system: MakeSystem) -> None:
    def fault(prompt: str, nth: int) -> Fault | None:
        is_second = prompt == CONFIDENCE_PROMPT and nth == 2
        return error_fault(429, "slow down", {"retry-after-ms": "500"}) if is_second else None

    with FakeServer(answer=says("4"), fault=fault) as server:
        run = finished(server, make_system, size=6, concurrency=1)
        times = [call.at for call in server.calls if call.prompt == CONFIDENCE_PROMPT]
    assert len(times) == 7
    assert times[2] - times[1] > 0.45
    assert set(run.items.values_list("confidence", flat=True)) == {4}


@pytest.mark.django_db(transaction=True)
def test_tokens_are_taken_and_corrected_by_what_a_call_took(
    make_system: MakeSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []

    async def take(self: EndpointLimits, tokens: Sequence[int]) -> Taken:
        counted.extend(tokens[:1])
        return Taken(tuple(tokens[:1]), 0.0, 7)

    async def correct(self: EndpointLimits, *, bucket: int, n_tokens: int) -> None:
        counted.append(n_tokens)

    with FakeServer(answer=says("4")) as server:
        run = answered(server, make_system, 3, tokens_per_minute=100_000)
        monkeypatch.setattr(EndpointLimits, "take", take)
        monkeypatch.setattr(EndpointLimits, "correct", correct)
        ask_confidence(context=run_context(run_id=run.pk))
    # Each reply took 11 tokens in and 7 out.
    assert sum(counted) == 3 * 18


@pytest.mark.django_db(transaction=True)
def test_a_claim_is_kept_while_the_limits_let_nothing_through(
    make_system: MakeSystem, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.EVALUATION_LEASE_SECONDS = 0.4
    monkeypatch.setattr(asking_apart, "BEAT_SECONDS", 0.05)
    taken_by_another: list[ApartClaim] = []

    with FakeServer(answer=says("4")) as server:
        run = answered(server, make_system, 1)
        until = time.monotonic() + 1

        async def take(self: EndpointLimits, tokens: Sequence[int]) -> Taken:
            return Taken(tuple(tokens[:1]) if time.monotonic() > until else (), 0.02)

        def may_go_on() -> bool:
            if ItemConfidence.objects.exists():
                taken_by_another.extend(claimed(run, limit=1))
            return True

        monkeypatch.setattr(EndpointLimits, "take", take)
        ask_confidence(context=run_context(run_id=run.pk), may_go_on=may_go_on)
        assert (taken_by_another, len(confidence_calls(server))) == ([], 1)
