"""The vendors' adapters over HTTP with the real SDKs: every reply and every fault comes out in our words."""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from corpus.scoring.types import Asked, Kind
from evaluations.providers import (
    Ask,
    Endpoint,
    FinishReason,
    NeverRetryError,
    ProviderError,
    RefusedError,
    Reply,
    RetryLaterError,
    Scope,
    open_provider,
    provider_entry,
)
from tests.fake_servers.server import FakeServer, Fault, Said, error_fault

KEY = "sk-canary-0123456789abcdef"
SHAPES = {"openai": "openai_chat", "responses": "openai_responses", "anthropic": "anthropic_messages"}
ALL_SHAPES = {**SHAPES, "plain": "plain_http"}
each_shape = pytest.mark.parametrize("shape", SHAPES)


def ask_once(
    shape: str,
    server: FakeServer,
    timeout: float = 5.0,
    system_prompt: str = "",
    turns: Sequence[tuple[str, str]] = (),
    **parameters: Any,
) -> Reply:
    async def go() -> Reply:
        endpoint = Endpoint("model-x", server.base_url, KEY, timeout)
        sent = {"max_tokens": 50, "temperature": 0, **parameters}
        ask = Ask("How many?", Asked(Kind.NUMBER), sent, system_prompt=system_prompt, turns=turns)
        async with open_provider(ALL_SHAPES[shape], endpoint) as provider:
            return await provider.ask(ask)

    return asyncio.run(go())


def failure(shape: str, fault: Fault, timeout: float = 5.0) -> ProviderError:
    with FakeServer(shape, fault=lambda prompt, nth: fault) as server, pytest.raises(ProviderError) as caught:  # type: ignore[arg-type]
        ask_once(shape, server, timeout)
    assert len(server.calls) == 1, "an adapter must not retry by itself"
    assert KEY not in str(caught.value)
    assert caught.value.__cause__ is None
    return caught.value


@each_shape
def test_a_reply_comes_with_tokens_model_and_time(shape: str) -> None:
    with FakeServer(shape, answer=lambda prompt: Said("[ANSWER]5[/ANSWER]", reasoning="two and three")) as server:  # type: ignore[arg-type]
        reply = ask_once(shape, server)
    assert (reply.text, reply.finish_reason) == ("[ANSWER]5[/ANSWER]", FinishReason.STOP)
    assert (reply.reasoning, reply.tokens_in, reply.tokens_out) == ("two and three", 11, 7)
    assert reply.model_reported == "model-x-2026"
    assert reply.latency_ms >= 0


@each_shape
def test_parameters_go_out_as_they_are_and_none_is_left_out(shape: str) -> None:
    with FakeServer(shape) as server:  # type: ignore[arg-type]
        ask_once(shape, server, temperature=0, top_p=None, reasoning_effort="low")
    (call,) = server.calls
    assert call.body["temperature"] == 0
    assert call.body["max_tokens"] == 50
    assert call.body["reasoning_effort"] == "low"
    assert "top_p" not in call.body
    assert call.prompt == "How many?"
    assert any(KEY in value for value in call.headers.values())


