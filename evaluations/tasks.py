"""The doors of the queue. A job says only which run to work on; the database says what is left to do."""

import logging
from functools import lru_cache
from uuid import UUID, uuid4

import django_rq
from django.db import close_old_connections
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry as ConnectionRetry
from rq import Retry, get_current_job

QUEUE = "evaluations"
# How many jobs a new run puts on the queue, so that workers that are free, or start later, can join it.
WAKERS = 4
_JOB_TIMEOUT_SECONDS = 1800
_TRIES_AFTER_A_LOST_WORKER = 5

QUEUE_AWAY = (
    "The queue cannot be reached, so no worker could be woken. The run is stored: workers take it up by themselves "
    "once the queue is back."
)

logger = logging.getLogger(__name__)


def wake_run(*, run_id: UUID, jobs: int = WAKERS) -> bool:
    """Put jobs for a run on the queue; return False, with a line in the log, when the queue cannot be reached.

    Jobs are only wake-up calls: one too many does nothing, a lost one is made good by `wake_stalled_runs`.
    """
    try:
        queue = django_rq.get_queue(QUEUE, commit_mode="auto")
        for _ in range(jobs):
            queue.enqueue(
                run_ask_job,
                str(run_id),
                job_id=f"run-{run_id}-{uuid4().hex[:12]}",
                job_timeout=_JOB_TIMEOUT_SECONDS,
                retry=Retry(max=_TRIES_AFTER_A_LOST_WORKER),
                failure_ttl=86_400,
            )
    except RedisError as error:
        logger.warning("run %s is stored but the queue cannot be reached (%s)", run_id, type(error).__name__)
        return False
    return True


def queue_can_be_reached() -> bool:
    """Say whether the queue answers now."""
    try:
        return bool(django_rq.get_queue(QUEUE).connection.ping())
    except RedisError:
        return False


def jobs_waiting() -> int | None:
    """Return how many jobs nobody has taken yet, None when the queue cannot be reached."""
    try:
        return int(django_rq.get_queue(QUEUE).count)
    except RedisError:
        return None


def run_ask_job(run_id: str) -> None:
    """Work on a run for a while; put another job on the queue if something is left."""
    from evaluations.services.asking import ask_for_a_while  # the service puts this task on the queue

    close_old_connections()
    ask_for_a_while(run_id=UUID(run_id), stop_requested=worker_is_stopping)


def sweep_job() -> None:
    """Free dead workers' questions and wake workers for stalled runs; put on the queue by rq's cron scheduler."""
    from evaluations.services.stalled_runs import rescue_runs  # the service puts jobs on the queue

    close_old_connections()
    rescued = rescue_runs()
    if rescued.n_freed or rescued.n_woken:
        logger.info("freed %d questions of dead workers, woke workers for %d runs", rescued.n_freed, rescued.n_woken)


def worker_is_stopping() -> bool:
    """Say whether the worker that runs this job was asked to shut down."""
    job = get_current_job()
    if job is None or not job.worker_name:
        return False
    try:
        return bool(_patient_for_a_second().hexists(f"rq:worker:{job.worker_name}", "shutdown_requested_date"))
    except RedisError:
        return False


@lru_cache(maxsize=1)
def _patient_for_a_second() -> Redis:
    """Return a connection of this process that does not hold up the asking while the queue is out of reach.

    The worker's own waits for minutes on a link that is cut, as one that waits for jobs must.
    """
    queue = django_rq.get_connection(QUEUE)
    queue.connection_pool.connection_kwargs.update(socket_timeout=1.0, socket_connect_timeout=1.0)
    queue.set_retry(ConnectionRetry(NoBackoff(), 1))
    return queue
