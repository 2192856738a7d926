"""A worker that starts in the place of one that died joins what goes on, and says by its exit code how it ended."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone
from redis.exceptions import ConnectionError as QueueAwayError
from redis.exceptions import TimeoutError as QueueSilentError
from rq import Worker

from chembench_site.settings.databases import database_from_environment
from corpus.models import QuestionSetRevision
from evaluations.models import Item, Run, System
from evaluations.services.runs import run_create
from evaluations.services.stalled_runs import join_active_runs
from evaluations.worker import SweepingWorker
from tests.evaluations.real_parts import real_parts, wait_until
from tests.fake_servers.server import FakeServer

MakeSystem = Callable[..., System]


@pytest.fixture
def run(twenty: QuestionSetRevision, make_system: MakeSystem) -> Run:
    return run_create(system=make_system(), set_revision=twenty)


@pytest.fixture
def queued(monkeypatch: pytest.MonkeyPatch) -> list[UUID]:
    """The runs for which an empty queue was given a job."""
    calls: list[UUID] = []

    def wake(*, run_id: UUID, jobs: int = 1) -> bool:
        calls.append(run_id)
        return True

    monkeypatch.setattr("evaluations.services.stalled_runs.wake_run", wake)
    monkeypatch.setattr("evaluations.services.stalled_runs.jobs_waiting", lambda: len(calls))
    return calls


def test_a_run_that_others_work_on_is_joined_by_who_is_free(run: Run, queued: list[UUID]) -> None:
    Run.objects.update(status="running", heartbeat_at=timezone.now())
    assert join_active_runs() == 1
    assert queued == [run.pk]
    assert join_active_runs() == 0, "the job that waits is enough"


@pytest.mark.parametrize("status", ["paused", "stopped", "finished"])
def test_a_run_that_is_not_active_is_not_joined(run: Run, queued: list[UUID], status: str) -> None:
    Run.objects.update(status=status)
    assert join_active_runs() == 0


@pytest.mark.parametrize(
    ("fields", "joins"),
    [
        ({"status": "waiting", "not_before": 60}, 0),
        ({"status": "waiting", "not_before": -60}, 1),
        ({"status": "answered"}, 0),
        ({"status": "leased", "lease_until": 60}, 0),
        ({"status": "leased", "lease_until": -60}, 1),
    ],
)
def test_only_what_can_be_asked_now_calls_for_a_worker(
    run: Run, queued: list[UUID], fields: dict[str, Any], joins: int
) -> None:
    now = timezone.now()
    changes = {name: now + timedelta(seconds=v) if isinstance(v, int) else v for name, v in fields.items()}
    Item.objects.update(**({"lease_token": run.pk} if "lease_until" in changes else {}), **changes)
    assert join_active_runs() == joins


def test_a_queue_that_is_away_is_not_asked_for_more(run: Run) -> None:
    assert join_active_runs() == 0


@pytest.mark.workers
@pytest.mark.django_db(transaction=True)
def test_a_worker_that_starts_late_joins_at_once(
    twenty: QuestionSetRevision, make_system: MakeSystem, tmp_path: Path
) -> None:
    with FakeServer(latency_seconds=0.8) as server, real_parts(tmp_path) as parts:
        run = run_create(system=make_system(server.base_url, concurrency=1), set_revision=twenty)
        # The only job there ever was died with its worker; what it did is seen by the sign of life.
        Run.objects.update(
            status="running", started_at=timezone.now(), heartbeat_at=timezone.now() + timedelta(hours=1)
        )
        parts.start_worker()
        wait_until(lambda: Item.objects.filter(run=run, status="answered").exists(), what=parts.log_text())


@pytest.mark.parametrize(
    ("limits", "was_asked_to_end", "code"),
    [({}, False, 1), ({}, True, None), ({"burst": True}, False, None), ({"max_jobs": 1}, False, None)],
)
def test_rq_07_the_exit_code_says_whether_the_worker_was_to_end(
    monkeypatch: pytest.MonkeyPatch, limits: dict[str, Any], was_asked_to_end: bool, code: int | None
) -> None:
    """rq's own loop returns without a word when the queue stays silent or a reply of it cannot be read."""
    monkeypatch.setattr(Worker, "work", lambda self, *args, **kwargs: False)
    worker = SweepingWorker.__new__(SweepingWorker)
    worker._shutdown_requested_date = timezone.now() if was_asked_to_end else None
    if code is None:
        assert worker.work(**limits) is False
        return
    with pytest.raises(SystemExit) as ended:
        worker.work(**limits)
    assert ended.value.code == code


@pytest.mark.parametrize("error", [QueueAwayError("gone"), QueueSilentError("silent")])
def test_a_job_goes_on_while_the_queue_is_away(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def away(self: Worker, job: Any) -> None:
        raise error

    monkeypatch.setattr(Worker, "maintain_heartbeats", away)
    SweepingWorker.__new__(SweepingWorker).maintain_heartbeats(None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("address", "expected"),
    [("postgres://u@db/x", 20_000), ("postgres://u@db/x?tcp_user_timeout=5", 5)],
)
def test_a_database_that_is_cut_off_is_given_up_in_time(tmp_path: Path, address: str, expected: int) -> None:
    import environ

    class Env(environ.Env):
        ENVIRON = {"DATABASE_URL": address}

    options = database_from_environment(Env(), tmp_path)["OPTIONS"]
    assert options["tcp_user_timeout"] == expected
    assert (options["keepalives"], options["keepalives_idle"]) == (1, 10)
    assert "tcp_keepalives_idle=10" in options["options"]