@each_shape
def test_no_key_of_the_environment_goes_to_an_endpoint_that_names_none(
    shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.setenv(name, KEY)

    async def go(server: FakeServer) -> None:
        async with open_provider(SHAPES[shape], Endpoint("model-x", server.base_url)) as provider:
            await provider.ask(Ask("How many?", Asked(Kind.NUMBER), {"max_tokens": 5}))

    with FakeServer(shape) as server:  # type: ignore[arg-type]
        asyncio.run(go(server))
    assert not any(KEY in value for value in server.calls[0].headers.values())


SECRET = "other-vendor-9f8e7d6c5b4a"
CUSTOM_HEADERS = "\n".join(
    f"{name}: {SECRET}"
    for name in ("Authorization", "x-api-key", "User-Agent", "X-Stainless-Lang", "Cf-Access-Client-Secret", "X-Team")
)
OF_THE_ENVIRONMENT = {
    **{f"OPENAI_{name}": SECRET for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID", "WEBHOOK_SECRET")},
    **{f"ANTHROPIC_{name}": SECRET for name in ("API_KEY", "AUTH_TOKEN", "PROFILE", "WEBHOOK_SIGNING_KEY")},
    **{f"ANTHROPIC_{name}": SECRET for name in ("ORGANIZATION_ID", "WORKSPACE_ID", "FEDERATION_RULE_ID")},
    **{f"ANTHROPIC_{name}": SECRET for name in ("IDENTITY_TOKEN", "SERVICE_ACCOUNT_ID")},
    **{f"{vendor}_CUSTOM_HEADERS": CUSTOM_HEADERS for vendor in ("OPENAI", "ANTHROPIC")},
    **{f"{vendor}_BASE_URL": "http://127.0.0.1:1/v1" for vendor in ("OPENAI", "ANTHROPIC")},
}


@pytest.mark.parametrize("shape", ALL_SHAPES)
@pytest.mark.parametrize("key", [KEY, ""])
def test_only_what_the_system_names_is_sent_whatever_the_environment_holds(
    shape: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def go(server: FakeServer) -> None:
        async with open_provider(ALL_SHAPES[shape], Endpoint("model-x", server.base_url, key)) as provider:
            await provider.ask(Ask("How many?", Asked(Kind.NUMBER), {"max_tokens": 5}))

    with FakeServer(shape) as server:  # type: ignore[arg-type]
        asyncio.run(go(server))
        for name, value in OF_THE_ENVIRONMENT.items():
            monkeypatch.setenv(name, value)
        asyncio.run(go(server))
    usual, with_secrets = server.calls
    assert with_secrets.headers == usual.headers
    assert (with_secrets.path, with_secrets.body) == (usual.path, usual.body)
    assert SECRET not in str(usual.headers)


WITHOUT_CONTENT = [
    (Said(None, "content_filter"), "", FinishReason.CONTENT_FILTER),
    (Said("As far as", "content_filter"), "As far as", FinishReason.CONTENT_FILTER),
    (Said(None, "stop", refusal="I cannot help."), "I cannot help.", FinishReason.REFUSAL),
    (Said(None, "length", reasoning="on and on"), "", FinishReason.LENGTH),
    (Said(None, "tool_calls", tool="search"), "", FinishReason.UNKNOWN),
    (Said("", "stop"), "", FinishReason.STOP),
    (Said("x", "stop", has_usage=False), "x", FinishReason.STOP),
]


@pytest.mark.parametrize("shape", ["openai", "responses"])
@pytest.mark.parametrize(("said", "text", "finish"), WITHOUT_CONTENT)
def test_openai_replies_without_content(shape: str, said: Said, text: str, finish: FinishReason) -> None:
    with FakeServer(shape, answer=lambda prompt: said) as server:  # type: ignore[arg-type]
        reply = ask_once(shape, server)
    assert (reply.text, reply.finish_reason, reply.reasoning) == (text, finish, said.reasoning)
    assert (reply.tokens_in is None) is not said.has_usage


@pytest.mark.parametrize(
    ("said", "text", "finish"),
    [
        (Said(None, "content_filter"), "", FinishReason.REFUSAL),
        (Said(None, "length", reasoning="on and on"), "", FinishReason.LENGTH),
        (Said(None, "tool_calls", tool="search"), "", FinishReason.UNKNOWN),
        (Said(None, "stop"), "", FinishReason.STOP),
        (Said("x", "stop", has_usage=False), "x", FinishReason.STOP),
    ],
)
def test_anthropic_replies_without_content(said: Said, text: str, finish: FinishReason) -> None:
    with FakeServer("anthropic", answer=lambda prompt: said) as server:
        reply = ask_once("anthropic", server)
    assert (reply.text, reply.finish_reason, reply.reasoning) == (text, finish, said.reasoning)


@each_shape
@pytest.mark.parametrize("tool", ["search", ""])
def test_tools_that_a_reply_calls_are_kept(shape: str, tool: str) -> None:
    said = Said(None if tool else "x", "tool_calls" if tool else "stop", tool=tool)
    with FakeServer(shape, answer=lambda prompt: said) as server:  # type: ignore[arg-type]
        reply = ask_once(shape, server)
    assert (tool in reply.tool_trace) if tool else reply.tool_trace == ""
    assert bool(reply.tool_trace) is bool(tool)


@each_shape
@pytest.mark.parametrize(("n_cached", "n_reasoning"), [(5, 3), (0, 0), (None, None)])
def test_cached_and_reasoning_tokens_are_parts_of_the_others_or_unknown(
    shape: str, n_cached: int | None, n_reasoning: int | None
) -> None:
    said = Said("x", n_cached=n_cached, n_reasoning=n_reasoning)
    with FakeServer(shape, answer=lambda prompt: said) as server:  # type: ignore[arg-type]
        reply = ask_once(shape, server)
    assert (reply.tokens_in, reply.tokens_out) == (11, 7)
    assert (reply.tokens_cached, reply.tokens_reasoning) == (n_cached, n_reasoning)


@pytest.mark.parametrize(("total", "tokens_out"), [(118, 107), (18, 7), (None, 7), (90, 7)])
def test_reasoning_that_a_server_counts_apart_is_added(total: int | None, tokens_out: int) -> None:
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": total}
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "x"}}
    body = {"choices": [choice], "usage": {**usage, "completion_tokens_details": {"reasoning_tokens": 100}}}
    with FakeServer("openai", fault=lambda prompt, nth: Fault(200, json.dumps(body))) as server:
        reply = ask_once("openai", server)
    assert (reply.tokens_out, reply.tokens_reasoning) == (tokens_out, 100)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ([("A", -0.25), ("B", float("-inf"))], [("A", -0.25), ("B", None)]),
        ([("A", -1)] * 5000, [("A", -1.0)] * 1000),
        (None, None),
        ([], None),
    ],
)
@pytest.mark.parametrize("shape", ["openai", "responses"])
def test_log_probabilities_are_kept_where_they_are_given(shape: str, given: Any, kept: Any) -> None:
    with FakeServer(shape, answer=lambda prompt: Said("x", log_probabilities=given)) as server:  # type: ignore[arg-type]
        reply = ask_once(shape, server)
    assert reply.log_probabilities == kept


