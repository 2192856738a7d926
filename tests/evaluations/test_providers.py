"""The vendors' adapters over HTTP with the real SDKs: every reply and every fault comes out in our words."""

import asyncio
import time
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
)
from evaluations.providers.http_errors import retry_after_seconds
from tests.fake_servers.server import FakeServer, Fault, Said, error_fault

KEY = "sk-canary-0123456789abcdef"
SHAPES = {"openai": "openai_chat", "responses": "openai_responses", "anthropic": "anthropic_messages"}
each_shape = pytest.mark.parametrize("shape", SHAPES)


def ask_once(shape: str, server: FakeServer, timeout: float = 5.0, **parameters: Any) -> Reply:
    async def go() -> Reply:
        endpoint = Endpoint("model-x", server.base_url, KEY, timeout)
        async with open_provider(SHAPES[shape], endpoint) as provider:
            asked = Asked(Kind.NUMBER)
            return await provider.ask(Ask("How many?", asked, {"max_tokens": 50, "temperature": 0, **parameters}))

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


@pytest.mark.parametrize(
    ("said", "text", "finish"),
    [
        (Said(None, "content_filter"), "", FinishReason.CONTENT_FILTER),
        (Said(None, "stop", refusal="I cannot help."), "I cannot help.", FinishReason.REFUSAL),
        (Said(None, "length", reasoning="on and on"), "", FinishReason.LENGTH),
        (Said(None, "tool_calls"), "", FinishReason.UNKNOWN),
        (Said("", "stop"), "", FinishReason.STOP),
        (Said("x", "stop", has_usage=False), "x", FinishReason.STOP),
    ],
)
def test_openai_replies_without_content(said: Said, text: str, finish: FinishReason) -> None:
    with FakeServer("openai", answer=lambda prompt: said) as server:
        reply = ask_once("openai", server)
    assert (reply.text, reply.finish_reason, reply.reasoning) == (text, finish, said.reasoning)
    assert (reply.tokens_in is None) is not said.has_usage


@pytest.mark.parametrize(
    ("said", "text", "finish"),
    [
        (Said(None, "content_filter"), "", FinishReason.REFUSAL),
        (Said(None, "length", reasoning="on and on"), "", FinishReason.LENGTH),
        (Said(None, "stop"), "", FinishReason.STOP),
        (Said("x", "stop", has_usage=False), "x", FinishReason.STOP),
    ],
)
def test_anthropic_replies_without_content(said: Said, text: str, finish: FinishReason) -> None:
    with FakeServer("anthropic", answer=lambda prompt: said) as server:
        reply = ask_once("anthropic", server)
    assert (reply.text, reply.finish_reason, reply.reasoning) == (text, finish, said.reasoning)


def test_no_choices_is_an_empty_reply() -> None:
    body = '{"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": []}'
    with FakeServer("openai", fault=lambda prompt, nth: Fault(200, body)) as server:
        reply = ask_once("openai", server)
    assert (reply.text, reply.finish_reason) == ("", FinishReason.UNKNOWN)


RETRIED = [
    (Fault(500, "<html><body>Oops</body></html>"), "overload"),
    (error_fault(502, "bad gateway"), "overload"),
    (error_fault(503, "overloaded"), "overload"),
    (error_fault(529, "overloaded", type="overloaded_error"), "overload"),
    (error_fault(429, "slow down"), "rate_limit"),
    (error_fault(408, "slow"), "overload"),
    (Fault(200, "<html><body>Please log in</body></html>"), "not_json"),
    (Fault(200, '{"id": "x", "choi'), "broken_json"),
    (Fault(200, '{"id": "x"}'), "malformed"),
    (Fault(drops=True), "connection"),
]


@each_shape
@pytest.mark.parametrize(("fault", "code"), RETRIED)
def test_passing_faults_are_to_be_retried(shape: str, fault: Fault, code: str) -> None:
    error = failure(shape, fault)
    assert isinstance(error, RetryLaterError)
    assert error.code == code
    assert "<" not in error.message


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


def test_an_error_object_in_a_200_is_an_error() -> None:
    body = '{"error": {"code": 429, "message": "upstream is busy"}}'
    assert failure("openai", Fault(200, body)).code == "rate_limit"


@each_shape
def test_an_address_where_nobody_answers(shape: str) -> None:
    with FakeServer(shape) as server:  # type: ignore[arg-type]
        pass
    with pytest.raises(RetryLaterError) as caught:
        ask_once(shape, server)
    assert caught.value.code == "connection"
    assert "cannot be reached" in caught.value.message


def test_anthropic_needs_a_token_limit() -> None:
    with FakeServer("anthropic") as server, pytest.raises(NeverRetryError) as caught:
        ask_once("anthropic", server, max_tokens=None)
    assert "max_tokens" in caught.value.message
    assert not server.calls


NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"Retry-After": format_datetime(NOW + timedelta(seconds=30), usegmt=True)}, 30.0),
        ({"Retry-After": format_datetime(NOW - timedelta(seconds=30), usegmt=True)}, 0.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-3"}, None),
        ({"Retry-After": "nan"}, None),
        ({}, None),
    ],
)
def test_every_form_of_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_seconds(headers, NOW) == seconds


@each_shape
def test_the_delay_a_server_asks_for_comes_along(shape: str) -> None:
    error = failure(shape, error_fault(429, "slow down", {"Retry-After": "7"}))
    assert isinstance(error, RetryLaterError)
    assert error.delay_seconds == 7
