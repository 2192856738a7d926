"""Processes by session, and the end of them."""

import os
import signal
from collections.abc import Sequence
from pathlib import Path


def members_of(session: int) -> list[int]:
    """Return the living processes of a session."""
    return [pid for pid in _processes() if _ids(pid)[1] == session]


def jobs_of(session: int) -> list[int]:
    """Return the processes of a worker's session that do a job: each leads a group of its own."""
    return [pid for pid in members_of(session) if pid != session and _ids(pid)[0] == pid]


def kill(pids: Sequence[int]) -> None:
    """SIGKILL all of them; each is stopped first, so that none notices that another is gone."""
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue


def _processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def _ids(pid: int) -> tuple[int, int]:
    """Return the group and session of a living process, zeros for one that is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0, 0
    # After the name in brackets: state, parent, group, session.
    state, _, group, session = stat.rpartition(")")[2].split()[:4]
    return (0, 0) if state == "Z" else (int(group), int(session))
