"""What calls cost, what runs have cost so far, and budgets that pause them (case PV-13)."""

from collections.abc import Callable
from decimal import Decimal
from math import ceil
from typing import Any
from uuid import uuid4

import pytest

from corpus.models import ActionLog, QuestionSetRevision
from evaluations.errors import CannotBeAskedError, RunStateError
from evaluations.management.run_reports import run_report
from evaluations.models import Item, ItemAttempt, Run, System
from evaluations.selectors.costs import Spent, money, spent
from evaluations.selectors.missing_usage import estimated_cost
from evaluations.services.asking import ask_until_done
from evaluations.services.budgets import run_budget_raise
from evaluations.services.costs import (
    Prices,
    TokenCounts,
    budget_look,
    budget_problem,
    call_cost,
    failed_call_cost,
    price_facts,
    prices_of,
)
from evaluations.services.runs import run_create, run_resume
from tests.fake_servers.server import FakeServer, Said, error_fault

D = Decimal
FULL = Prices(input=D("2"), output=D("8"), cached_input=D("0.5"), reasoning=D("10"), currency="USD")
PLAIN = Prices(input=D("2"), output=D("8"), currency="USD")
FREE = Prices(input=D(0), output=D(0))


@pytest.mark.parametrize(
    ("prices", "tokens", "cost"),
    [
        # 1,000 tokens at 2 a million and 500 at 8 a million
        (PLAIN, TokenCounts(1000, 500), D("0.006")),
        (PLAIN, TokenCounts(1000, 500, cached=1000, reasoning=500), D("0.006")),
        (FULL, TokenCounts(1000, 500, cached=400), D("0.0054")),
        (FULL, TokenCounts(1000, 500, reasoning=500), D("0.007")),
        (FULL, TokenCounts(1000, 500, cached=1000, reasoning=100), D("0.0047")),
        (FULL, TokenCounts(0, 0), D(0)),
        (PLAIN, TokenCounts(1000, None), None),
        (PLAIN, TokenCounts(None, 500), None),
        (FULL, TokenCounts(1000, 500, cached=1001), None),
        (FULL, TokenCounts(1000, 500, reasoning=501), None),
        (Prices(), TokenCounts(1000, 500), None),
        (Prices(input=D("2")), TokenCounts(1000, 500), None),
        (Prices(input=D("2")), TokenCounts(1000, 0), None),
        (FREE, TokenCounts(1000, 500), D(0)),
        (FREE, TokenCounts(None, None), D(0)),
        (Prices(input=D(0), output=D("8")), TokenCounts(None, 500), D("0.004")),
        (PLAIN, TokenCounts(2**31 - 1, 2**31 - 1), D("21474.83647")),
        (Prices(input=D("999999"), output=D("8")), TokenCounts(2**31 - 1, 1), None),
    ],
)
def test_cost_of_a_call(prices: Prices, tokens: TokenCounts, cost: Decimal | None) -> None:
    assert call_cost(prices=prices, tokens=tokens) == cost


@pytest.mark.parametrize(
    ("prices", "code", "cost"),
    [
        (PLAIN, "rate_limit", 0),
        (PLAIN, "bad_key", 0),
        (PLAIN, "unreachable", 0),
        (PLAIN, "connection", None),
        (PLAIN, "timeout", None),
        (PLAIN, "broken_json", None),
        (PLAIN, "worker_lost", None),
        (Prices(), "rate_limit", None),
        (FREE, "timeout", 0),
    ],
)
def test_cost_of_a_call_without_a_reply(prices: Prices, code: str, cost: int | None) -> None:
    assert failed_call_cost(prices=prices, code=code) == cost


@pytest.mark.parametrize(
    ("known", "n_known", "n_unknown", "text"),
    [
        ("1.2345", 80, 0, "1.23 USD"),
        ("1.2345", 76, 4, "at least 1.23 USD, 4 of 80 unknown"),
        ("0", 80, 0, "0.00 USD"),
        ("0", 0, 3, "unknown"),
        ("0", 0, 0, "nothing yet"),
    ],
)
def test_a_sum_says_how_much_is_unknown(known: str, n_known: int, n_unknown: int, text: str) -> None:
    assert Spent(D(known), n_known, n_unknown, "USD").text == text


