"""The embedded queue server: started once, shared, private, found again after a crash."""

import os
import signal
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from chembench_site import embedded_queue


@pytest.fixture
def data_dir(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    embedded_queue.stop(tmp_path)


def client_of(data_dir: Path) -> redis.Redis:
    return redis.Redis.from_url(embedded_queue.socket_url(data_dir))


def pid_of(data_dir: Path) -> int:
    return int((data_dir / "queue" / "valkey.pid").read_text())


def test_first_caller_starts_it_and_the_second_finds_it(data_dir: Path) -> None:
    assert embedded_queue.ensure_running(data_dir) is True
    assert embedded_queue.ensure_running(data_dir) is False
    assert client_of(data_dir).ping()


def test_callers_at_the_same_moment_start_one_server(data_dir: Path) -> None:
    started: list[bool] = []
    threads = [
        threading.Thread(target=lambda: started.append(embedded_queue.ensure_running(data_dir))) for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(started) == [False, False, False, False, True]


def test_only_its_owner_may_open_the_socket(data_dir: Path) -> None:
    embedded_queue.ensure_running(data_dir)
    assert stat.S_IMODE(embedded_queue.socket_path(data_dir).stat().st_mode) == 0o700


def test_data_is_there_again_after_a_crash(data_dir: Path) -> None:
    embedded_queue.ensure_running(data_dir)
    client_of(data_dir).set("job", "kept")
    time.sleep(1.1)  # the log of writes reaches the disk once a second
    os.kill(pid_of(data_dir), signal.SIGKILL)
    while embedded_queue.is_running(data_dir):
        time.sleep(0.02)
    assert embedded_queue.ensure_running(data_dir) is True
    assert client_of(data_dir).get("job") == b"kept"


def test_stop_says_whether_there_was_one(data_dir: Path) -> None:
    embedded_queue.ensure_running(data_dir)
    assert embedded_queue.stop(data_dir) is True
    assert embedded_queue.stop(data_dir) is False


def test_a_long_folder_gets_a_short_socket(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 120)
    assert len(str(embedded_queue.socket_path(deep))) <= embedded_queue.LONGEST_SOCKET_PATH
    assert embedded_queue.socket_path(deep) == embedded_queue.socket_path(deep)
