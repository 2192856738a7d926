"""Whether the site's parts answer, for `/healthz`, container health checks and people in a hurry."""

from dataclasses import asdict, dataclass

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from redis.backoff import NoBackoff
from redis.retry import Retry
from rq import Worker


@dataclass(frozen=True, slots=True)
class Health:
    """`ok`, or a plain word for what is wrong, of each part; workers is None when the queue does not answer."""

    status: str
    database: str
    queue: str
    workers: int | None


def queue_client() -> redis.Redis:
    """Return a client of the queue that gives up at once, so that a health check never hangs."""
    url = settings.RQ_QUEUES["default"]["URL"]
    return redis.Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2, retry=Retry(NoBackoff(), retries=0))


def database_state() -> str:
    """Return `ok`, `unreachable`, or `migrations pending`."""
    try:
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return "unreachable"
    return "migrations pending" if plan else "ok"


def queue_state() -> tuple[str, int | None]:
    """Return `ok` and the number of workers, or `unreachable` and None."""
    client = queue_client()
    try:
        return "ok", Worker.count(connection=client)
    except redis.RedisError:
        return "unreachable", None
    finally:
        client.close()


def health() -> Health:
    """Look at every part. Without the queue the pages still work, so that is `degraded`, not `failing`."""
    database = database_state()
    queue, workers = queue_state()
    status = "failing" if database != "ok" else "ok" if queue == "ok" else "degraded"
    return Health(status=status, database=database, queue=queue, workers=workers)


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 while pages can be served, 503 otherwise; the body says which part is wrong."""
    state = health()
    return JsonResponse(asdict(state), status=503 if state.status == "failing" else 200)