@pytest.mark.parametrize(
    ("amount", "text"),
    [("12.345", "12.34 EUR"), ("0.1", "0.10 EUR"), ("0.0456", "0.046 EUR"), ("0.00001234", "0.000012 EUR")],
)
def test_small_amounts_are_not_rounded_to_nothing(amount: str, text: str) -> None:
    assert money(D(amount), "EUR") == text


@pytest.mark.django_db
def test_prices_are_frozen_as_they_were_entered(make_system: Callable[..., System]) -> None:
    system = make_system(input_price=D("2.50"), output_price=D(0), price_currency="EUR", price_source="price list")
    frozen = {"prices": price_facts(system)}
    assert frozen["prices"]["input"] == "2.5"
    assert frozen["prices"]["source"] == "price list"
    assert prices_of(frozen) == Prices(input=D("2.5"), output=D(0), currency="EUR")


@pytest.mark.django_db
def test_what_is_computed_here_costs_nothing_unless_a_price_was_entered(make_system: Callable[..., System]) -> None:
    assert prices_of({"prices": price_facts(make_system(provider="random"))}).are_nothing
    priced = make_system(provider="structure", input_price=D(1), output_price=D(2))
    assert prices_of({"prices": price_facts(priced)}).input == D(1)
    assert not prices_of({"prices": price_facts(make_system())}).are_known


@pytest.mark.parametrize("frozen", [{}, {"prices": None}, {"prices": {"input": "x", "output": "NaN"}}])
def test_a_run_frozen_without_prices_has_none(frozen: dict[str, Any]) -> None:
    assert not prices_of(frozen).are_known


PRICED = {"input_price": D("2"), "output_price": D("8")}


@pytest.mark.parametrize("price", ["0.000001", "0.0004", "0.01"])
def test_the_cheapest_call_is_not_free(
    twenty: QuestionSetRevision, make_system: Callable[..., System], price: str
) -> None:
    cheap = Prices(input=D(price), output=D(0))
    cost = call_cost(prices=cheap, tokens=TokenCounts(sent=1, received=1))
    assert cost == D(price) / 1_000_000
    run = run_create(system=make_system(input_price=D(price), output_price=D(0)), set_revision=twenty, wake=False)
    run.items.update(status="answered", cost=cost)
    assert set(run.items.values_list("cost", flat=True)) == {cost}
    assert float(spent(run=run).known) == pytest.approx(20 * float(price) / 1_000_000)
    assert not spent(run=run).text.startswith("0.00 ")


def asked(system: System, revision: QuestionSetRevision, **fields: Any) -> Run:
    run = run_create(system=system, set_revision=revision, wake=False, **fields)
    ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    return run


def test_every_answer_has_its_cost_and_the_run_their_sum(
    twenty: QuestionSetRevision, make_system: Callable[..., System]
) -> None:
    with FakeServer() as server:
        run = asked(make_system(server.base_url, **PRICED), twenty)
    items = list(run.items.all())
    for item in items:
        assert item.tokens_in is not None
        assert item.tokens_out is not None
        assert item.cost == (2 * D(item.tokens_in) + 8 * D(item.tokens_out)) / 1_000_000
    total = spent(run=run)
    assert total.known == sum((item.cost or D(0) for item in items), D(0))
    assert total.known > 0
    assert (total.n_known, total.n_unknown) == (20, 0)


def test_a_system_without_prices_has_unknown_costs(
    twenty: QuestionSetRevision, make_system: Callable[..., System]
) -> None:
    with FakeServer() as server:
        run = asked(make_system(server.base_url), twenty)
    assert not run.items.exclude(cost=None).exists()
    assert spent(run=run).text == "unknown"
    assert estimated_cost(run=run) is None


