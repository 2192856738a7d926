"""What a fault leaves of a run: limits, overload, filters, hangs, broken replies, faults of ours, missing keys."""

import json
import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from corpus.models import ActionLog
from corpus.scoring.reading import read_answer
from evaluations.models import Item, ItemAttempt, Run, System
from evaluations.services.asking import ask_until_done
from evaluations.services.runs import run_resume
from tests.evaluations.asked_servers import START, asked, number_of, outcomes
from tests.fake_servers.server import FakeServer, Fault, Said, error_fault


def in_seconds(seconds: float) -> str:
    return format_datetime(datetime.now(tz=UTC) + timedelta(seconds=seconds), usegmt=True)


@pytest.mark.parametrize(
    ("headers", "least"),
    [
        (lambda: {"Retry-After": "1"}, 1.0),
        (lambda: {"retry-after-ms": "700"}, 0.7),
        (lambda: {"Retry-After": in_seconds(2)}, 0.9),
    ],
)
def test_pv_01_a_rate_limit_is_waited_out(start: START, headers: Callable[[], dict[str, str]], least: float) -> None:
    def fault(prompt: str, nth: int) -> Fault | None:
        return error_fault(429, "slow down", headers()) if number_of(prompt) == 1 and nth <= 2 else None

    with FakeServer(fault=fault) as server:
        run = start(server)
        ask_until_done(run_id=run.pk)
    first, second, third = [call.at for call in server.calls if number_of(call.prompt) == 1]
    assert second - first >= least
    assert third - second >= least
    assert outcomes(run) == {"right": 20}
    assert run.items.get(position=0).attempts == 3
    assert list(ItemAttempt.objects.values_list("error_code", flat=True)) == ["rate_limit", "rate_limit"]


def test_pv_02_an_endpoint_that_is_down_pauses_the_run_with_the_reason(start: START, settings: Any) -> None:
    settings.EVALUATION_TRIES = 3
    with FakeServer(fault=lambda prompt, nth: error_fault(503, "no capacity")) as server:
        run = start(server)
        ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert run.status == Run.Status.PAUSED
    assert "no capacity" in run.error_message
    assert "3 tries" in run.error_message
    assert asked(server) == {1: 3}


def test_an_endpoint_that_goes_down_half_way_pauses_the_run_before_every_question_is_spent(
    start: START, settings: Any
) -> None:
    settings.EVALUATION_TRIES = 2
    with FakeServer(fault=lambda prompt, nth: Fault(500) if number_of(prompt) > 5 else None) as server:
        run = start(server, concurrency=2)
        ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert run.status == Run.Status.PAUSED
    assert run.items.filter(status="answered").count() == 5
    assert run.items.filter(status="failed").count() <= 5
    with FakeServer() as healthy:
        Run.objects.filter(pk=run.pk).update(frozen={**run.frozen, "base_url": healthy.base_url})
        run_resume(run_id=run.pk)
        ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert sorted(asked(healthy)) == list(range(6, 21)), "stored answers are not asked again"
    assert outcomes(run) == {"right": 20}


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (error_fault(401, "wrong key"), "bad_key"),
        (error_fault(404, "no such model", code="model_not_found"), "not_found"),
        (error_fault(400, "no temperature", code="unsupported_parameter", param="temperature"), "bad_parameter"),
        (error_fault(429, "quota", code="insufficient_quota"), "quota"),
        (error_fault(400, "nonsense"), "bad_request"),
    ],
)
def test_pv_04_a_lasting_fault_stops_the_run_at_the_first_question(start: START, fault: Fault, code: str) -> None:
    with FakeServer(fault=lambda prompt, nth: fault) as server:
        run = start(server)
        ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert (run.status, run.error_code) == (Run.Status.PAUSED, code)
    assert json.loads(fault.body)["error"]["message"] in run.error_message
    # A parameter that is named is left out and the question asked again, once.
    assert asked(server) == {1: 2 if code == "bad_parameter" else 1}
    assert run.items.filter(status="waiting").count() == 20, "nothing is spent: a resume asks all of them"


def test_pv_05_filters_and_refusals_are_answers(start: START) -> None:
    special = {
        1: Said(None, "content_filter"),
        2: Said(None, refusal="I will not."),
        3: Said(None),
        4: Said("", "length"),
    }

    def fault(prompt: str, nth: int) -> Fault | None:
        return error_fault(400, "blocked", code="content_filter") if number_of(prompt) == 5 else None

    def answer(prompt: str) -> Said:
        return special.get(number_of(prompt), Said("[ANSWER]A[/ANSWER]"))

    with FakeServer(answer=answer, fault=fault) as server:
        run = start(server)
        ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    got = list(run.items.order_by("position").values_list("outcome", flat=True)[:6])
    assert got == ["refused", "refused", "empty", "truncated", "refused", "right"]
    assert set(asked(server).values()) == {1}
    assert "blocked" in run.items.get(position=4).error_message


