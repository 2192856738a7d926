"""Look at the embedded queue server, start it, or stop it."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from chembench_site import embedded_queue


class Command(BaseCommand):
    help = "Say whether the embedded queue server runs; start it, or stop it with its data kept."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("action", choices=["status", "start", "stop"])

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.QUEUE_IS_EMBEDDED:
            raise CommandError("REDIS_URL is set: the queue is not embedded here.")
        action = options["action"]
        if action == "start":
            embedded_queue.ensure_running(settings.DATA_DIR)
        elif action == "stop":
            embedded_queue.stop(settings.DATA_DIR)
        self.stdout.write("running" if embedded_queue.is_running(settings.DATA_DIR) else "not running")