def test_usage_missing_leaves_the_cost_unknown_and_the_sum_says_of_how_many(
    twenty: QuestionSetRevision, make_system: Callable[..., System]
) -> None:
    def answer(prompt: str) -> Said:
        return Said("[ANSWER]A[/ANSWER]", has_usage="Question 1" not in prompt)

    with FakeServer(answer=answer) as server:
        run = asked(make_system(server.base_url, **PRICED), twenty)
    # Question 1 and 10 to 19
    assert run.items.filter(cost=None).count() == 11
    text = spent(run=run).text
    assert text.startswith("at least 0.0")
    assert text.endswith("11 of 20 unknown")
    estimated = estimated_cost(run=run)
    assert estimated is not None
    assert estimated.n_answers == 11
    assert estimated.text.endswith("(estimate)")
    characters = [(len(item.prompt), len(item.completion)) for item in run.items.filter(cost=None)]
    sent, received = (ceil(sum(side) / 4) for side in zip(*characters, strict=True))
    assert estimated.cost == (2 * D(sent) + 8 * D(received)) / 1_000_000
    known = run.items.exclude(cost=None).values_list("cost", flat=True)
    assert spent(run=run).known == sum(known), "the estimate is no part of the sum"
    report = run_report(run.pk)
    assert report.as_dict()["estimated"] == estimated.as_dict()
    assert f"11 without token counts {estimated.text}" in report.as_text()


def test_prices_changed_later_leave_a_run_as_it_is(
    twenty: QuestionSetRevision, make_system: Callable[..., System]
) -> None:
    system = make_system(**PRICED)
    run = run_create(system=system, set_revision=twenty, wake=False)
    System.objects.filter(pk=system.pk).update(input_price=D("1000"))
    run.refresh_from_db()
    assert prices_of(run.frozen).input == D("2")


def test_a_call_turned_away_costs_nothing_and_a_hang_something_unknown(
    twenty: QuestionSetRevision, make_system: Callable[..., System]
) -> None:
    def fault(prompt: str, nth: int) -> Any:
        return error_fault(429, "slow down") if nth == 1 and "Question 3:" in prompt else None

    with FakeServer(fault=fault) as server:
        run = asked(make_system(server.base_url, **PRICED), twenty)
    assert [attempt.cost for attempt in ItemAttempt.objects.filter(item__run=run)] == [0]
    assert spent(run=run).n_calls == 20
    ItemAttempt.objects.create(
        item=run.items.get(position=0), lease_token=uuid4(), kind="error", error_code="timeout", cost=None
    )
    assert (spent(run=run).n_unknown, spent(run=run).n_known) == (1, 20)


def make_spent_run(system: System, revision: QuestionSetRevision, budget: str, *costs: str | None) -> Run:
    run = run_create(system=system, set_revision=revision, budget=D(budget), wake=False)
    Run.objects.filter(pk=run.pk).update(status="running")
    for item, cost in zip(run.items.order_by("position"), costs, strict=False):
        Item.objects.filter(pk=item.pk).update(status="answered", cost=cost)
    return run


def lease_last(run: Run, n_leased: int) -> None:
    """Let the last questions of a run be in flight."""
    waiting = run.items.filter(status="waiting").order_by("-position")[:n_leased]
    Item.objects.filter(pk__in=list(waiting.values_list("pk", flat=True))).update(
        status="leased", lease_token=uuid4(), lease_until=run.queued_at
    )


@pytest.mark.parametrize(
    ("costs", "n_leased", "part"),
    [
        (("0.30", "0.30"), 0, None),
        (("0.30", "0.30"), 1, None),
        # two at a mean of 0.30 in flight: 1.20 expected
        (("0.30", "0.30"), 2, "0.60 USD so far"),
        (("0.60", "0.40"), 0, "1.00 USD so far"),
        (("0.60", None), 0, "at least 0.60 USD, 1 of 2 unknown so far"),
        ((None, None), 0, None),
        ((None,) * 5, 0, "no token counts"),
        ((), 8, None),
    ],
)
def test_when_a_budget_is_used_up(
    twenty: QuestionSetRevision,
    make_system: Callable[..., System],
    costs: tuple[str | None, ...],
    n_leased: int,
    part: str | None,
) -> None:
    run = make_spent_run(make_system(**PRICED), twenty, "1", *costs)
    lease_last(run, n_leased)
    problem = budget_problem(run_id=run.pk)
    assert problem is None if part is None else part in str(problem)


