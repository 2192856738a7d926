"""The asking loop over HTTP with the real SDK, in this process: what is asked, how often, and what a fault leaves."""

import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from corpus.models import ActionLog, Benchmark, QuestionSetRevision
from evaluations.models import Item, Run, System
from evaluations.providers import FinishReason, Reply
from evaluations.services import asking_loop
from evaluations.services.answers import store_answers
from evaluations.services.asking import ask_for_a_while, ask_until_done
from evaluations.services.runs import run_create, run_pause, run_resume, run_stop
from evaluations.services.stalled_runs import wake_stalled_runs
from tests.evaluations.asked_servers import START, asked, number_of, outcomes
from tests.fake_servers.server import FakeServer, Fault, Said


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
    start: START,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    make_system: Callable[..., System],
    twenty: QuestionSetRevision,
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
    monkeypatch.setattr("evaluations.services.stalled_runs.wake_run", lambda run_id, jobs: not woken.append(run_id))
    with FakeServer() as server:
        run = start(server)
    assert wake_stalled_runs() == 0
    old = timezone.now() - timedelta(seconds=settings.EVALUATION_LEASE_SECONDS + 1)
    Run.objects.filter(pk=run.pk).update(queued_at=old)
    assert wake_stalled_runs() == 1
    assert wake_stalled_runs() == 0
    Run.objects.filter(pk=run.pk).update(status="running", heartbeat_at=old, woken_at=old)
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
