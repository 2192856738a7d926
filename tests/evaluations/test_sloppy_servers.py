"""Servers that keep the interface only roughly: what the model said is stored, and nothing they send stops a worker."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from corpus.models import QuestionSetRevision
from evaluations.models import ItemAttempt, Run, System
from evaluations.providers import FinishReason
from evaluations.services.asking import ask_until_done
from evaluations.services.failures import LONGEST_WAIT_SECONDS, backoff_seconds
from evaluations.services.runs import run_create, run_pause, run_resume, run_stop
from tests.evaluations.test_providers import ask_once, failure
from tests.fake_servers.server import FakeServer, Fault, error_fault

pytestmark = pytest.mark.one_database

MakeSystem = Callable[..., System]
PROVIDERS = {"openai": "openai_chat", "responses": "openai_responses", "anthropic": "anthropic_messages"}

# Deeper than pydantic writes out, shallower than JSON may be.
NESTED: Any = json.loads("[" * 400 + "]" * 400)


def asked_run(make_system: MakeSystem, questions: QuestionSetRevision, server: FakeServer) -> Run:
    run = run_create(system=make_system(server.base_url, PROVIDERS[server.shape]), set_revision=questions)
    ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    return run


def openai_body(**changes: Any) -> str:
    message = {"role": "assistant", "content": "[ANSWER]A[/ANSWER]", "tool_calls": changes.pop("tool_calls", None)}
    choice = {"index": 0, "finish_reason": changes.pop("finish_reason", "stop"), "message": message}
    choice["logprobs"] = changes.pop("logprobs", None)
    usage = {"prompt_tokens": 11, "completion_tokens": 7}
    return json.dumps(
        {"id": "x", "object": "chat.completion", "model": "m", "choices": [choice], "usage": usage} | changes
    )


def responses_body(**changes: Any) -> str:
    part = {"type": "output_text", "text": "[ANSWER]A[/ANSWER]"} | changes.pop("part", {})
    usage = {"input_tokens": 11, "output_tokens": 7}
    output = [{"type": "message", "content": [part]}, *changes.pop("more", [])]
    return json.dumps(
        {"object": "response", "status": "completed", "model": "m", "output": output, "usage": usage} | changes
    )


def anthropic_body(**changes: Any) -> str:
    usage = {"input_tokens": 11, "output_tokens": 7}
    content = [{"type": "text", "text": "[ANSWER]A[/ANSWER]"}]
    return json.dumps(
        {"type": "message", "content": content, "stop_reason": "end_turn", "model": "m", "usage": usage} | changes
    )


@pytest.mark.parametrize(
    ("shape", "body", "tokens_in", "model"),
    [
        ("openai", openai_body(usage={"prompt_tokens": "11", "completion_tokens": 7.0}), 11, "m"),
        ("openai", openai_body(usage={"prompt_tokens": [1]}), None, "m"),
        ("openai", openai_body(usage={"prompt_tokens": -1, "completion_tokens": True}), None, "m"),
        ("openai", openai_body(usage="many"), None, "m"),
        ("openai", openai_body(usage=[7]), None, "m"),
        ("openai", openai_body(model=7), 11, ""),
        ("openai", openai_body(model={}), 11, ""),
        ("openai", openai_body(model="m\x00\ud800"), 11, "m\N{SYMBOL FOR NULL}\ufffd"),
        ("openai", openai_body(finish_reason=["stop"]), 11, "m"),
        ("openai", openai_body(logprobs=[1], tool_calls="some"), 11, "m"),
        ("openai", openai_body(logprobs={"content": [7, {"token": 7}, {"token": "A", "logprob": "x"}]}), 11, "m"),
        ("openai", openai_body(logprobs={"content": [{"token": "A\x00", "logprob": float("-inf")}]}), 11, "m"),
        ("openai", openai_body(logprobs={"content": [{"token": "A", "logprob": -(10**400)}]}), 11, "m"),
        ("openai", openai_body(tool_calls=[{"id": "1", "type": "function", "extra": NESTED}]), 11, "m"),
        ("responses", responses_body(usage={"input_tokens": "11", "output_tokens_details": 7}), 11, "m"),
        ("responses", responses_body(usage=[7], model=7), None, ""),
        ("responses", responses_body(status=["completed"], incomplete_details="x"), 11, "m"),
        ("responses", responses_body(part={"logprobs": [7, {"token": "A", "logprob": float("nan")}]}), 11, "m"),
        ("responses", responses_body(part={"logprobs": 7}), 11, "m"),
        ("responses", responses_body(more=[{"type": "reasoning", "summary": "x"}, {"type": "x_call"}]), 11, "m"),
        ("anthropic", anthropic_body(usage={"input_tokens": "11", "output_tokens": {}}), 11, "m"),
        ("anthropic", anthropic_body(usage={"input_tokens": [1], "cache_read_input_tokens": "x"}), None, "m"),
        ("responses", responses_body(more=[{"type": "x_call", "extra": NESTED}]), 11, "m"),
        ("responses", responses_body(part={"logprobs": [{"token": "A", "logprob": 10**400}]}), 11, "m"),
        ("anthropic", anthropic_body(usage=3), None, "m"),
        ("anthropic", anthropic_body(model=7, stop_reason={}), 11, ""),
    ],
)
def test_the_text_is_stored_whatever_stands_beside_it(
    twenty: QuestionSetRevision, make_system: MakeSystem, shape: Any, body: str, tokens_in: int | None, model: str
) -> None:
    with FakeServer(shape, fault=lambda prompt, nth: Fault(200, body)) as server:
        run = asked_run(make_system, twenty, server)
    assert run.status == Run.Status.FINISHED
    assert set(server.asked.values()) == {1}
    item = run.items.get(position=0)
    assert (item.completion, item.outcome) == ("[ANSWER]A[/ANSWER]", "right")
    assert (item.tokens_in, item.model_reported) == (tokens_in, model)


SAID = "[ANSWER]A[/ANSWER]"


def messages_body(*messages: tuple[str | None, Any]) -> str:
    output = [{"type": "message", "phase": phase, "content": content} for phase, content in messages]
    return responses_body(output=output)


@pytest.mark.parametrize(
    ("shape", "body", "text"),
    [
        *(
            ("openai", openai_body(choices=[{"finish_reason": "stop", "message": {"content": content}}]), SAID)
            for content in (
                [SAID],
                {"type": "text", "text": SAID},
                [{"type": "output_text", "text": SAID}],
                [{"type": "thinking", "thinking": "Hm."}, {"text": SAID}],
            )
        ),
        ("responses", messages_body((None, SAID)), SAID),
        ("responses", messages_body((None, [{"type": "text", "text": SAID}])), SAID),
        ("responses", messages_body((None, [SAID])), SAID),
        ("responses", responses_body(output=[], output_text=SAID), SAID),
        ("responses", responses_body(output=None, output_text=SAID), SAID),
        ("responses", messages_body((None, "First."), (None, SAID)), f"First.\n\n{SAID}"),
        ("responses", messages_body(("commentary", "[ANSWER]B[/ANSWER]"), ("final_answer", SAID)), SAID),
        ("responses", messages_body(("commentary", SAID)), SAID),
    ],
)
def test_a_text_is_read_in_whatever_parts_it_comes(shape: Any, body: str, text: str) -> None:
    with FakeServer(shape, fault=lambda prompt, nth: Fault(200, body)) as server:
        reply = ask_once(shape, server)
    assert (reply.text, reply.finish_reason) == (text, FinishReason.STOP)
    assert ("[ANSWER]B" in reply.reasoning) is ("[ANSWER]B" in body)


@pytest.mark.parametrize(
    ("shape", "body"),
    [
        ("openai", openai_body(choices=[{"finish_reason": "stop", "message": {"content": [7]}}])),
        ("responses", messages_body((None, 7))),
    ],
)
def test_what_is_no_text_is_malformed_and_not_an_empty_answer(shape: Any, body: str) -> None:
    assert failure(shape, Fault(200, body)).code == "malformed"


@pytest.mark.parametrize(
    "fault",
    [
        error_fault(400, "bad \x00 half \ud83d"),
        error_fault(500, "bad \x00 half \ud83d"),
        error_fault(400, "bad \x00 half \ud83d", code="content_filter"),
        Fault(200, json.dumps({"error": {"code": 400, "message": "bad \x00 half \ud83d"}})),
        Fault(200, json.dumps({"error": {"code": 503, "message": "bad \x00 half \ud83d"}})),
    ],
)
def test_errors_are_stored_as_text_that_every_database_takes(
    twenty: QuestionSetRevision, make_system: MakeSystem, settings: Any, fault: Fault
) -> None:
    settings.EVALUATION_TRIES = 1
    with FakeServer(fault=lambda prompt, nth: fault) as server:
        run = asked_run(make_system, twenty, server)
    assert run.error_code != "internal"
    assert not run.items.filter(status="leased").exists()
    item = run.items.get(position=0)
    assert "bad \N{SYMBOL FOR NULL} half \ufffd" in item.error_message
    if run.status == Run.Status.PAUSED:
        assert "bad \N{SYMBOL FOR NULL} half \ufffd" in run.error_message
        assert "bad \N{SYMBOL FOR NULL}" in ItemAttempt.objects.get().error_message


def test_a_reason_given_for_a_pause_is_stored_whatever_is_in_it(
    twenty: QuestionSetRevision, make_system: MakeSystem
) -> None:
    run = run_create(system=make_system(), set_revision=twenty)
    run_pause(run_id=run.pk, code="x\x00", reason="half \ud83d")
    run.refresh_from_db()
    assert (run.error_code, run.error_message) == ("x\N{SYMBOL FOR NULL}", "half \ufffd")


@pytest.mark.parametrize(
    ("headers", "says"),
    [
        ({"Retry-After": "1e300"}, "more than a year"),
        ({"retry-after-ms": "1e300"}, "more than a year"),
        ({"Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"}, "more than a year"),
        ({"Retry-After": "Fri, 31 Dec 9999 23:59:59 -1200"}, "more than a year"),
        ({"Retry-After": "99999999999"}, "more than a year"),
        ({"Retry-After": "7200"}, "2 hours"),
        ({"Retry-After": "604800"}, "7 days"),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_asks_for_a_very_long_wait_pauses_the_run(
    twenty: QuestionSetRevision, make_system: MakeSystem, headers: dict[str, str], says: str, status: int
) -> None:
    with FakeServer(fault=lambda prompt, nth: error_fault(status, "later", headers)) as server:
        run = asked_run(make_system, twenty, server)
    assert (run.status, run.error_code) == (Run.Status.PAUSED, "long_wait")
    assert says in run.error_message
    assert "later" in run.error_message
    assert len(server.calls) == 1
    assert run.items.filter(status="waiting", not_before=None).count() == 20


def test_no_wait_is_longer_than_the_longest() -> None:
    assert LONGEST_WAIT_SECONDS <= backoff_seconds(tries=3, asked_seconds=1e300) <= 1.25 * LONGEST_WAIT_SECONDS
    assert backoff_seconds(tries=5000) < LONGEST_WAIT_SECONDS


def test_resuming_asks_at_once_what_was_to_wait(twenty: QuestionSetRevision, make_system: MakeSystem) -> None:
    run = run_create(system=make_system(), set_revision=twenty)
    run.items.update(not_before=timezone.now() + timedelta(days=9))
    run_stop(run_id=run.pk)
    run_resume(run_id=run.pk)
    assert run.items.filter(status="waiting", not_before=None).count() == 20