@pytest.mark.parametrize("shape", ["openai", "responses"])
def test_log_probabilities_never_spell_the_key(shape: str) -> None:
    said = Said("x", log_probabilities=[(KEY[:9], -1), (KEY[9:], -1)])
    with FakeServer(shape, answer=lambda prompt: said) as server:  # type: ignore[arg-type]
        assert ask_once(shape, server).log_probabilities is None


TURNS = (("assistant", "Five."), ("user", "Are you sure?"))
CONVERSATION = [
    {"role": "user", "content": "How many?"},
    {"role": "assistant", "content": "Five."},
    {"role": "user", "content": "Are you sure?"},
]
SYSTEM_MESSAGE = {"role": "system", "content": "Be brief."}


@pytest.mark.parametrize(
    ("shape", "system_prompt", "turns", "sent"),
    [
        ("openai", "Be brief.", (), {"messages": [SYSTEM_MESSAGE, CONVERSATION[0]]}),
        ("openai", "Be brief.", TURNS, {"messages": [SYSTEM_MESSAGE, *CONVERSATION]}),
        ("openai", "", TURNS, {"messages": CONVERSATION}),
        ("responses", "Be brief.", (), {"instructions": "Be brief.", "input": "How many?"}),
        ("responses", "Be brief.", TURNS, {"instructions": "Be brief.", "input": CONVERSATION}),
        ("responses", "", (), {"instructions": None, "input": "How many?"}),
        ("anthropic", "Be brief.", (), {"system": "Be brief.", "messages": CONVERSATION[:1]}),
        ("anthropic", "", TURNS, {"system": None, "messages": CONVERSATION}),
        ("plain", "Be brief.", (), {"prompt": "Be brief.\n\nHow many?"}),
        ("plain", "", TURNS, {"prompt": "How many?\n\nYour reply:\nFive.\n\nThen:\nAre you sure?"}),
    ],
)
def test_system_prompt_and_further_turns_go_out_in_each_interfaces_own_way(
    shape: str, system_prompt: str, turns: Any, sent: dict[str, Any]
) -> None:
    with FakeServer(shape) as server:  # type: ignore[arg-type]
        ask_once(shape, server, system_prompt=system_prompt, turns=turns)
    (call,) = server.calls
    assert {name: call.body.get(name) for name in sent} == sent


def test_a_template_has_its_own_place_for_the_system_prompt() -> None:
    template = {"rules": "{system_prompt}", "ask": "{prompt}"}
    with FakeServer("plain") as server:
        ask_once("plain", server, system_prompt="Say {prompt}", template=template)
    assert {name: server.calls[0].body[name] for name in template} == {"rules": "Say {prompt}", "ask": "How many?"}


def test_responses_are_not_stored_by_the_endpoint_unless_the_system_says_so() -> None:
    assert provider_entry("openai_responses").defaults["store"] is False


@pytest.mark.parametrize(
    ("provider", "parameters", "says"),
    [
        ("openai_responses", {"instructions": "x"}, "System prompt"),
        ("openai_responses", {"background": True}, "later"),
        ("openai_responses", {"background": False, "conversation": None}, ""),
        ("openai_responses", {"previous_response_id": "resp_1"}, "by itself"),
        ("anthropic_messages", {"system": "x"}, "System prompt"),
    ],
)
def test_parameters_that_would_change_what_is_asked(provider: str, parameters: dict[str, Any], says: str) -> None:
    problems = provider_entry(provider).problems(parameters)
    assert len(problems) == bool(says)
    assert all(says in problem for problem in problems)


