"""The asking loop over HTTP with the real SDK, in this process: what is asked, how often, and what a fault leaves."""

import json
import logging
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from django.utils import timezone

from corpus.models import ActionLog, Benchmark, QuestionSetRevision
from corpus.scoring.reading import read_answer
from evaluations.models import Item, ItemAttempt, Run, System
from evaluations.providers import FinishReason, Reply
from evaluations.services import asking_loop
from evaluations.services.answers import store_answers
from evaluations.services.asking import ask_for_a_while, ask_until_done
from evaluations.services.runs import run_create, run_pause, run_resume, run_stop
from evaluations.services.sweeping import wake_stalled_runs
from tests.fake_servers.server import FakeServer, Fault, Said, error_fault

MakeSystem = Callable[..., System]
START = Callable[..., Run]


@pytest.fixture
def start(twenty: QuestionSetRevision, make_system: MakeSystem) -> START:
    """Return a function that makes a run of the twenty questions on a server."""

    def go(server: FakeServer, *, repeats: int = 1, **fields: Any) -> Run:
        provider = {"openai": "openai_chat", "anthropic": "anthropic_messages"}[server.shape]
        system = make_system(server.base_url, provider, **fields)
        return run_create(system=system, set_revision=twenty, repeats=repeats)

    return go


def number_of(prompt: str) -> int:
    return int(prompt.split("Question ")[1].split(":")[0])


def asked(server: FakeServer) -> dict[int, int]:
    return {number_of(prompt): count for prompt, count in server.asked.items()}


def outcomes(run: Run) -> Counter[str]:
    return Counter(run.items.values_list("outcome", flat=True))


@pytest.mark.parametrize("shape", ["openai", "anthropic"])
def test_every_question_is_asked_once_and_judged(start: START, shape: Any) -> None:
    def answer(prompt: str) -> Said:
        return Said("[ANSWER]A[/ANSWER]" if number_of(prompt) % 2 else "[ANSWER]B[/ANSWER]")

    with FakeServer(shape, answer=answer) as server:
        run = start(server)
        ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert asked(server) == dict.fromkeys(range(1, 21), 1)
    assert outcomes(run) == {"right": 10, "wrong": 10}
    item = run.items.get(position=0)
    assert item.prompt == server.calls[0].prompt
    assert [letter for letter, _, _ in item.options_shown] == ["A", "B", "C", "D"]
    assert (item.completion, item.finish_reason, item.model_reported) == ("[ANSWER]A[/ANSWER]", "stop", "model-x-2026")
    assert (item.tokens_in, item.tokens_out, item.attempts) == (11, 7, 1)
    assert item.readings.get().option_keys == [item.options_shown[0][1]]
    assert item.scores.get().rule == "standard@1"
    assert ActionLog.objects.filter(code="run.finished", object_id=str(run.pk)).exists()


def test_repeats_are_asked_each(start: START) -> None:
    with FakeServer() as server:
        run = start(server, repeats=3)
        ask_until_done(run_id=run.pk)
    assert set(asked(server).values()) == {3}
    assert run.items.filter(status="answered").count() == 60


def test_one_question_first_then_as_many_as_the_system_takes(start: START) -> None:
    with FakeServer(latency_seconds=0.2) as server:
        run = start(server, concurrency=5)
        ask_until_done(run_id=run.pk)
    first, second = server.calls[0], server.calls[1]
    assert second.at - first.at >= 0.2
    assert server.most_in_flight == 5


def test_the_sites_own_limit_holds_for_every_system(start: START, settings: Any) -> None:
    settings.EVALUATION_CONCURRENCY = 2
    with FakeServer(latency_seconds=0.05) as server:
        ask_until_done(run_id=start(server, concurrency=50).pk)
    assert server.most_in_flight == 2


@pytest.mark.parametrize(("within", "n_slow"), [(0.0, 20), (60.0, 0)])
def test_how_long_replies_wait_to_be_stored_is_told(
    start: START, monkeypatch: pytest.MonkeyPatch, within: float, n_slow: int
) -> None:
    """The aim is a quarter of a second; a busy machine may miss it, and the log says how often."""
    assert asking_loop.GATHER_SECONDS < asking_loop.STORED_WITHIN_SECONDS == 0.25
    monkeypatch.setattr(asking_loop, "STORED_WITHIN_SECONDS", within)
    with FakeServer() as server:
        tally = ask_until_done(run_id=start(server, concurrency=4).pk)
    assert (tally.n_stored, tally.n_slow) == (20, n_slow)
    assert 0 < tally.slowest_seconds < 60


