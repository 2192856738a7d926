"""The plain-HTTP provider over HTTP: where the prompt goes, where the answer stands, and every fault in our words."""

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from corpus.models import QuestionSetRevision
from corpus.scoring.types import Asked, Kind
from evaluations.errors import CannotBeAskedError
from evaluations.forms import SystemForm
from evaluations.models import Item, ItemAttempt, Run, System
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
    plain_http,
    provider_entry,
)
from evaluations.providers.plain_http_settings import plain_http_problems, value_at
from evaluations.services.asking import ask_until_done
from evaluations.services.runs import run_create
from tests.fake_servers.server import FakeServer, Fault, Said, error_fault

KEY = 'canary"0123456789\\abcdef'
PATHS: dict[str, Any] = {
    "text_path": "outputs[0].text",
    "finish_path": "outputs.0.why_ended",
    "reasoning_path": "agent.thoughts",
    "model_path": "agent.version",
    "tokens_in_path": "used.read",
    "tokens_out_path": "used.written",
    "trace_path": "steps",
}


def ask_once(server: FakeServer, *, timeout: float = 5.0, prompt: str = "How many?", **parameters: Any) -> Reply:
    async def go() -> Reply:
        async with open_provider("plain_http", Endpoint("agent-x", f"{server.base_url}/ask", KEY, timeout)) as provider:
            return await provider.ask(Ask(prompt, Asked(Kind.NUMBER), parameters))

    return asyncio.run(go())


def reply_to(body: str, **parameters: Any) -> Reply:
    with FakeServer("plain", fault=lambda prompt, nth: Fault(200, body)) as server:
        return ask_once(server, **parameters)


def failure(fault: Fault, timeout: float = 5.0, **parameters: Any) -> ProviderError:
    with FakeServer("plain", fault=lambda prompt, nth: fault) as server, pytest.raises(ProviderError) as caught:
        ask_once(server, timeout=timeout, **(parameters or PATHS))
    assert len(server.calls) == 1, "an adapter must not retry by itself"
    assert "0123456789" not in str(caught.value)
    assert caught.value.__cause__ is None
    return caught.value


def test_a_reply_is_read_at_its_paths() -> None:
    with FakeServer("plain", answer=lambda prompt: Said("[ANSWER]5[/ANSWER]", reasoning="two and three")) as server:
        reply = ask_once(server, **PATHS)
    assert (reply.text, reply.finish_reason) == ("[ANSWER]5[/ANSWER]", FinishReason.STOP)
    assert (reply.reasoning, reply.model_reported) == ("two and three", "agent-2026")
    assert (reply.tokens_in, reply.tokens_out) == (11, 7)
    assert json.loads(reply.tool_trace) == [{"tool": "search", "input": "benzene"}]


REPLIES = [
    (Said(None, "content_filter"), "", FinishReason.CONTENT_FILTER),
    (Said("I cannot help.", "refusal"), "I cannot help.", FinishReason.REFUSAL),
    (Said(None, "length", reasoning="on and on"), "", FinishReason.LENGTH),
    (Said("", "tired"), "", FinishReason.UNKNOWN),
    (Said("x", has_usage=False), "x", FinishReason.STOP),
]


@pytest.mark.parametrize(("said", "text", "finish"), REPLIES)
def test_replies_without_content_or_usage(said: Said, text: str, finish: FinishReason) -> None:
    with FakeServer("plain", answer=lambda prompt: said) as server:
        reply = ask_once(server, **PATHS)
    assert (reply.text, reply.finish_reason, reply.reasoning) == (text, finish, said.reasoning)
    assert (reply.tokens_in is None) is not said.has_usage


BODIES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {"prompt": "Say {model}?"}),
    ({"prompt_field": "question", "depth": 3, "top_p": None}, {"question": "Say {model}?", "depth": 3}),
    (
        {"template": {"in": [{"role": "user", "text": "Q: {prompt} ({prompt})"}], "as": "{model}"}, "depth": 3},
        {"in": [{"role": "user", "text": "Q: Say {model}? (Say {model}?)"}], "as": "agent-x", "depth": 3},
    ),
]


@pytest.mark.parametrize(("parameters", "body"), BODIES)
def test_the_prompt_goes_where_the_system_wants_it(parameters: dict[str, Any], body: dict[str, Any]) -> None:
    with FakeServer("plain") as server:
        ask_once(server, prompt="Say {model}?", **parameters)
    (call,) = server.calls
    assert call.body == body
    assert call.path == "/ask"


