"""Errors that come with a 200: in place of a reply, beside an empty one or behind a part of one."""

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from corpus.models import QuestionSetRevision
from evaluations.models import ItemAttempt, Run, System
from evaluations.providers import FinishReason, NeverRetryError, RefusedError, RetryLaterError
from evaluations.services.asking import ask_until_done
from evaluations.services.runs import run_create
from tests.evaluations.test_providers import ask_once, failure
from tests.evaluations.test_sloppy_servers import PROVIDERS, anthropic_body, openai_body, responses_body
from tests.fake_servers.server import FakeServer, Fault

pytestmark = pytest.mark.one_database

BUSY = {"code": 429, "message": "upstream is busy"}
FAILED = {"code": 502, "message": "upstream failed"}


def choice(text: str | None, finish: str | None = None, **fields: Any) -> str:
    message = {"role": "assistant", "content": text}
    return openai_body(choices=[{"index": 0, "finish_reason": finish, "message": message, **fields}])


def beside(body: str, error: Any) -> str:
    return json.dumps({**json.loads(body), "error": error})


def plain_body(text: str | None, finish: str = "", **fields: Any) -> str:
    return json.dumps({"outputs": [{"text": text, "why_ended": finish}], **fields})


CUT = "The answer is A, no wait, "
PASSING = {
    "chat: error in the choice": ("openai", choice("", "error", error=FAILED), "overload"),
    "chat: error behind a part of the text": ("openai", choice(CUT, "error", error=FAILED), "broken_off"),
    "chat: busy behind a part of the text": ("openai", choice(CUT, "error", error=BUSY), "broken_off"),
    "chat: ended by an error that is not told": ("openai", choice(CUT, "error"), "broken_off"),
    "chat: no choice and an error": ("openai", beside(openai_body(choices=[]), BUSY), "rate_limit"),
    "chat: an empty message and an error": ("openai", beside(choice(""), FAILED), "overload"),
    "chat: its status as text": ("openai", beside(choice(""), {**BUSY, "code": "429"}), "rate_limit"),
    "chat: a number that is no status": ("openai", beside(choice(""), {**BUSY, "code": 7}), "overload"),
    "chat: an error in plain words": ("openai", beside(choice(""), "upstream failed"), "overload"),
    "responses: cancelled": ("responses", responses_body(status="cancelled", output=[]), "broken_off"),
    "responses: cancelled in the text": ("responses", responses_body(status="cancelled"), "broken_off"),
    "responses: completed with an error": ("responses", responses_body(output=[], error=FAILED), "overload"),
    "responses: text and an error": ("responses", responses_body(error=FAILED), "broken_off"),
    "anthropic: an error alone": ("anthropic", json.dumps({"type": "error", "error": FAILED}), "overload"),
    "anthropic: no content": ("anthropic", anthropic_body(content=[], error={"type": "overloaded_error"}), "overload"),
    "anthropic: too many": ("anthropic", anthropic_body(content=[], error={"type": "rate_limit_error"}), "rate_limit"),
    "anthropic: ended by an error": ("anthropic", anthropic_body(stop_reason="error"), "broken_off"),
    "plain: an empty text and an error": ("plain", plain_body(None, error=FAILED), "overload"),
    "plain: ended by an error": ("plain", plain_body(CUT, "error"), "broken_off"),
}
PATHS = {"plain": {"text_path": "outputs.0.text", "finish_path": "outputs.0.why_ended"}}


@pytest.mark.parametrize("case", PASSING)
def test_an_error_with_a_200_is_asked_again(case: str) -> None:
    shape, body, code = PASSING[case]
    with (
        FakeServer(shape, fault=lambda prompt, nth: Fault(200, body)) as server,  # type: ignore[arg-type]
        pytest.raises(RetryLaterError) as told,
    ):
        ask_once(shape, server, **PATHS.get(shape, {}))
    assert told.value.code == code
    assert ("upstream" in told.value.message) is ("upstream" in body)


@pytest.mark.parametrize(
    ("shape", "body", "kind"),
    [
        ("openai", beside(openai_body(choices=[]), {"code": "insufficient_quota", "message": "pay"}), NeverRetryError),
        ("openai", choice("", "error", error={"code": 401, "message": "no such key"}), NeverRetryError),
        ("responses", responses_body(output=[], error={"code": "invalid_prompt", "message": "no"}), RefusedError),
    ],
)
def test_what_stays_wrong_is_told_apart(shape: str, body: str, kind: type) -> None:
    assert isinstance(failure(shape, Fault(200, body)), kind)


@pytest.mark.parametrize("nothing", [None, "", {}, [], {"code": None, "message": ""}, False])
@pytest.mark.parametrize(
    ("shape", "body"), [("openai", openai_body()), ("responses", responses_body()), ("anthropic", anthropic_body())]
)
def test_an_error_that_says_nothing_costs_no_reply(shape: str, body: str, nothing: Any) -> None:
    with FakeServer(shape, fault=lambda prompt, nth: Fault(200, beside(body, nothing))) as server:  # type: ignore[arg-type]
        reply = ask_once(shape, server)
    assert (reply.text, reply.finish_reason) == ("[ANSWER]A[/ANSWER]", FinishReason.STOP)


def test_an_agent_may_tell_of_an_error_beside_its_answer() -> None:
    body = plain_body("[ANSWER]A[/ANSWER]", "stop", error={"message": "one tool failed, another did not"})
    with FakeServer("plain", fault=lambda prompt, nth: Fault(200, body)) as server:
        assert ask_once("plain", server, **PATHS["plain"]).text == "[ANSWER]A[/ANSWER]"


@pytest.mark.parametrize(
    ("case", "cost"),
    [("chat: error behind a part of the text", None), ("chat: no choice and an error", Decimal(0))],
)
def test_a_run_stores_no_answer_of_an_error_and_asks_again(
    twenty: QuestionSetRevision, make_system: Callable[..., System], case: str, cost: Decimal | None
) -> None:
    shape, body, code = PASSING[case]

    def fault(prompt: str, nth: int) -> Fault | None:
        return Fault(200, body) if "Question 5:" in prompt and nth == 1 else None

    with FakeServer(shape, fault=fault) as server:  # type: ignore[arg-type]
        prices = {"input_price": Decimal(1), "output_price": Decimal(1)}
        run = run_create(system=make_system(server.base_url, PROVIDERS[shape], **prices), set_revision=twenty)
        ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert set(run.items.values_list("completion", "outcome")) == {("[ANSWER]A[/ANSWER]", "right")}
    assert max(server.asked.values()) == 2
    attempt = ItemAttempt.objects.get()
    assert (attempt.error_code, attempt.cost) == (code, cost)
