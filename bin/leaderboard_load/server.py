"""The site on gunicorn, from a database of the measurement; as gunicorn's configuration it says when it is ready."""

import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
READY = "BENCH_READY_FILE"
_LONGEST_START = 120


class Server(NamedTuple):
    """A server that has loaded the site and was not asked anything yet; the seconds it took to start."""

    port: int
    process_id: int
    start_seconds: float


def post_worker_init(worker: Any) -> None:
    """Say that a worker of gunicorn has loaded the site: its name for the hook."""
    with Path(os.environ[READY]).open("a") as file:
        file.write(f"{worker.pid}\n")


def environment_of(database: dict[str, Any]) -> dict[str, str]:
    """Return what a process needs that reads and serves the measurement's database."""
    place = f"{database['HOST']}:{database['PORT']}"
    return {
        **os.environ,
        "DATABASE_URL": f"postgres://{database['USER']}@{place}/{database['NAME']}",
        "DJANGO_SETTINGS_MODULE": "bin.survey_load.settings",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "DEBUG": "0",
        "LOG_LEVEL": "ERROR",
        # Nobody collects static files for it.
        "PYTHONWARNINGS": "ignore::UserWarning",
    }


@contextmanager
def served(database: dict[str, Any], *, port: int, workers: int) -> Iterator[Server]:
    """Serve the site with as many workers of four threads, as in the Dockerfile; yield it once all have loaded it."""
    with tempfile.TemporaryDirectory() as folder:
        ready = Path(folder) / "ready"
        command = [str(Path(sys.executable).with_name("gunicorn")), "chembench_site.wsgi"]
        options = ["--bind", f"127.0.0.1:{port}", "--workers", str(workers), "--threads", "4", "--reuse-port"]
        options += ["--log-level", "error", "--config", "python:bin.leaderboard_load.server"]
        started = time.perf_counter()
        environment = {**environment_of(database), READY: str(ready)}
        server = subprocess.Popen([*command, *options], cwd=ROOT, env=environment)  # noqa: S603 - our own server
        try:
            _wait(ready, workers)
            yield Server(port, server.pid, time.perf_counter() - started)
        finally:
            server.terminate()
            server.wait(30)


def peak_memory_mb(process_id: int) -> list[float]:
    """Return the largest resident memory so far of each process that a server started (Linux)."""
    children = Path(f"/proc/{process_id}/task/{process_id}/children").read_text().split()
    return [_peak_mb(child) for child in children]


def processor_seconds(process_id: int) -> float:
    """Return the processor time so far of the processes that a server started, all their threads together (Linux)."""
    children = Path(f"/proc/{process_id}/task/{process_id}/children").read_text().split()
    tasks = [task for child in children for task in Path(f"/proc/{child}/task").iterdir()]
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


def _peak_mb(process_id: str) -> float:
    lines = Path(f"/proc/{process_id}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def _wait(ready: Path, workers: int) -> None:
    give_up = time.monotonic() + _LONGEST_START
    while time.monotonic() < give_up:
        if ready.exists() and len(ready.read_text().split()) >= workers:
            return
        time.sleep(0.005)
    raise SystemExit("The server does not start.")
