"""Processes end together, their children included."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from chembench_site.processes import Processes

PARENT_OF_A_STUBBORN_CHILD = """
import pathlib, signal, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import signal, time; "
    "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"])
pathlib.Path(sys.argv[1]).write_text(str(child.pid))
time.sleep(60)
"""


def alive(pid: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return bool(state.stdout.strip()) and not state.stdout.strip().startswith("Z")


def wait_for(path: Path) -> int:
    for _ in range(200):
        if path.exists() and path.read_text():
            return int(path.read_text())
        time.sleep(0.05)
    pytest.fail("the process did not write its child's number")


def test_stop_ends_children_that_ignore_the_signal(tmp_path: Path) -> None:
    processes = Processes()
    processes.start("parent", [sys.executable, "-c", PARENT_OF_A_STUBBORN_CHILD, str(tmp_path / "pid")])
    child = wait_for(tmp_path / "pid")
    time.sleep(0.3)
    processes.stop()
    time.sleep(0.2)
    assert not alive(child)


def test_the_one_that_ended_is_named() -> None:
    processes = Processes()
    processes.start("long", [sys.executable, "-c", "import time; time.sleep(60)"])
    processes.start("short", [sys.executable, "-c", "pass"])
    processes.running["short"].wait(timeout=10)
    assert processes.ended() == "short"
    processes.stop()
    assert processes.running == {}