@pytest.mark.parametrize(
    ("costs", "n_leased", "n_more"),
    [
        ((), 0, 5),
        ((), 1, 4),
        ((), 8, 0),
        ((None, None), 1, 2),
        (("0.30", "0.30"), 0, 2),
        (("0.30", "0.30"), 1, 1),
        (("0.30", "0.30"), 2, 0),
        (("0.05", "0.15"), 0, 8),
        (("0.05", None), 0, 18),
        (("0", "0"), 3, None),
    ],
)
def test_how_many_questions_more_a_budget_allows(
    twenty: QuestionSetRevision,
    make_system: Callable[..., System],
    costs: tuple[str | None, ...],
    n_leased: int,
    n_more: int | None,
) -> None:
    run = make_spent_run(make_system(**PRICED), twenty, "1", *costs)
    lease_last(run, n_leased)
    assert budget_look(run_id=run.pk).n_more == n_more


@pytest.mark.parametrize("has_usage", [True, False])
def test_many_at_once_do_not_overrun_a_small_budget(
    twenty: QuestionSetRevision, make_system: Callable[..., System], has_usage: bool
) -> None:
    """With room for twenty calls at once, no more go out than the budget allows; few while no cost is known."""
    said = Said("[ANSWER]A[/ANSWER]", has_usage=has_usage)
    with FakeServer(answer=lambda prompt: said, latency_seconds=0.2) as server:
        system = make_system(server.base_url, concurrency=20, input_price=D(1000), output_price=D(1000))
        one = D("0.018")
        run = asked(system, twenty, budget=(one * 5).quantize(D("0.0001")))
        assert (run.status, run.error_code) == ("paused", "budget")
        assert len(server.calls) == 5


def test_a_run_without_a_budget_is_never_out_of_it(
    twenty: QuestionSetRevision, make_system: Callable[..., System], django_assert_num_queries: Any
) -> None:
    run = run_create(system=make_system(), set_revision=twenty, wake=False)
    with django_assert_num_queries(1):
        assert budget_problem(run_id=run.pk) is None


def test_how_often_the_database_is_asked_what_a_run_cost(
    twenty: QuestionSetRevision, make_system: Callable[..., System], django_assert_num_queries: Any
) -> None:
    run = make_spent_run(make_system(**PRICED), twenty, "100", "1", "2")
    with django_assert_num_queries(4):
        assert spent(run=run).n_known == 2
    with django_assert_num_queries(6):
        assert budget_problem(run_id=run.pk) is None


@pytest.mark.parametrize(
    ("fields", "budget", "part"),
    [
        ({}, "5", "prices of System 1 are not known"),
        ({"input_price": D(1)}, "5", "prices of System 1 are not known"),
        (PRICED, "0", "more than nothing"),
        (PRICED, "-1", "more than nothing"),
    ],
)
def test_a_budget_that_cannot_be_kept_is_refused(
    twenty: QuestionSetRevision, make_system: Callable[..., System], fields: dict[str, Any], budget: str, part: str
) -> None:
    with pytest.raises(CannotBeAskedError, match=part):
        run_create(system=make_system(**fields), set_revision=twenty, budget=D(budget), wake=False)
    assert not Run.objects.exists()