def test_questions_are_sent_while_replies_are_being_stored(start: START, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database that takes its time does not keep the system waiting."""

    storing: list[tuple[float, float]] = []

    def slowly(**fields: Any) -> Any:
        begun = time.monotonic()
        time.sleep(0.4)
        storing.append((begun, time.monotonic()))
        return store_answers(**fields)

    monkeypatch.setattr(asking_loop, "store_answers", slowly)
    with FakeServer(latency_seconds=0.1) as server:
        ask_until_done(run_id=start(server, concurrency=4).pk)
    assert set(asked(server).values()) == {1}
    meanwhile = [call for call in server.calls if any(begun < call.at < ended for begun, ended in storing)]
    assert len(meanwhile) >= 5


def test_replies_are_stored_as_they_arrive(start: START) -> None:
    """While one question hangs, the others' answers are in the database."""
    stored_while_hanging: list[int] = []
    ids: list[Any] = []

    def fault(prompt: str, nth: int) -> Fault | None:
        return Fault(hangs_seconds=3) if number_of(prompt) == 5 and nth == 1 else None

    def look() -> bool:
        stored_while_hanging.append(Item.objects.filter(run=ids[0], status="answered").count())
        return False

    with FakeServer(fault=fault) as server:
        run = start(server, parameters={"timeout_seconds": 2})
        ids.append(run.pk)
        ask_until_done(run_id=run.pk, stop_requested=look)
    assert 19 in stored_while_hanging
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert asked(server)[5] == 2


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


class StopAfter:
    """Does something to the run once so many answers are stored."""

    def __init__(self, run_id: Any, n_answers: int, act: Callable[[], Any]) -> None:
        self.run_id, self.n_answers, self.act, self.done = run_id, n_answers, act, False

    def __call__(self) -> bool:
        if not self.done and Item.objects.filter(run=self.run_id, status="answered").count() >= self.n_answers:
            self.done = True
            self.act()
        return False


@pytest.fixture
def _quick_beats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking_loop, "BEAT_SECONDS", 0.02)


@pytest.mark.usefixtures("_quick_beats")
@pytest.mark.parametrize("act", [run_pause, run_stop])
def test_pausing_and_stopping_take_effect_within_the_questions_in_flight(start: START, act: Callable[..., Run]) -> None:
    with FakeServer(latency_seconds=0.05) as server:
        run = start(server, concurrency=2)
        ask_until_done(run_id=run.pk, stop_requested=StopAfter(run.pk, 5, lambda: act(run_id=run.pk)))
        run.refresh_from_db()
        answered = run.items.filter(status="answered").count()
        assert run.status in {Run.Status.PAUSED, Run.Status.STOPPED}
        assert 5 <= answered < 20
        assert len(server.calls) == answered, "what was in flight is stored"
        assert run.items.filter(status="leased").count() == 0
        run_resume(run_id=run.pk)
        ask_until_done(run_id=run.pk)
    assert set(asked(server).values()) == {1}
    assert outcomes(run) == {"right": 20}


@pytest.mark.usefixtures("_quick_beats")
def test_a_worker_told_to_end_gives_its_questions_back(start: START, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking_loop, "GRACE_SECONDS", 0.1)

    hanging = {"on": True}

    def fault(prompt: str, nth: int) -> Fault | None:
        return Fault(hangs_seconds=30) if number_of(prompt) > 1 and hanging["on"] else None

    with FakeServer(fault=fault) as server:
        run = start(server, concurrency=4)
        tally = ask_until_done(run_id=run.pk, stop_requested=lambda: len(server.calls) > 4)
        assert tally.was_stopped
        assert (tally.n_stored, run.items.filter(status="answered").count()) == (1, 1)
        assert run.items.filter(status="waiting").count() == 19
        assert Run.objects.get(pk=run.pk).status == Run.Status.RUNNING, "others may join and go on"
        hanging["on"] = False
        ask_until_done(run_id=run.pk)
    assert outcomes(run) == {"right": 20}


