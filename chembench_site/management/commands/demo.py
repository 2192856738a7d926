"""Load the demo data and serve the site with a worker until interrupted."""

import fcntl
import json
import signal
import socket
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen
from uuid import UUID

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from chembench_site import embedded_queue
from chembench_site.demo import (
    DemoLoaded,
    admin_ensure,
    demo_load,
    keep_private,
    random_run_ensure,
    structure_run_ensure,
)
from chembench_site.processes import Processes
from evaluations.models import Item, Run

RUN_SECONDS = 120
WEB_SECONDS = 120
WORKER_COMMAND = (sys.executable, "manage.py", "rqworker", "evaluations", "default", "--verbosity", "0")
ENDED = (Run.Status.FINISHED, Run.Status.INCOMPLETE, Run.Status.PAUSED, Run.Status.STOPPED)


class Interrupted(Exception):  # noqa: N818 - not an error: somebody pressed Ctrl-C
    """Ctrl-C, or a signal that asks to end."""


class Command(BaseCommand):
    help = "Load the demo data, run two baselines through the queue, and serve the site until Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--load-only", action="store_true", help="load the data and the run, then end")
        parser.add_argument("--json", action="store_true", help="print what was loaded as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        processes = Processes()
        refuse_taken_port(options["port"])
        keep_private(settings.DATA_DIR)
        with only_demo(settings.DATA_DIR):
            self._run(processes, options)

    def _run(self, processes: Processes, options: dict[str, Any]) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _interrupt)
        try:
            self._serve(processes, options)
        except Interrupted:
            self.stderr.write("Stopping ...")
        finally:
            processes.stop()
            if settings.QUEUE_IS_EMBEDDED:
                embedded_queue.stop(settings.DATA_DIR)

    def _serve(self, processes: Processes, options: dict[str, Any]) -> None:
        self._say("Preparing database, pages and queue ...")
        call_command("migrate", verbosity=0, interactive=False)
        call_command("collectstatic", verbosity=0, interactive=False)
        if settings.QUEUE_IS_EMBEDDED:
            embedded_queue.ensure_running(settings.DATA_DIR)
        self._say("Loading the demo bank and its made-up people ...")
        loaded = demo_load(fixtures=settings.BASE_DIR / "fixtures")
        name, password = admin_ensure()
        processes.start("worker", WORKER_COMMAND, {"LOG_LEVEL": "WARNING"})
        self._say("Asking the random baseline every question through the queue ...")
        run = self._wait_for_run(random_run_ensure(), processes)
        # The second baseline computes more; the worker asks it while the site is looked at.
        structure = structure_run_ensure()
        if options["json"]:
            self.stdout.write(json.dumps(_report(loaded, run)))
        if options["load_only"]:
            self._wait_for_run(structure, processes)
            return
        # Of every page that a browser asks for in vain, such as /favicon.ico, there would be a warning.
        processes.start("web", _web_command(options["port"]), {"LOG_LEVEL": "ERROR"})
        address = f"http://127.0.0.1:{options['port']}"
        _wait_until_it_answers(f"{address}/healthz", processes)
        self._welcome(loaded, run, address, name, password)
        _wait_until_one_ends(processes)

    def _wait_for_run(self, run_id: UUID, processes: Processes) -> Run:
        deadline = time.monotonic() + RUN_SECONDS
        while time.monotonic() < deadline:
            run = Run.objects.get(pk=run_id)
            if run.status in ENDED:
                return run
            if processes.ended():
                raise CommandError("The worker ended by itself; its messages are above.")
            time.sleep(0.2)
        raise CommandError(f"The run did not finish within {RUN_SECONDS} s.")

    def _welcome(self, loaded: DemoLoaded, run: Run, address: str, name: str, password: str) -> None:
        n_items = run.items.count()
        lines = (
            "",
            f"  Site         {address}/",
            f"  Demo board   {address}/leaderboard/demo-mini/",
            f"  Survey       {address}/survey/{loaded.study_slug}/",
            f"  Admin        {address}/admin/   name: {name}   password: {password}",
            "",
            f"  {loaded.n_questions} questions; the queue asked the random baseline {n_items} of them: {run.status}.",
            "  It goes on with the structure baseline; the boards have it in a few seconds.",
            "  People and answers here are made up; the pages say so. Press Ctrl-C to stop.",
            "",
        )
        self._say("\n".join(lines))

    def _say(self, text: str) -> None:
        self.stderr.write(text)
        self.stderr.flush()


def refuse_taken_port(port: int) -> None:
    """Raise CommandError when something listens on the port, before anything is started."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise CommandError(
                f"Port {port} is taken. Stop what listens there, or choose another: bin/demo --port {port + 1}"
            ) from error


@contextmanager
def only_demo(data_dir: Path) -> Iterator[None]:
    """Hold the data folder's lock, so that a second demo cannot stop the first one's queue."""
    with (data_dir / "demo.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CommandError(
                "A demo runs on this data folder already. Stop it first, or name another folder: DEMO_DIR=... bin/demo"
            ) from error
        yield


def _interrupt(number: int, frame: object) -> None:
    raise Interrupted


def _web_command(port: int) -> list[str]:
    gunicorn = str(Path(sys.executable).with_name("gunicorn"))
    address = ["--bind", f"127.0.0.1:{port}", "--no-control-socket"]
    return [gunicorn, "chembench_site.wsgi", *address, "--workers", "2", "--threads", "4", "--log-level", "warning"]


def _wait_until_it_answers(address: str, processes: Processes) -> None:
    deadline = time.monotonic() + WEB_SECONDS
    while time.monotonic() < deadline:
        if processes.ended():
            raise CommandError("The web server ended by itself; its messages are above.")
        try:
            with urlopen(address, timeout=5):  # noqa: S310 - an address of our own
                return
        except OSError:
            time.sleep(0.2)
    raise CommandError(f"The site did not answer within {WEB_SECONDS} s.")


def _wait_until_one_ends(processes: Processes) -> None:
    while True:
        name = processes.ended()
        if name:
            raise CommandError(f"The {name} process ended by itself; its messages are above.")
        time.sleep(0.3)


def _report(loaded: DemoLoaded, run: Run) -> dict[str, Any]:
    outcomes: dict[str, int] = {}
    for outcome in Item.objects.filter(run=run).values_list("outcome", flat=True):
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
    return {
        "questions": loaded.n_questions,
        "people_added": loaded.people_added,
        "run": str(run.pk),
        "status": run.status,
        "outcomes": outcomes,
    }
