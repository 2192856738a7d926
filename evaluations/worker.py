"""The queue's worker: rq's own, which also looks for runs to join while it has nothing to do."""

import logging
from importlib import import_module
from typing import Any

from django.conf import settings
from django.db import connections
from django.utils.module_loading import import_string
from redis.client import Pipeline
from redis.exceptions import RedisError
from rq import Worker, worker_registration
from rq.job import Job
from rq.worker.base import StopRequested

from evaluations.models import System
from evaluations.providers.registry import provider_entry, provider_names
from evaluations.services.stalled_runs import join_active_runs, wake_stalled_runs

logger = logging.getLogger(__name__)

SWEEP_SECONDS: int = settings.EVALUATION_SWEEP_SECONDS


class SweepingWorker(Worker):
    """Looks for stalled runs when it starts and, while idle, every `EVALUATION_SWEEP_SECONDS`, at most twice that.

    Its exit code is 0 only when it was asked to end, or told how much to do; so a supervisor that restarts what failed
    brings back a worker that lost its queue.
    """

    # A queue that is back is found again within this time.
    max_connection_wait_time = 10.0

    def work(self, *args: Any, **kwargs: Any) -> bool:
        """Work until asked to end. Raises SystemExit with code 1 when it ended for another reason."""
        worked = bool(super().work(*args, **kwargs))
        was_limited = args or any(kwargs.get(name) for name in ("burst", "max_jobs", "max_idle_time"))
        if not (was_limited or self._shutdown_requested_date):
            raise SystemExit(1)
        return worked

    def heartbeat(self, timeout: int | None = None, pipeline: Pipeline | None = None) -> None:
        """Tell the queue that this worker lives; a queue that came back without its memory is told who it is, too."""
        if pipeline is None and self.birth_date and not self.connection.hexists(self.key, "birth"):
            with self.connection.pipeline() as words:
                words.hset(self.key, mapping=self.serialize())
                worker_registration.register(self, words)
                words.execute()
        super().heartbeat(timeout, pipeline)

    def maintain_heartbeats(self, job: Job) -> None:
        """Tell the queue that the job goes on; while the queue is away the job goes on all the same."""
        try:
            super().maintain_heartbeats(job)
        except RedisError as error:
            logger.warning("the queue does not hear that a job goes on (%s)", type(error).__name__)

    @property
    def dequeue_timeout(self) -> int:
        """Return how many seconds a worker waits for a job before it looks round."""
        return max(1, min(self.worker_ttl - 15, SWEEP_SECONDS))

    @property
    def should_run_maintenance_tasks(self) -> bool:
        """Say whether rq's upkeep and the look for stalled runs are due."""
        self.maintenance_interval = SWEEP_SECONDS
        return bool(super().should_run_maintenance_tasks)

    def run_maintenance_tasks(self) -> None:
        """Do rq's upkeep, then look for runs that need a worker."""
        super().run_maintenance_tasks()
        look_for_stalled_runs()


def load_adapters() -> None:
    """Import what the systems' adapters need before the worker forks; each job would spend seconds on it again."""
    import_module("evaluations.services.asking")
    for name in set(System.objects.values_list("provider", flat=True)) & set(provider_names()):
        import_string(provider_entry(name).path)


def look_for_stalled_runs() -> None:
    """Wake workers for stalled runs, and this one for a run it can join.

    An error is logged and left for the next look: the worker has other work too.
    """
    try:
        load_adapters()
        woken = wake_stalled_runs()
        join_active_runs()
    except StopRequested:
        raise
    except Exception as error:  # noqa: BLE001 -- whatever stands in the way now, the worker must live on
        logger.warning("no look for stalled runs this time (%s)", type(error).__name__)
    else:
        if woken:
            logger.info("woke workers for %d stalled runs", woken)
    finally:
        # The worker forks for every job; a connection must not be shared by two processes.
        connections.close_all()