@pytest.mark.parametrize(
    ("parameters", "header", "value"),
    [({}, "authorization", f"Bearer {KEY}"), ({"key_header": "X-API-Key"}, "x-api-key", KEY)],
)
def test_the_key_goes_out_in_one_header_only(parameters: dict[str, Any], header: str, value: str) -> None:
    with FakeServer("plain") as server:
        ask_once(server, **parameters)
    assert [name for name, sent in server.calls[0].headers.items() if KEY in sent] == [header]
    assert server.calls[0].headers[header] == value


TEXTS = [
    ("plain words", {}, "plain words"),
    ("", {}, ""),
    ('{"a": "x"}', {}, '{"a": "x"}'),
    ('"words"', {"text_path": ""}, '"words"'),
    ('{"a": [{"b": "x"}, {"b": "y"}]}', {"text_path": "a.1.b"}, "y"),
    ('[["x"]]', {"text_path": "0[0]"}, "x"),
    ('{"0": "zero"}', {"text_path": "0"}, "zero"),
    ('{"a": null}', {"text_path": "a"}, ""),
    *((f'{{"a": {number}}}', {"text_path": "a"}, number) for number in ("4.0", "1.50", "1e400", "-2E-3", "12")),
]


@pytest.mark.parametrize(("body", "parameters", "text"), TEXTS)
def test_where_the_text_stands(body: str, parameters: dict[str, Any], text: str) -> None:
    assert reply_to(body, **parameters).text == text


def test_a_path_leads_nowhere_where_there_is_nothing() -> None:
    for path in ("a.2", "a.x", "b", "a.0.c.d", "a.0.b.0", "a.00000000000"):
        assert value_at({"a": [{"b": "x"}]}, path) == (False, None), path


RETRIED = [
    (Fault(500, "<html><body>Oops</body></html>"), "overload"),
    (error_fault(503, "overloaded"), "overload"),
    (error_fault(429, "slow down"), "rate_limit"),
    (Fault(200, "<!DOCTYPE html><title>Please log in</title>"), "not_json"),
    (Fault(200, '{"outputs": [{"te'), "broken_json"),
    (Fault(200, "[" * 100_000), "broken_json"),
    (Fault(200, '{"outputs": []}'), "malformed"),
    (Fault(200, '{"outputs": [{"text": {"a": 1}}]}'), "malformed"),
    (Fault(200, '{"error": {"code": 429, "message": "upstream is busy"}}'), "rate_limit"),
    (Fault(drops=True), "connection"),
]


@pytest.mark.parametrize(("fault", "code"), RETRIED)
def test_passing_faults_are_to_be_retried(fault: Fault, code: str) -> None:
    error = failure(fault)
    assert isinstance(error, RetryLaterError)
    assert error.code == code
    assert "<" not in error.message


@pytest.mark.parametrize("headers", [{"Retry-After": "7"}, {"retry-after-ms": "7000", "Retry-After": "9"}])
def test_the_delay_a_server_asks_for_comes_along(headers: dict[str, str]) -> None:
    error = failure(error_fault(429, "slow down", headers))
    assert isinstance(error, RetryLaterError)
    assert error.delay_seconds == 7


@pytest.mark.parametrize("fault", [Fault(hangs_seconds=5), Fault(stalls_after_headers=True, hangs_seconds=5)])
def test_a_hang_ends_at_the_time_limit(fault: Fault) -> None:
    started = time.monotonic()
    error = failure(fault, timeout=0.3)
    assert (error.code, type(error)) == ("timeout", RetryLaterError)
    assert time.monotonic() - started < 3


NEVER = [
    (error_fault(401, f"Incorrect key: {KEY}."), "bad_key", Scope.RUN),
    (Fault(404, "no such agent"), "not_found", Scope.RUN),
    (error_fault(429, "x", code="insufficient_quota"), "quota", Scope.RUN),
    (error_fault(400, "x", code="unsupported_parameter", param="depth"), "bad_parameter", Scope.RUN),
    (error_fault(400, "This model's maximum context length is 8192 tokens"), "too_long", Scope.QUESTION),
    (error_fault(400, "nonsense"), "bad_request", Scope.UNCLEAR),
    (Fault(302, "", {"Location": "http://127.0.0.1:9/"}), "redirect", Scope.RUN),
]


@pytest.mark.parametrize(("fault", "code", "scope"), NEVER)
def test_lasting_faults_are_never_retried(fault: Fault, code: str, scope: Scope) -> None:
    error = failure(fault)
    assert isinstance(error, NeverRetryError)
    assert (error.code, error.scope) == (code, scope)


def test_a_filter_that_answers_with_an_error_is_a_refusal() -> None:
    assert isinstance(failure(error_fault(400, "blocked", code="content_filter")), RefusedError)


