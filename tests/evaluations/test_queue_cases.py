"""Long runs, double presses and stops through the admin, over HTTP with one real worker, Valkey and PostgreSQL.

Further cases of queue and workers are in `test_end_to_end.py` (RQ-01, RQ-05) and `test_losses.py` (RQ-07, RQ-08).
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse
from rq import Queue
from rq.job import Job
from rq.registry import FailedJobRegistry, FinishedJobRegistry, StartedJobRegistry

from corpus.models import QuestionSetRevision
from evaluations.models import Item, Run, System
from evaluations.services.asking import LONGEST_JOB_SECONDS
from evaluations.services.asking_loop import LONGEST_CLOSING_SECONDS
from evaluations.services.runs import run_create
from tests.evaluations.real_parts import RealParts, real_parts, wait_until
from tests.fake_servers.server import FakeServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.workers]

MakeSystem = Callable[..., System]
JOB_SECONDS = 0.5


@pytest.fixture(scope="module")
def parts(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealParts]:
    """One worker for all tests here, whose jobs make room for other runs after half a second."""
    folder = tmp_path_factory.mktemp("queue")
    with real_parts(folder, EVALUATION_JOB_SECONDS=str(JOB_SECONDS), EVALUATION_SWEEP_SECONDS="1") as started:
        started.start_worker()
        yield started


@pytest.fixture(autouse=True)
def _reached(parts: RealParts, _no_queue: None) -> Iterator[None]:
    with parts.reached_from_here():
        yield


def press(client: Client, run: Run, name: str) -> str:
    """Press a button of the run's page; return what the page says then."""
    address = reverse("admin:evaluations_run_action", args=[run.pk, name])
    return str(client.post(address, follow=True).content.decode())


def is_over() -> bool:
    return not Run.objects.filter(status__in=Run.ACTIVE).exists()


def jobs_of(runs: Iterable[Run], queue: Queue) -> list[Job]:
    ids = FinishedJobRegistry(queue=queue).get_job_ids()
    jobs = [job for job in Job.fetch_many(ids, connection=queue.connection) if job is not None]
    return [job for job in jobs if job.args and job.args[0] in {str(run.pk) for run in runs}]


def seconds_of(job: Job) -> float:
    assert job.started_at is not None
    assert job.ended_at is not None
    return (job.ended_at - job.started_at).total_seconds()


def test_jobs_end_by_themselves_long_before_their_own_limit(
    parts: RealParts, twenty: QuestionSetRevision, make_system: MakeSystem
) -> None:
    """RQ-04: runs that need many jobs complete: none is held to rq's 180 s, and each makes room by itself."""
    with FakeServer(latency_seconds=0.2) as server:
        for _ in range(2):
            run_create(system=make_system(server.base_url, concurrency=1), set_revision=twenty)
        wait_until(is_over, seconds=400, what=f"the end of both runs\n{parts.log_text()}")
    assert {run.status for run in Run.objects.all()} == {"finished"}
    assert set(server.asked.values()) == {2}
    queue = parts.queue()
    jobs = jobs_of(Run.objects.all(), queue)
    (limit,) = {job.timeout for job in jobs}
    assert limit > LONGEST_JOB_SECONDS + LONGEST_CLOSING_SECONDS > Queue.DEFAULT_TIMEOUT == 180
    # Two times twenty questions at 0.2 s take eight seconds: more than one job's worth.
    long_enough = [job for job in jobs if seconds_of(job) >= JOB_SECONDS]
    assert len(long_enough) >= 4
    assert max(map(seconds_of, jobs)) < sum(map(seconds_of, jobs)) / 2
    assert FailedJobRegistry(queue=queue).get_job_ids() == []


def test_two_presses_at_once_make_one_run(
    parts: RealParts, twenty: QuestionSetRevision, make_system: MakeSystem, admin_user: Any
) -> None:
    """RQ-05: "Queue" pressed twice at once, and again while it runs: one execution, the second press is told so."""
    with FakeServer(latency_seconds=0.3) as server:
        system = make_system(server.base_url, concurrency=2)
        pages = queue_at_once(system, twenty, admin_user, times=2)
        run = Run.objects.get()
        assert sum(f"Queued {system.name}" in page for page in pages) == 1
        assert sum("is already being asked this set" in page for page in pages) == 1
        wait_until(lambda: len(server.calls) >= 2, what=parts.log_text())
        (page,) = queue_at_once(system, twenty, admin_user, times=1)
        assert "is already being asked this set" in page
        client = Client()
        client.force_login(admin_user)
        assert "this can be done while it is paused or stopped" in press(client, run, "resume")
        item = run.items.order_by("position")[0]
        with pytest.raises(IntegrityError, match="item_once"), transaction.atomic():
            Item.objects.create(run=run, question_revision_id=item.question_revision_id, repeat=item.repeat)
        wait_until(is_over, seconds=400, what=f"the end of the run\n{parts.log_text()}")
    run.refresh_from_db()
    assert (Run.objects.count(), run.status) == (1, "finished")
    assert run.items.filter(status="answered", attempts=1).count() == 20
    assert set(server.asked.values()) == {1}


def queue_at_once(system: System, revision: QuestionSetRevision, user: Any, *, times: int) -> list[str]:
    """Press "Queue" so many times at the same moment; return the pages that come back."""
    address = f"{reverse('admin:evaluations_system_queue_run')}?system={system.pk}"
    chosen = {"question_set": revision.question_set_id, "prompt_style": "instruction@1", "repeats": 1, "seed": 0}
    together = Barrier(times)

    def pressed(_: int) -> str:
        try:
            client = Client()
            client.force_login(user)
            together.wait(timeout=60)
            return str(client.post(address, chosen, follow=True).content.decode())
        finally:
            connection.close()

    with ThreadPoolExecutor(times) as threads:
        return list(threads.map(pressed, range(times)))


def test_a_stop_holds_after_one_question_and_nothing_of_the_run_is_deleted(
    parts: RealParts, twenty: QuestionSetRevision, make_system: MakeSystem, admin_client: Client
) -> None:
    """RQ-09: a stop ends within one question, a run that goes on is not queued again, its system stays."""
    with FakeServer(latency_seconds=2) as server:
        system = make_system(server.base_url, concurrency=1)
        run = run_create(system=system, set_revision=twenty)
        wait_until(lambda: len(server.calls) >= 2, what=parts.log_text())
        assert "this can be done while it is paused or stopped" in press(admin_client, run, "resume")
        n_calls = len(server.calls)
        assert "The run is stopped; what is stored stays." in press(admin_client, run, "stop")
        started = StartedJobRegistry(queue=parts.queue())
        wait_until(lambda: not started.get_job_ids(), what=f"the end of the job\n{parts.log_text()}")
        assert len(server.calls) <= n_calls + 1
    run.refresh_from_db()
    assert run.status == "stopped"
    assert run.items.filter(status="answered").count() == len(server.calls)
    assert not run.items.filter(status="leased").exists()
    address = reverse("admin:evaluations_system_delete", args=[system.pk])
    assert "Cannot delete system" in admin_client.get(address).content.decode()
    admin_client.post(address, {"post": "yes"})
    assert System.objects.filter(pk=system.pk).exists()
    assert Run.objects.filter(pk=run.pk).exists()
