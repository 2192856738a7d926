"""The queue's worker: rq's own, which also looks for runs whose wake-up calls were lost while it has nothing to do."""

import logging

from django.conf import settings
from django.db import connections
from rq import Worker
from rq.worker.base import StopRequested

from evaluations.services.sweeping import wake_stalled_runs

logger = logging.getLogger(__name__)

SWEEP_SECONDS: int = settings.EVALUATION_SWEEP_SECONDS


class SweepingWorker(Worker):
    """Sweeps when it starts and, while idle, after every `EVALUATION_SWEEP_SECONDS`, at the latest after twice that."""

    @property
    def dequeue_timeout(self) -> int:
        """Return how many seconds a worker waits for a job before it looks round."""
        return max(1, min(self.worker_ttl - 15, SWEEP_SECONDS))

    @property
    def should_run_maintenance_tasks(self) -> bool:
        """Say whether rq's upkeep and the sweep are due."""
        self.maintenance_interval = SWEEP_SECONDS
        return bool(super().should_run_maintenance_tasks)

    def run_maintenance_tasks(self) -> None:
        """Do rq's upkeep, then wake workers for stalled runs."""
        super().run_maintenance_tasks()
        sweep()


def sweep() -> None:
    """Wake workers for stalled runs. An error is logged and left for the next sweep: the worker has other work too."""
    try:
        woken = wake_stalled_runs()
    except StopRequested:
        raise
    except Exception as error:  # noqa: BLE001 -- whatever stands in the way now, the worker must live on
        logger.warning("no sweep for stalled runs this time (%s)", type(error).__name__)
    else:
        if woken:
            logger.info("woke workers for %d stalled runs", woken)
    finally:
        # The worker forks for every job; a connection must not be shared by two processes.
        connections.close_all()
