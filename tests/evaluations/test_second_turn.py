"""A second turn: the first reply is kept, the last one is the answer, and both are paid."""

import asyncio
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import pytest

from corpus.models import QuestionSetRevision
from corpus.scoring.types import Asked, Kind
from evaluations.models import ItemAttempt, System
from evaluations.prompts import prompt_style
from evaluations.providers import Ask, RefusedError, Reply, RetryLaterError
from evaluations.providers.base import FinishReason
from evaluations.services.asking import ask_until_done
from evaluations.services.costs import Prices
from evaluations.services.reply_costs import failure_cost, reply_cost
from evaluations.services.runs import run_create
from evaluations.services.second_turn import ask_in_turns
from tests.evaluations.conftest import make_bank
from tests.fake_servers.server import FakeServer, Fault, Said, error_fault

ASK = Ask("What is it?", Asked(Kind.TEXT), {"temperature": 0}, system_prompt="Be brief.")
FIRST = Reply("It is A.", FinishReason.STOP, "thought", 10, 3, "m-1", 20, tokens_cached=4, tokens_reasoning=1)
SECOND = Reply("It is B.", FinishReason.LENGTH, "more", 15, 5, "m-1", 30, tokens_cached=9, tokens_reasoning=2)


def asked(replies: Sequence[Reply | Exception], follow_up: str | None = "Check it.") -> tuple[Reply, list[Any]]:
    """Return the reply in turns, and what was sent; "wait" and the first reply where the limits were waited for."""
    sent: list[Any] = []
    left = list(replies)

    async def send(ask: Ask) -> Reply:
        sent.append(ask)
        reply = left.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    async def wait(first: Reply) -> None:
        sent.append(("wait", first.text))

    return asyncio.run(ask_in_turns(ask=ASK, follow_up=follow_up, send=send, before_second=wait)), sent


def test_without_a_follow_up_there_is_one_turn() -> None:
    assert asked([FIRST], None) == (FIRST, [ASK])


def test_the_reply_is_sent_back_and_the_second_one_is_the_answer() -> None:
    reply, sent = asked([FIRST, SECOND])
    assert (reply.text, reply.finish_reason, reply.reasoning) == ("It is B.", FinishReason.LENGTH, "thought\n\nmore")
    assert reply.turns == (("assistant", "It is A."), ("user", "Check it."))
    assert sent[1] == ("wait", "It is A.")
    assert (sent[2].prompt, sent[2].system_prompt, sent[2].turns) == ("What is it?", "Be brief.", reply.turns)


def test_tokens_and_times_are_summed_and_an_unknown_count_makes_the_sum_unknown() -> None:
    reply, _ = asked([FIRST, SECOND])
    counts = (reply.tokens_in, reply.tokens_out, reply.tokens_cached, reply.tokens_reasoning, reply.latency_ms)
    assert counts == (25, 8, 13, 3, 50)
    unknown, _ = asked([FIRST, Reply("It is B.", FinishReason.STOP)])
    assert (unknown.tokens_in, unknown.tokens_out, unknown.model_reported) == (None, None, "m-1")


FULL, CACHED = Decimal(10), Decimal(1)


@pytest.mark.parametrize(
    ("first", "second", "cost"),
    [
        # 1,000 tokens sent in each turn, a cached one at a tenth of the price.
        ((1000, None), (1000, 1000), Decimal("0.011")),
        ((1000, 400), (1000, None), Decimal("0.0164")),
        ((1000, 400), (1000, 400), Decimal("0.0128")),
        ((1000, None), (1000, None), Decimal("0.02")),
        ((1000, 1001), (1000, 0), None),
        ((None, None), (1000, 0), None),
    ],
)
def test_each_turn_is_charged_by_its_own_counts(first: Any, second: Any, cost: Decimal | None) -> None:
    replies = [
        Reply("x", FinishReason.STOP, tokens_in=sent, tokens_out=0, tokens_cached=cached)
        for sent, cached in (first, second)
    ]
    reply, _ = asked(replies)
    prices = Prices(input=FULL, output=Decimal(0), cached_input=CACHED)
    assert reply_cost(prices=prices, reply=reply) == cost


@pytest.mark.parametrize(
    ("text", "counts", "cost"),
    [
        ("x", (0, 0), None),
        ("x", (11, 0), None),
        ("x", (0, 7), None),
        ("x", (1000, 1000), Decimal("0.02")),
        ("", (1000, 0), Decimal("0.01")),
        ("", (0, 0), Decimal(0)),
    ],
)
def test_no_text_comes_of_no_tokens(text: str, counts: tuple[int, int], cost: Decimal | None) -> None:
    sent, received = counts
    for said in ({"text": text}, {"text": "", "reasoning": text}):
        reply = Reply(finish_reason=FinishReason.STOP, tokens_in=sent, tokens_out=received, **said)
        assert reply_cost(prices=Prices(input=FULL, output=FULL), reply=reply) == cost
        assert reply_cost(prices=Prices(input=Decimal(0), output=Decimal(0)), reply=reply) == 0