@pytest.mark.parametrize(
    ("shape", "body"),
    [
        ("openai", '{"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": []}'),
        ("responses", '{"id": "x", "object": "response", "status": "completed", "output": []}'),
        ("responses", '{"id": "x", "object": "response", "output": [{"type": "message", "content": null}]}'),
        ("anthropic", '{"id": "x", "type": "message", "content": []}'),
    ],
)
def test_no_choices_is_an_empty_reply(shape: str, body: str) -> None:
    with FakeServer(shape, fault=lambda prompt, nth: Fault(200, body)) as server:  # type: ignore[arg-type]
        reply = ask_once(shape, server)
    assert (reply.text, reply.finish_reason) == ("", FinishReason.UNKNOWN)


RETRIED = [
    (Fault(500, "<html><body>Oops</body></html>"), "overload"),
    (error_fault(502, "bad gateway"), "overload"),
    (error_fault(503, "overloaded"), "overload"),
    (error_fault(529, "overloaded", type="overloaded_error"), "overload"),
    (error_fault(429, "slow down"), "rate_limit"),
    (error_fault(408, "slow"), "timeout"),
    (Fault(200, "<html><body>Please log in</body></html>"), "not_json"),
    (Fault(200, '{"id": "x", "choi'), "broken_json"),
    (Fault(200, '{"id": "x", "n": %s}' % ("[" * 3000 + "]" * 3000)), "broken_json"),
    (Fault(200, '{"id": "x", "n": %s}' % ("1" * 5000)), "broken_json"),
    (Fault(200, '{"id": "x"}'), "malformed"),
    (Fault(200, '"text"'), "malformed"),
    (Fault(200, ""), "broken_json"),
    (Fault(204, "", {"Content-Type": "text/plain"}), "malformed"),
    (Fault(200, '{"id": "x", "choices": [], "output": [], "cont', cuts="chunked"), "connection"),
    (Fault(200, '{"id": "x", "choices": [], "output": [], "cont', cuts="length"), "connection"),
    (Fault(drops=True), "connection"),
]


@each_shape
@pytest.mark.parametrize(("fault", "code"), RETRIED)
def test_passing_faults_are_to_be_retried(shape: str, fault: Fault, code: str) -> None:
    error = failure(shape, fault)
    assert isinstance(error, RetryLaterError)
    assert error.code == code
    assert "<" not in error.message
    assert ("web page instead" in error.message) is (code == "not_json")


@each_shape
@pytest.mark.parametrize("fault", [Fault(hangs_seconds=5), Fault(stalls_after_headers=True, hangs_seconds=5)])
def test_a_hang_ends_at_the_time_limit(shape: str, fault: Fault) -> None:
    started = time.monotonic()
    error = failure(shape, fault, timeout=0.5)
    assert isinstance(error, RetryLaterError)
    assert error.code == "timeout"
    assert time.monotonic() - started < 3


NEVER = [
    (error_fault(401, f"Incorrect API key provided: {KEY}."), "bad_key", Scope.RUN),
    (error_fault(403, "no access"), "forbidden", Scope.RUN),
    (error_fault(404, "The model does not exist", code="model_not_found"), "not_found", Scope.RUN),
    (error_fault(402, "pay first"), "quota", Scope.RUN),
    (error_fault(429, "You exceeded your current quota", code="insufficient_quota"), "quota", Scope.RUN),
    (error_fault(400, "Your credit balance is too low", type="invalid_request_error"), "quota", Scope.RUN),
    (
        error_fault(400, "Unsupported parameter: temperature", code="unsupported_parameter", param="temperature"),
        "bad_parameter",
        Scope.RUN,
    ),
    (error_fault(400, "This model's maximum context length is 8192 tokens"), "too_long", Scope.QUESTION),
    (error_fault(400, "x", code="context_length_exceeded", param="messages"), "too_long", Scope.QUESTION),
    (error_fault(413, "too large"), "too_long", Scope.QUESTION),
    (error_fault(400, "nonsense"), "bad_request", Scope.UNCLEAR),
    (Fault(302, "", {"Location": "http://127.0.0.1:9/"}), "redirect", Scope.RUN),
]


