"""How often something was asked, over all web processes: counted in the queue's server, else in this process."""

import logging
import time
from functools import lru_cache

import redis
from django.conf import settings
from django.core.cache import cache
from redis.backoff import NoBackoff
from redis.retry import Retry

logger = logging.getLogger(__name__)

_PREFIX = "chembench:asked:"
_SERVER_SECONDS = 0.5
# For so long a server that did not answer is not tried again: a reader does not wait for it.
_AWAY_SECONDS = 15.0


class _Away:
    """Until when the server is not tried."""

    until = 0.0


def counted(name: str, *, seconds: int) -> int:
    """Add one to the count of `name`, which is forgotten `seconds` after it began, and return it.

    Without a server each process counts for itself.
    """
    if time.monotonic() >= _Away.until:
        try:
            return _counted_together(name, seconds)
        except redis.RedisError as error:
            logger.info("requests are counted by each process: the queue's server is away (%s)", type(error).__name__)
            _Away.until = time.monotonic() + _AWAY_SECONDS
    return _counted_here(name, seconds)


@lru_cache(maxsize=1)
def _server(url: str) -> redis.Redis:
    return redis.Redis.from_url(
        url, socket_timeout=_SERVER_SECONDS, socket_connect_timeout=_SERVER_SECONDS, retry=Retry(NoBackoff(), retries=0)
    )


def _counted_together(name: str, seconds: int) -> int:
    key = _PREFIX + name
    with _server(settings.RQ_QUEUES["default"]["URL"]).pipeline() as pipeline:
        pipeline.incr(key)
        pipeline.expire(key, seconds)
        count, _ = pipeline.execute()
    return int(count)


def _counted_here(name: str, seconds: int) -> int:
    key = _PREFIX + name
    cache.add(key, 0, seconds)
    try:
        return int(cache.incr(key))
    except ValueError:
        # Another thread's full cache dropped it between the two steps.
        cache.set(key, 1, seconds)
        return 1
