"""Errors that come with a 200: in place of a reply, beside an empty one or behind a part of one."""

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from corpus.models import QuestionSetRevision
from corpus.scoring.types import Asked, Kind
from evaluations.models import ItemAttempt, Run, System
from evaluations.providers import Ask, FinishReason, NeverRetryError, RefusedError, RetryLaterError
from evaluations.providers.errors_inside import error_or_note
from evaluations.services.asking import ask_until_done
from evaluations.services.call_results import declined
from evaluations.services.costs import Prices
from evaluations.services.reply_costs import failure_cost, reply_cost
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
    "chat: an error beside a text that is cut": ("openai", beside(choice(CUT, "length"), FAILED), "broken_off"),
    "chat: an error beside a text that ends somehow": ("openai", beside(choice(CUT), FAILED), "broken_off"),
    "chat: an error beside a blank text": ("openai", beside(choice(" \n", "stop"), FAILED), "overload"),
    "chat: a message that is none": ("openai", openai_body(choices=[{"message": None, "error": BUSY}]), "rate_limit"),
    "chat: errors in a list": ("openai", beside(choice(""), [BUSY]), "rate_limit"),
    "chat: a list in place of an answer": ("openai", json.dumps([{"error": BUSY}]), "rate_limit"),
    "chat: the endpoint ran out of machines": ("openai", choice(CUT, "insufficient_system_resource"), "broken_off"),
    "chat: an error in the message": (
        "openai",
        openai_body(choices=[{"finish_reason": "stop", "message": {"content": "", "error": FAILED}}]),
        "overload",
    ),
    "chat: a code in place of a choice": ("openai", openai_body(choices=[], **BUSY), "rate_limit"),
    "chat: only words beside no choice": ("openai", openai_body(choices=[], message="No capacity left."), "overload"),
    "chat: only words in a detail": ("openai", openai_body(choices=[], detail="No capacity left."), "overload"),
    "responses: only words beside no output": (
        "responses",
        responses_body(output=[], message="No capacity left."),
        "overload",
    ),
    "anthropic: only words beside no content": (
        "anthropic",
        anthropic_body(content=[], message="No capacity left."),
        "overload",
    ),
    "chat: no success": ("openai", openai_body(choices=[], success=False), "overload"),
    "chat: choices that are an object": ("openai", openai_body(choices={}), "malformed"),
    "chat: choices that are a text": ("openai", openai_body(choices=""), "malformed"),
    "chat: choices that are a number": ("openai", openai_body(choices=0), "malformed"),
    "chat: a choice that is none": ("openai", openai_body(choices=[None]), "malformed"),
    "chat: the network failed": ("openai", choice(CUT, "network_error"), "broken_off"),
    "chat: out of time": ("openai", choice(CUT, "timeout"), "broken_off"),
    "chat: finished by an error": ("openai", choice(CUT, "error_finish"), "broken_off"),
    "chat: an error in plain words": ("openai", beside(choice(""), "upstream failed"), "overload"),
    "responses: cancelled": ("responses", responses_body(status="cancelled", output=[]), "broken_off"),
    "responses: cancelled in the text": ("responses", responses_body(status="cancelled"), "broken_off"),
    "responses: completed with an error": ("responses", responses_body(output=[], error=FAILED), "overload"),
    "responses: a part of the text and an error": (
        "responses",
        responses_body(error=FAILED, status="incomplete"),
        "broken_off",
    ),
    "responses: failed, in a list": (
        "responses",
        responses_body(status="failed", output=[], error=[BUSY]),
        "rate_limit",
    ),
    "responses: a code in place of an output": ("responses", responses_body(output=[], **BUSY), "rate_limit"),
    "responses: an output that is a text": ("responses", responses_body(output=""), "malformed"),
    "responses: failed without a word": ("responses", responses_body(status="failed", output=[]), "overload"),
    "anthropic: an error alone": ("anthropic", json.dumps({"type": "error", "error": FAILED}), "overload"),
    "anthropic: no content": ("anthropic", anthropic_body(content=[], error={"type": "overloaded_error"}), "overload"),
    "anthropic: a code in place of content": ("anthropic", anthropic_body(content=[], **BUSY), "rate_limit"),
    "anthropic: content that is an object": ("anthropic", anthropic_body(content={}), "malformed"),
    "anthropic: too many": ("anthropic", anthropic_body(content=[], error={"type": "rate_limit_error"}), "rate_limit"),
    "anthropic: ended by an error": ("anthropic", anthropic_body(stop_reason="error"), "broken_off"),
    "anthropic: `errors`": ("anthropic", anthropic_body(content=[], errors=[BUSY]), "rate_limit"),
    "plain: no text and `errors`": ("plain", json.dumps({"data": None, "errors": [BUSY]}), "rate_limit"),
    "plain: an empty text and an error": ("plain", plain_body(None, error=FAILED), "overload"),
    "plain: no text and a status": ("plain", plain_body(None, status="error", message="upstream"), "overload"),
    "plain: failed": ("plain", plain_body(CUT, "failed"), "broken_off"),
    "plain: ended by an error": ("plain", plain_body(CUT, "error"), "broken_off"),
}
PATHS: dict[str, dict[str, Any]] = {"plain": {"text_path": "outputs.0.text", "finish_path": "outputs.0.why_ended"}}


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
    assert told.value.taken is not None


