"""Exit with 0 when a worker on this host is alive, for container health checks."""

import socket
from datetime import UTC, datetime, timedelta
from typing import Any

import redis
from django.core.management.base import BaseCommand, CommandError
from rq import Worker
from rq.worker import BaseWorker

from chembench_site.health import queue_client

# rq's workers report at least every seven minutes while idle.
LONGEST_SILENCE = timedelta(minutes=8)


class Command(BaseCommand):
    help = "Exit with 0 when a worker on this host has reported lately."

    def handle(self, *args: Any, **options: Any) -> None:
        client = queue_client()
        try:
            workers = Worker.all(connection=client)
        except redis.RedisError as error:
            raise CommandError("The queue does not answer.") from error
        since = datetime.now(UTC) - LONGEST_SILENCE
        here = [worker for worker in workers if worker.hostname == socket.gethostname()]
        if not any(_reported_at(worker) >= since for worker in here):
            raise CommandError("No worker on this host has reported lately.")
        self.stdout.write(f"{len(here)} worker(s) alive")


def _reported_at(worker: BaseWorker) -> datetime:
    heartbeat = worker.last_heartbeat
    if heartbeat is None:
        return datetime.min.replace(tzinfo=UTC)
    return heartbeat if heartbeat.tzinfo else heartbeat.replace(tzinfo=UTC)