def test_a_sum_of_turns_that_fits_no_column_is_unknown() -> None:
    large = Reply("x", FinishReason.STOP, tokens_in=600_000, tokens_out=0)
    reply, _ = asked([large, large])
    prices = Prices(input=Decimal(1_000_000), output=Decimal(0))
    assert reply_cost(prices=prices, reply=large) == 600_000
    assert reply_cost(prices=prices, reply=reply) is None


@pytest.mark.parametrize(
    "first", [Reply(" \n", FinishReason.LENGTH), Reply("I cannot say.", FinishReason.CONTENT_FILTER)]
)
def test_what_holds_no_reply_is_not_sent_back(first: Reply) -> None:
    assert asked([first]) == (first, [ASK])


def test_half_a_character_in_the_first_reply_is_sent_back_as_it_is_stored() -> None:
    broken = Reply("It is A \ud83d \x00.", FinishReason.STOP)
    reply, sent = asked([broken, SECOND])
    assert reply.turns == sent[2].turns == (("assistant", "It is A \ufffd \u2400."), ("user", "Check it."))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("shape", "provider"),
    [("openai", "openai_chat"), ("responses", "openai_responses"), ("anthropic", "anthropic_messages")],
)
def test_half_a_character_in_a_first_reply_stops_no_run(
    make_system: Callable[..., System], shape: Any, provider: str
) -> None:
    with FakeServer(shape, answer=lambda prompt: Said("It is A \ud83d [ANSWER]A[/ANSWER]")) as server:
        system = make_system(server.base_url, provider)
        run = run_create(system=system, set_revision=make_bank(2), prompt_style="self-critique@1", wake=False)
        ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert (run.status, len(server.calls)) == ("finished", 4)


def test_a_refusal_of_the_check_is_the_answer_and_the_first_reply_is_kept() -> None:
    reply, _ = asked([FIRST, RefusedError("content_filter", "No.")])
    assert (reply.text, reply.finish_reason, reply.turns[0][1]) == ("", FinishReason.CONTENT_FILTER, "It is A.")


@pytest.mark.parametrize("error", [RetryLaterError("overload", "Not now."), TimeoutError()])
def test_a_failure_of_the_second_turn_carries_the_first(error: Exception) -> None:
    with pytest.raises(RetryLaterError, match="Not now|in time") as raised:
        asked([FIRST, error])
    assert raised.value.earlier == FIRST


def test_a_failure_of_the_first_turn_is_what_it_is() -> None:
    with pytest.raises(RetryLaterError, match="Later") as raised:
        asked([RetryLaterError("overload", "Later.")])
    assert raised.value.earlier is None


@pytest.mark.parametrize(
    ("code", "cost"), [("rate_limit", Decimal("0.000050")), ("timeout", None), ("overload", Decimal("0.000050"))]
)
def test_a_first_turn_is_paid_although_the_second_failed(code: str, cost: Decimal | None) -> None:
    # 10 tokens in at 2 and 3 out at 10 a million.
    error = RetryLaterError(code, "Later.")
    error.earlier = FIRST
    prices = Prices(input=Decimal(2), output=Decimal(10))
    assert failure_cost(prices=prices, error=error) == cost


@pytest.mark.django_db(transaction=True)
def test_a_run_in_two_turns_counts_what_the_second_one_says(
    twenty: QuestionSetRevision, make_system: Callable[..., System]
) -> None:
    follow_up = prompt_style("self-critique@1").follow_up

    def answer(prompt: str) -> Said:
        return Said("[ANSWER]A[/ANSWER] indeed." if prompt == follow_up else "[ANSWER]B[/ANSWER]")

    def fault(prompt: str, nth: int) -> Fault | None:
        return error_fault(429, "slow down") if prompt == follow_up and nth == 1 else None

    prices = {"input_price": Decimal(2), "output_price": Decimal(10)}
    with FakeServer(answer=answer, fault=fault) as server:
        system = make_system(server.base_url, **prices)
        run = run_create(system=system, set_revision=twenty, prompt_style="self-critique@1")
        ask_until_done(run_id=run.pk)
    # The one whose second turn failed was asked anew, and its first turn is kept and paid: 11 in, 7 out.
    (failed,) = ItemAttempt.objects.filter(item__run=run)
    assert (failed.kind, failed.completion, failed.tokens_in) == ("error", "[ANSWER]B[/ANSWER]", 11)
    assert failed.cost == Decimal("0.000092")
    items = list(run.items.all())
    assert {(item.outcome, item.completion) for item in items} == {("right", "[ANSWER]A[/ANSWER] indeed.")}
    assert {str(item.turns) for item in items} == {
        str([["assistant", "[ANSWER]B[/ANSWER]"], ["user", follow_up]]),
    }
    assert {(item.tokens_in, item.tokens_out, item.cost) for item in items} == {(22, 14, Decimal("0.000184"))}
    assert sorted(item.attempts for item in items) == [1] * 19 + [2]
    assert len(server.calls) == 42
    roles = [[message["role"] for message in call.body["messages"]] for call in server.calls]
    assert sorted(map(len, roles)) == [1] * 21 + [3] * 21
    assert ["user", "assistant", "user"] in roles
    assert run.frozen["prompt"]["follow_up"] == follow_up
