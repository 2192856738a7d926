"""The queue: `REDIS_URL` (Redis or Valkey), or the embedded Valkey in the data folder when it is not set."""

from pathlib import Path
from typing import Any

import environ

from chembench_site.embedded_queue import socket_url


def queues_from_environment(env: environ.Env, data_dir: Path) -> dict[str, dict[str, Any]]:
    """Return django-rq's queues: `default` for short work, `evaluations` for asking systems."""
    url = env.str("REDIS_URL", default="") or socket_url(data_dir)
    return {
        name: {"URL": url, "DEFAULT_TIMEOUT": seconds, "DEFAULT_RESULT_TTL": 500}
        for name, seconds in (("default", 600), ("evaluations", 900))
    }