def test_a_run_pauses_at_its_budget_and_goes_on_with_a_higher_one(
    twenty: QuestionSetRevision, make_system: Callable[..., System], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluations.services.asking_loop.BEAT_SECONDS", 0.0)
    with FakeServer() as server:
        system = make_system(server.base_url, concurrency=1, **PRICED)
        one = spent(run=asked(system, twenty)).known / 20
        # The fake server charges much the same for every question.
        run = asked(system, twenty, budget=(one * 5).quantize(D("0.0001"), rounding="ROUND_UP"))
        assert (run.status, run.error_code) == ("paused", "budget")
        assert "is used up" in run.error_message
        n_answered = run.items.filter(status="answered").count()
        assert 1 <= n_answered < 15
        assert run.budget is not None
        # Questions that are held ready may still go out between two looks at the budget.
        assert spent(run=run).known <= run.budget + 5 * one
        with pytest.raises(RunStateError, match="is used up"):
            run_resume(run_id=run.pk)
        assert run.budget is not None
        with pytest.raises(RunStateError, match="give a higher one"):
            run_budget_raise(run_id=run.pk, budget=run.budget)
        raised = run_budget_raise(run_id=run.pk, budget=D(1))
        assert (raised.status, raised.budget) == ("queued", D(1))
        assert ActionLog.objects.get(code="run.budget_raised").detail["to"] == "1"
        ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert run.status == "finished"
    assert max(run.items.values_list("attempts", flat=True)) == 1


@pytest.mark.parametrize("code", ["down", "budget"])
def test_calls_that_failed_before_the_first_answer_block_no_budget(
    twenty: QuestionSetRevision, make_system: Callable[..., System], code: str
) -> None:
    """Nobody knows what the time-outs cost, but the next answer will tell."""
    run = make_spent_run(make_system(**PRICED), twenty, "1")
    Run.objects.filter(pk=run.pk).update(status="paused", error_code=code)
    for item in run.items.all()[:6]:
        ItemAttempt.objects.create(item=item, lease_token=uuid4(), kind="error", error_code="timeout", cost=None)
    if code == "budget":
        assert run_budget_raise(run_id=run.pk, budget=D(2)).status == "queued"
    else:
        assert run_resume(run_id=run.pk).status == "queued"
    assert budget_problem(run_id=run.pk) is None


def test_a_budget_holds_for_a_run_whose_endpoint_was_not_up_yet(
    twenty: QuestionSetRevision, make_system: Callable[..., System], settings: Any
) -> None:
    settings.EVALUATION_TRIES = 2
    with FakeServer() as down:
        pass
    run = asked(make_system(down.base_url, **PRICED), twenty, budget=D(5))
    assert (run.status, run.error_code, spent(run=run).text) == ("paused", "unreachable", "nothing yet")
    with FakeServer() as server:
        Run.objects.filter(pk=run.pk).update(frozen={**run.frozen, "base_url": server.base_url})
        run_resume(run_id=run.pk)
        ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert (run.status, spent(run=run).n_known, spent(run=run).n_unknown) == ("finished", 20, 0)


def test_a_complete_run_is_closed_though_its_budget_is_used_up(
    twenty: QuestionSetRevision, make_system: Callable[..., System]
) -> None:
    run = make_spent_run(make_system(**PRICED), twenty, "1", *["0.10"] * 20)
    run.items.update(outcome="right")
    Run.objects.filter(pk=run.pk).update(status="paused")
    assert run_resume(run_id=run.pk).status == "finished"


def test_a_budget_that_is_used_up_leaves_the_run_as_it_is(
    twenty: QuestionSetRevision, make_system: Callable[..., System]
) -> None:
    run = make_spent_run(make_system(**PRICED), twenty, "1", "0.50", "0.50")
    Item.objects.filter(run=run, position=5).update(status="failed", outcome="error")
    Run.objects.filter(pk=run.pk).update(status="incomplete", error_code="timeout")
    with pytest.raises(RunStateError, match="is used up"):
        run_resume(run_id=run.pk)
    run.refresh_from_db()
    assert (run.status, run.error_code, run.items.get(position=5).status) == ("incomplete", "timeout", "failed")


def test_a_budget_is_not_raised_where_nothing_is_asked(
    twenty: QuestionSetRevision, make_system: Callable[..., System]
) -> None:
    run = make_spent_run(make_system(**PRICED), twenty, "1")
    Run.objects.filter(pk=run.pk).update(status="finished")
    with pytest.raises(RunStateError, match="needs no budget"):
        run_budget_raise(run_id=run.pk, budget=D(2))
