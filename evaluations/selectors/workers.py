"""Which of the queue's workers are alive, and which of them are at a run now."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import django_rq
from django.utils import timezone
from redis.exceptions import RedisError
from rq import Worker
from rq.worker import BaseWorker

from evaluations.tasks import QUEUE

WORKER_COMMAND = "python manage.py rqworker evaluations default --with-scheduler"
# A worker says that it is alive at least every 30 s; one that was killed stays on the queue's list for minutes.
_ALIVE = timedelta(seconds=100)


@dataclass(frozen=True, slots=True)
class RunWorkers:
    """`n_alive` workers listen to the queue, `n_here` of them work on the run now; None where the queue is away."""

    n_alive: int | None
    n_here: int | None

    @property
    def text(self) -> str:
        """The same in words."""
        if self.n_alive is None:
            return "The queue cannot be reached, so it cannot be said which workers are alive."
        if not self.n_alive:
            return "No worker is running."
        alive = f"{self.n_alive} alive" if self.n_alive > 1 else "1 alive"
        return f"{self.n_here} at this run, {alive}"


def run_workers(*, run_id: UUID, now: datetime | None = None) -> RunWorkers:
    """Return the workers as the queue knows them; a job of `wake_run` names its run."""
    now = now or timezone.now()
    try:
        workers = [worker for worker in Worker.all(queue=django_rq.get_queue(QUEUE)) if _is_alive(worker, now)]
        jobs = [worker.get_current_job_id() for worker in workers]
    except RedisError:
        return RunWorkers(n_alive=None, n_here=None)
    return RunWorkers(n_alive=len(workers), n_here=sum(str(job).startswith(f"run-{run_id}-") for job in jobs if job))


def _is_alive(worker: BaseWorker, now: datetime) -> bool:
    return worker.last_heartbeat is not None and now - worker.last_heartbeat < _ALIVE