def test_pv_09_thinking_that_eats_the_budget_is_truncated_and_kept_apart(start: START) -> None:
    said = Said(None, "length", reasoning="The answer is B, or [ANSWER]A[/ANSWER]")
    with FakeServer(answer=lambda prompt: said) as server:
        run = start(server)
        ask_until_done(run_id=run.pk)
    assert outcomes(run) == {"truncated": 20}
    assert run.items.get(position=0).reasoning == said.reasoning


def test_pv_11_a_question_that_is_too_long_costs_only_itself(start: START) -> None:
    def fault(prompt: str, nth: int) -> Fault | None:
        return error_fault(400, "maximum context length is 8192 tokens") if number_of(prompt) in {1, 9} else None

    with FakeServer(fault=fault) as server:
        run = start(server)
        ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert run.status == Run.Status.INCOMPLETE
    assert outcomes(run) == {"right": 18, "error": 2}
    assert set(asked(server).values()) == {1}
    assert "context length" in run.items.get(position=8).error_message


@pytest.mark.parametrize("stalls", [False, True])
def test_pv_14_a_hang_is_cut_off_and_retried(start: START, stalls: bool) -> None:
    def fault(prompt: str, nth: int) -> Fault | None:
        hangs = number_of(prompt) == 4 and nth == 1
        return Fault(hangs_seconds=30, stalls_after_headers=stalls) if hangs else None

    began = time.monotonic()
    with FakeServer(fault=fault) as server:
        run = start(server, parameters={"timeout_seconds": 0.5})
        ask_until_done(run_id=run.pk)
    assert time.monotonic() - began < 10
    assert outcomes(run) == {"right": 20}
    assert asked(server) == {**dict.fromkeys(range(1, 21), 1), 4: 2}
    assert ItemAttempt.objects.get().error_code == "timeout"


def test_pv_15_one_bad_reply_costs_only_itself(start: START, settings: Any) -> None:
    settings.EVALUATION_TRIES = 3
    broken = {"on": True}

    def fault(prompt: str, nth: int) -> Fault | None:
        return Fault(200, '{"choices": [{') if number_of(prompt) == 7 and broken["on"] else None

    with FakeServer(fault=fault) as server:
        run = start(server)
        ask_until_done(run_id=run.pk)
        run.refresh_from_db()
        assert run.status == Run.Status.INCOMPLETE
        assert outcomes(run) == {"right": 19, "error": 1}
        assert asked(server) == {**dict.fromkeys(range(1, 21), 1), 7: 3}
        broken["on"] = False
        run_resume(run_id=run.pk)
        ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert outcomes(run) == {"right": 20}
    assert asked(server) == {**dict.fromkeys(range(1, 21), 1), 7: 4}


def test_text_that_no_database_takes_is_stored_all_the_same(start: START) -> None:
    with FakeServer(answer=lambda prompt: Said("nul \x00 half \ud83d [ANSWER]A[/ANSWER]")) as server:
        run = start(server)
        ask_until_done(run_id=run.pk)
    assert outcomes(run) == {"right": 20}
    assert run.items.get(position=0).completion == "nul \N{SYMBOL FOR NULL} half \ufffd [ANSWER]A[/ANSWER]"


def test_a_fault_of_the_reader_does_not_cost_the_answer(start: START, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*, text: str, **rest: Any) -> Any:
        if text == "trap":
            raise RuntimeError("a fault of ours")
        return read_answer(text=text, **rest)

    monkeypatch.setattr("evaluations.services.reply_reading.read_answer", read)

    def answer(prompt: str) -> Said:
        return Said("trap" if number_of(prompt) == 3 else "[ANSWER]A[/ANSWER]")

    with FakeServer(answer=answer) as server:
        run = start(server)
        ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert run.status == Run.Status.INCOMPLETE
    item = run.items.get(position=2)
    assert (item.status, item.completion, item.outcome) == ("answered", "trap", "")
    assert outcomes(run)["right"] == 19


def test_a_missing_key_pauses_the_run_and_names_the_variable(start: START, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEST_API_KEY", raising=False)
    with FakeServer() as server:
        run = start(server, api_key_variable="TEST_API_KEY")
        ask_until_done(run_id=run.pk)
        run.refresh_from_db()
        assert run.status == Run.Status.PAUSED
        assert "TEST_API_KEY is not set" in run.error_message
        assert not server.calls
        monkeypatch.setenv("TEST_API_KEY", "now-it-is-there")
        run_resume(run_id=run.pk)
        ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert server.calls[0].headers["authorization"] == "Bearer now-it-is-there"


@pytest.mark.parametrize("shape", ["openai", "anthropic"])
def test_a_key_is_neither_stored_nor_logged(
    start: START, shape: Any, key: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with FakeServer(shape, fault=lambda prompt, nth: error_fault(401, f"bad key {key}")) as server:
        run = start(server, api_key_variable="TEST_API_KEY")
        ask_until_done(run_id=run.pk)
    assert any(key in value for value in server.calls[0].headers.values())
    rows = [str(list(model.objects.values())) for model in (Run, Item, ItemAttempt, ActionLog, System)]
    assert key not in "".join(rows)
    assert "[key removed]" in ItemAttempt.objects.get().error_message
    assert caplog.records
    assert key not in caplog.text