@each_shape
@pytest.mark.parametrize(("fault", "code", "scope"), NEVER)
def test_lasting_faults_are_never_retried(shape: str, fault: Fault, code: str, scope: Scope) -> None:
    error = failure(shape, fault)
    assert isinstance(error, NeverRetryError)
    assert (error.code, error.scope) == (code, scope)


@each_shape
def test_a_filter_that_answers_with_an_error_is_a_refusal(shape: str) -> None:
    error = failure(shape, error_fault(400, "blocked by policy", code="content_filter"))
    assert isinstance(error, RefusedError)


@pytest.mark.parametrize("shape", ["openai", "responses"])
def test_an_error_object_in_a_200_is_an_error(shape: str) -> None:
    body = '{"error": {"code": 429, "message": "upstream is busy"}}'
    assert failure(shape, Fault(200, body)).code == "rate_limit"


@pytest.mark.parametrize(
    ("status", "error", "kind", "code"),
    [
        ("failed", {"code": "server_error", "message": "sorry"}, RetryLaterError, "overload"),
        ("failed", {"code": "rate_limit_exceeded", "message": "slow down"}, RetryLaterError, "rate_limit"),
        ("failed", {"code": "invalid_prompt", "message": "flagged"}, RefusedError, "content_filter"),
        ("failed", {"code": "bio_policy", "message": "flagged"}, RefusedError, "content_filter"),
        ("failed", {"code": "insufficient_quota", "message": "pay"}, NeverRetryError, "quota"),
        ("failed", None, RetryLaterError, "overload"),
        ("failed", "much", RetryLaterError, "overload"),
        ("in_progress", None, RetryLaterError, "unfinished"),
        ("queued", None, RetryLaterError, "unfinished"),
        ("completed", None, RetryLaterError, "malformed"),
        (["failed"], None, RetryLaterError, "malformed"),
    ],
)
def test_responses_that_failed_after_they_were_accepted(status: Any, error: Any, kind: type, code: str) -> None:
    output: list[Any] | None = None if code == "malformed" else []
    raised = failure("responses", Fault(200, json.dumps({"status": status, "error": error, "output": output})))
    assert isinstance(raised, kind)
    assert raised.code == code


@pytest.mark.parametrize(
    ("status", "reason", "finish"),
    [
        ("incomplete", "max_output_tokens", FinishReason.LENGTH),
        ("incomplete", "content_filter", FinishReason.CONTENT_FILTER),
        ("incomplete", "steered", FinishReason.UNKNOWN),
        ("incomplete", None, FinishReason.UNKNOWN),
        ("completed", None, FinishReason.STOP),
    ],
)
def test_why_a_response_ended(status: str, reason: str | None, finish: FinishReason) -> None:
    part = {"type": "output_text", "text": "x"}
    output = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "first"}, {"text": "then"}]},
        {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "last"}]},
        {"type": "web_search_call", "status": "completed"},
        {"type": "message", "content": [part, {**part, "text": "y"}, {"type": "refusal", "refusal": "no"}]},
    ]
    body = {"status": status, "incomplete_details": {"reason": reason} if reason else None, "output": output}
    with FakeServer("responses", fault=lambda prompt, nth: Fault(200, json.dumps(body))) as server:
        reply = ask_once("responses", server)
    assert (reply.text, reply.finish_reason, reply.reasoning) == ("xy", finish, "first\n\nthen\n\nlast")
    assert json.loads(reply.tool_trace) == [{"type": "web_search_call", "status": "completed"}]


@each_shape
def test_an_address_where_nobody_answers(shape: str) -> None:
    with FakeServer(shape) as server:  # type: ignore[arg-type]
        pass
    with pytest.raises(RetryLaterError) as caught:
        ask_once(shape, server)
    assert caught.value.code == "unreachable"
    assert "cannot be reached" in caught.value.message


def test_anthropic_needs_a_token_limit() -> None:
    with FakeServer("anthropic") as server, pytest.raises(NeverRetryError) as caught:
        ask_once("anthropic", server, max_tokens=None)
    assert "max_tokens" in caught.value.message
    assert not server.calls


@each_shape
@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("Retry-After", lambda: "7"),
        ("retry-after-ms", lambda: "7000"),
        ("Retry-After", lambda: format_datetime(datetime.now(tz=UTC) + timedelta(seconds=7.9), usegmt=True)),
    ],
)
def test_the_delay_a_server_asks_for_comes_along(shape: str, header: str, value: Callable[[], str]) -> None:
    error = failure(shape, error_fault(429, "slow down", {header: value()}))
    assert isinstance(error, RetryLaterError)
    assert error.delay_seconds is not None
    assert 5 < error.delay_seconds <= 8