def test_a_second_delivery_of_the_same_job_asks_nothing(start: START) -> None:
    with FakeServer() as server:
        run = start(server)
        ask_for_a_while(run_id=run.pk)
        assert ask_for_a_while(run_id=run.pk).n_stored == 0
    assert set(asked(server).values()) == {1}


def test_what_is_left_when_the_turn_is_over_goes_back_to_the_queue(
    start: START, settings: Any, monkeypatch: pytest.MonkeyPatch, make_system: MakeSystem, twenty: QuestionSetRevision
) -> None:
    settings.EVALUATION_JOB_SECONDS = 0.0
    monkeypatch.setattr(asking_loop, "BEAT_SECONDS", 0.01)
    woken: list[Any] = []
    monkeypatch.setattr("evaluations.services.asking.wake_run", lambda run_id, jobs: woken.append((run_id, jobs)))
    with FakeServer(latency_seconds=0.05) as server:
        run = start(server, concurrency=1)
        other = run_create(system=make_system(server.base_url), set_revision=twenty)
        ask_for_a_while(run_id=run.pk)
        assert woken == [(run.pk, 1)]
        Run.objects.filter(pk=other.pk).update(status="paused")
        assert run.items.filter(status="leased").count() == 0
        while run.items.exclude(status="answered").exists():
            settings.EVALUATION_JOB_SECONDS = 60.0
            ask_for_a_while(run_id=run.pk)
    assert set(asked(server).values()) == {1}


def test_a_stalled_run_is_woken_once_per_lease(start: START, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    woken: list[Any] = []
    monkeypatch.setattr("evaluations.services.sweeping.wake_run", lambda run_id, jobs: not woken.append(run_id))
    with FakeServer() as server:
        run = start(server)
    assert wake_stalled_runs() == 0
    old = timezone.now() - timedelta(seconds=settings.EVALUATION_LEASE_SECONDS + 1)
    Run.objects.filter(pk=run.pk).update(queued_at=old)
    assert wake_stalled_runs() == 1
    assert wake_stalled_runs() == 0
    Run.objects.filter(pk=run.pk).update(status="running", heartbeat_at=old)
    assert wake_stalled_runs() == 1
    Run.objects.filter(pk=run.pk).update(status="paused", heartbeat_at=old)
    assert wake_stalled_runs() == 0
    assert woken == [run.pk, run.pk]


def test_an_adapter_that_breaks_its_promise_pauses_the_run_without_the_key(
    start: START, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evaluations.providers.openai_chat import OpenAIChat

    async def ask(self: OpenAIChat, ask: Any) -> Reply:
        raise RuntimeError(f"surprise with {key}")

    monkeypatch.setattr(OpenAIChat, "ask", ask)
    with FakeServer() as server:
        run = start(server, api_key_variable="TEST_API_KEY")
        ask_until_done(run_id=run.pk)
    run.refresh_from_db()
    assert (run.status, run.error_code) == (Run.Status.PAUSED, "unexpected")
    assert "RuntimeError: surprise with [key removed]" in run.error_message


def test_a_fault_of_ours_pauses_the_run_instead_of_leaving_it_running_for_ever(
    start: START, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any) -> None:
        raise RuntimeError(f"no adapter, and {key} in the message")

    monkeypatch.setattr("evaluations.services.asking.open_learning_provider", broken)
    with FakeServer() as server:
        run = start(server, api_key_variable="TEST_API_KEY")
    with pytest.raises(RuntimeError):
        ask_for_a_while(run_id=run.pk)
    run.refresh_from_db()
    assert (run.status, run.error_code) == (Run.Status.PAUSED, "internal")
    assert "RuntimeError: no adapter, and [key removed]" in run.error_message


def test_results_are_announced_with_the_answers(start: START) -> None:
    with FakeServer() as server:
        run = start(server)
        benchmark = Benchmark.objects.get(pk=run.set_revision.question_set.benchmark_id)
        ask_until_done(run_id=run.pk)
    assert Benchmark.objects.get(pk=benchmark.pk).results_version > benchmark.results_version + 1


def test_reply_words_match_the_readers() -> None:
    assert {reason.value for reason in FinishReason} == {"stop", "length", "content_filter", "refusal", ""}