def test_an_answer_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_http, "LARGEST_ANSWER_BYTES", 1000)
    error = failure(Fault(200, "x" * 1001))
    assert (error.code, getattr(error, "scope", None)) == ("too_large", Scope.QUESTION)


def test_an_address_where_nobody_answers() -> None:
    with FakeServer("plain") as server:
        pass
    with pytest.raises(RetryLaterError, match="cannot be reached"):
        ask_once(server)


PROBLEMS: list[tuple[dict[str, Any], str]] = [
    ({"text_path": "a..b"}, "text_path must be"),
    ({"trace_path": "a[x]"}, "trace_path must be"),
    ({"text_path": 3}, "text_path must be text"),
    ({"template": "{prompt}"}, "must be a JSON object"),
    ({"template": {"a": "b"}}, "must hold {prompt}"),
    ({"template": {"a": "{prompt} {api_key} {b}"}}, "not {api_key}, {b}"),
    ({"key_header": "Host"}, "made for a key"),
    ({"key_header": "X-Key\r\nX-Other"}, "made for a key"),
    ({"prompt_field": "q", "q": 1}, "where the prompt goes"),
    ({**PATHS, "template": {"a": ["{prompt}"]}, "key_header": "X-API-Key"}, ""),
    ({"prompt_field": None, "template": None}, ""),
]


@pytest.mark.parametrize(("parameters", "says"), PROBLEMS)
def test_settings_that_cannot_work_are_named_before_anything_is_sent(parameters: dict[str, Any], says: str) -> None:
    problems = " ".join(plain_http_problems(parameters))
    assert (says in problems) if says else not problems
    if says:
        with FakeServer("plain") as server, pytest.raises(NeverRetryError) as caught:
            ask_once(server, **parameters)
        assert (caught.value.code, caught.value.scope, server.calls) == ("bad_parameter", Scope.RUN, [])


@pytest.mark.django_db
def test_the_form_and_a_run_refuse_what_cannot_work(twenty: QuestionSetRevision) -> None:
    assert provider_entry("plain_http").needs_address
    data = {"name": "A", "slug": "a", "kind": "agent", "provider": "plain_http", "concurrency": "2", "facts": "{}"}
    wrong = SystemForm({**data, "parameters": json.dumps({"text_path": "a..b"})})
    assert set(wrong.errors) == {"base_url", "parameters"}
    metadata = SystemForm({**data, "parameters": "{}", "base_url": "http://169.254.169.254/ask"})
    assert set(metadata.errors) == {"base_url"}
    secret = SystemForm({**data, "parameters": "{}", "base_url": "http://h/ask", "api_key_variable": "SECRET_KEY"})
    assert set(secret.errors) == {"api_key_variable"}
    assert SystemForm({**data, "parameters": json.dumps(PATHS), "base_url": "http://h/ask"}).is_valid()
    system = System.objects.create(slug="a", name="A", provider="plain_http")
    with pytest.raises(CannotBeAskedError, match="no address"):
        run_create(system=system, set_revision=twenty)


def test_a_run_keeps_answers_and_tool_traces_and_never_the_key(
    twenty: QuestionSetRevision,
    make_system: Callable[..., System],
    monkeypatch: pytest.MonkeyPatch,
    settings: Any,
) -> None:
    """The seventh question's reply stays malformed: the other 19 are stored."""
    settings.EVALUATION_TRIES = 2
    monkeypatch.setenv("TEST_API_KEY", KEY)
    steps = [{"tool": "shell", "input": f"curl -H {KEY}"}]
    good = json.dumps({"outputs": [{"text": f"[ANSWER]A[/ANSWER] {KEY}"}], "steps": steps})

    def fault(prompt: str, nth: int) -> Fault:
        return Fault(200, f'{{"outputs {KEY}' if "Question 7:" in prompt else good)

    with FakeServer("plain", fault=fault) as server:
        system = make_system(server.base_url, "plain_http", parameters=PATHS, api_key_variable="TEST_API_KEY")
        run = run_create(system=system, set_revision=twenty)
        ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert run.status == Run.Status.INCOMPLETE
    assert run.items.filter(outcome="right").count() == 19
    assert sorted(server.asked.values()) == [1] * 19 + [2]
    item = run.items.get(position=0)
    assert json.loads(item.source_flags["tool_trace"]) == [{"tool": "shell", "input": "curl -H [key removed]"}]
    stored = "".join(str(list(model.objects.values())) for model in (Run, Item, ItemAttempt, System))
    assert "0123456789" not in stored