@pytest.mark.parametrize(
    ("shape", "body", "kind"),
    [
        ("openai", beside(openai_body(choices=[]), {"code": "insufficient_quota", "message": "pay"}), NeverRetryError),
        ("openai", choice("", "error", error={"code": 401, "message": "no such key"}), NeverRetryError),
        ("responses", responses_body(output=[], error={"code": "invalid_prompt", "message": "no"}), RefusedError),
        ("openai", openai_body(choices=[], success=False, code=401, message="no quota"), NeverRetryError),
        ("openai", openai_body(choices=[], code="InvalidApiKey"), NeverRetryError),
        ("anthropic", anthropic_body(content=[], code="InvalidApiKey"), NeverRetryError),
        *(
            ("anthropic", json.dumps({"type": "error", "error": {"type": kind, "message": "no"}}), NeverRetryError)
            for kind in ("authentication_error", "permission_error", "not_found_error", "invalid_request_error")
        ),
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


@pytest.mark.parametrize("success", [{"code": 0, "message": "Success"}, {"code": 200, "message": "ok"}, "none"])
@pytest.mark.parametrize("finish", ["length", None])
def test_an_error_that_says_all_went_well_costs_no_reply(success: Any, finish: str | None) -> None:
    body = beside(choice("[ANSWER]A[/ANSWER]", finish), success)
    with FakeServer(fault=lambda prompt, nth: Fault(200, body)) as server:
        reply = ask_once("openai", server)
    assert (reply.text, reply.note) == ("[ANSWER]A[/ANSWER]", "")


@pytest.mark.parametrize(
    "body",
    [openai_body(choices=[], message="Success"), openai_body(choices=[], message={}), beside(choice(""), None)],
)
def test_words_that_say_nothing_went_wrong_leave_an_empty_answer_empty(body: str) -> None:
    with FakeServer(fault=lambda prompt, nth: Fault(200, body)) as server:
        assert ask_once("openai", server).text == ""


def test_words_beside_an_answer_that_is_empty_leave_it_empty() -> None:
    body = json.dumps({**json.loads(choice("", "stop")), "message": "thank you for asking"})
    with FakeServer(fault=lambda prompt, nth: Fault(200, body)) as server:
        assert ask_once("openai", server).text == ""


def test_a_code_of_success_leaves_an_empty_answer_empty() -> None:
    with FakeServer(fault=lambda prompt, nth: Fault(200, openai_body(choices=[], code=0, success=True))) as server:
        assert ask_once("openai", server).text == ""


WHOLE = {
    "chat": ("openai", beside(openai_body(), FAILED)),
    "chat, in the choice": ("openai", choice("[ANSWER]A[/ANSWER]", "stop", error=FAILED)),
    "chat, about money": ("openai", beside(openai_body(), {**FAILED, "code": "insufficient_quota"})),
    "responses": ("responses", responses_body(error=FAILED)),
    "responses, of a filter": ("responses", responses_body(error={**FAILED, "code": "content_filter"})),
    "anthropic": ("anthropic", beside(anthropic_body(), FAILED)),
    "anthropic, stopped": ("anthropic", anthropic_body(stop_reason="stop_sequence", errors=["upstream failed"])),
    "plain": ("plain", plain_body("[ANSWER]A[/ANSWER]", "stop", error={"message": "upstream failed"})),
}


@pytest.mark.parametrize("case", WHOLE)
def test_an_error_beside_a_whole_answer_is_noted_and_costs_no_answer(case: str) -> None:
    shape, body = WHOLE[case]
    with FakeServer(shape, fault=lambda prompt, nth: Fault(200, body)) as server:  # type: ignore[arg-type]
        reply = ask_once(shape, server, **PATHS.get(shape, {}))
    assert reply.text == "[ANSWER]A[/ANSWER]"
    assert "upstream failed" in reply.note


def test_the_note_of_an_answer_stands_with_it_and_holds_no_key(
    twenty: QuestionSetRevision, make_system: Callable[..., System], key: str
) -> None:
    body = beside(openai_body(), f"upstream failed with {key}")
    with FakeServer(fault=lambda prompt, nth: Fault(200, body)) as server:
        run = run_create(system=make_system(server.base_url, api_key_variable="TEST_API_KEY"), set_revision=twenty)
        ask_until_done(run_id=run.pk)
    assert set(server.asked.values()) == {1}
    item = run.items.get(position=0)
    assert (item.status, item.outcome, item.error_code) == ("answered", "right", "")
    assert "upstream failed with [key removed]" in item.error_message


ALONE = [
    {"error": BUSY},
    {"error": "upstream is busy"},
    {"object": "error", **BUSY},
    {"success": False, **BUSY},
    {"status": "error", "message": "upstream is busy"},
]


@pytest.mark.parametrize("body", ALONE)
def test_a_body_that_is_nothing_but_an_error_is_no_answer_where_every_body_is_the_answer(body: Any) -> None:
    assert isinstance(failure("plain", Fault(200, json.dumps(body))), RetryLaterError)


@pytest.mark.parametrize(
    "body",
    [{"answer": "A", "error": BUSY}, {"error": None}, {"message": "A"}, {"code": "C1CC1"}, ["error"], "error"],
)
def test_json_that_a_system_answers_with_is_its_answer(body: Any) -> None:
    with FakeServer("plain", fault=lambda prompt, nth: Fault(200, json.dumps(body))) as server:
        assert ask_once("plain", server).text == json.dumps(body)


PRICED = Prices(input=Decimal(1), output=Decimal(2))
USED = {"prompt_tokens": 10, "completion_tokens": 500, "completion_tokens_details": {"reasoning_tokens": 500}}


@pytest.mark.parametrize(
    ("shape", "body", "cost"),
    [
        ("openai", beside(openai_body(choices=[], usage=USED), BUSY), Decimal("0.00101")),
        ("openai", json.dumps({"error": BUSY}), None),
        ("openai", openai_body(choices=[], error={"code": 400, "message": "bad"}, usage={}), None),
        ("responses", responses_body(output=[], status="failed", error=FAILED), Decimal("0.000025")),
        ("responses", responses_body(output=[], error={"code": "invalid_prompt"}), Decimal("0.000025")),
        ("anthropic", anthropic_body(content=[], error=BUSY, usage=None), None),
    ],
)
def test_an_error_with_a_200_costs_what_it_took_or_nobody_knows_what(
    shape: str, body: str, cost: Decimal | None
) -> None:
    error = failure(shape, Fault(200, body))
    assert failure_cost(prices=PRICED, error=error) == cost
    if isinstance(error, RefusedError):
        assert reply_cost(prices=PRICED, reply=declined(error)) == cost


@pytest.mark.parametrize(
    ("part", "code"),
    [
        ({"errors": [BUSY, FAILED]}, "rate_limit"),
        ({"error": None, "errors": ["upstream failed"]}, "overload"),
        ({"error": {"error": BUSY}}, "rate_limit"),
        ({"error": {"code": 429, "error": "upstream"}}, "rate_limit"),
        ({"error": {"error": "rate_limit_error", "message": "upstream"}}, "rate_limit"),
        ({"error": [{}, {"error": BUSY}]}, "rate_limit"),
        ([{"error": BUSY}], "rate_limit"),
        ({"error": True, **BUSY}, "rate_limit"),
        ({"error": True}, "overload"),
        ({"error": 429}, "rate_limit"),
        ({"error": {"status": 429}}, "rate_limit"),
        ({"object": "error", **BUSY}, "rate_limit"),
        ({"type": "error", **FAILED}, "overload"),
        ({"error": {"error": {"error": {"error": {"error": {"error": BUSY}}}}}}, None),
        ({"error": 0, "errors": [None, {}, "", []], "message": "A", "code": 200}, None),
        (None, None),
        ("error", None),
    ],
)
def test_an_error_is_seen_however_it_is_wrapped(part: Any, code: str | None) -> None:
    ask = Ask("How many?", Asked(Kind.NUMBER), {})
    if code is None:
        assert error_or_note(part, ask=ask, key="") == ""
        return
    with pytest.raises(RetryLaterError) as told:
        error_or_note(None, part, ask=ask, key="")
    assert told.value.code == code


@pytest.mark.parametrize(
    ("case", "cost"),
    [
        ("chat: error behind a part of the text", Decimal("0.000018")),
        ("chat: a list in place of an answer", None),
    ],
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
