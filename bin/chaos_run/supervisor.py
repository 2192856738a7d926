"""Keeps worker processes alive, as systemd or Docker would, and kills them on demand, as nobody should."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from bin.chaos_run.servers import ROOT

KEY_VARIABLE = "CHAOS_API_KEY"
COMMAND = ("manage.py", "rqworker", "evaluations", "default", "--with-scheduler")
# Whom SIGKILL hits: the worker with all it forked, only the process that does the job, only its parent.
Mode = Literal["all", "job", "parent"]
_MODES: tuple[tuple[Mode, int], ...] = (("all", 3), ("job", 1), ("parent", 1))
_RESTART_SECONDS = 0.3
_LOOK_SECONDS = 0.1


@dataclass(frozen=True)
class Kill:
    """SIGKILL sent to a worker, named by the key it asks with; times by the clock of the machine."""

    worker: str
    mode: Mode
    at: float


@dataclass(frozen=True)
class Ended:
    """A worker that ended without being killed."""

    worker: str
    code: int
    at: float


@dataclass
class Family:
    """A worker process and whatever it forked: all processes of one session."""

    worker: str
    process: subprocess.Popen[bytes]
    was_killed: bool = False

    def members(self) -> list[int]:
        """Return the processes that live."""
        return [pid for pid in _processes() if _ids(pid)[1] == self.process.pid]

    def jobs(self) -> list[int]:
        """Return the processes that do a job: each leads a group of its own."""
        return [pid for pid in self.members() if pid != self.process.pid and _ids(pid)[0] == pid]


@dataclass
class Supervisor:
    """Starts `prefixes` workers (one each; a prefix goes before the command) and replaces each that ends."""

    environment: Mapping[str, str]
    log: Path
    prefixes: Sequence[Sequence[str]] = ((), (), ())
    ended: list[Ended] = field(default_factory=list)
    kills: list[Kill] = field(default_factory=list)
    n_started: int = 0
    _slots: dict[int, Family] = field(default_factory=dict)
    _orphaned: list[Family] = field(default_factory=list)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _is_over: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def __enter__(self) -> "Supervisor":
        for slot in range(len(self.prefixes)):
            self._start(slot)
        self._thread = threading.Thread(target=self._keep_alive, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        if self._thread:
            self._thread.join(10)
        with self._lock:
            for family in self._all():
                _kill(family.members())
                family.process.wait(20)

    def worker_in(self, slot: int) -> str:
        """Return the name of the worker that has this place now."""
        with self._lock:
            return self._slots[slot].worker

    def kill_one(self, chance: random.Random) -> Kill | None:
        """Kill a worker by chance, the ones left without parent included; None when none lives."""
        with self._lock:
            living = [family for family in self._all() if family.members()]
            if not living:
                return None
            family = chance.choice(living)
            mode = chance.choices([mode for mode, _ in _MODES], [weight for _, weight in _MODES])[0]
            return self._kill(family, mode)

    def _kill(self, family: Family, mode: Mode) -> Kill:
        jobs = family.jobs()
        if mode == "job" and not jobs or mode == "parent" and family.process.poll() is not None:
            mode = "all"
        victims = {"all": family.members(), "job": jobs, "parent": [family.process.pid]}[mode]
        family.was_killed = family.was_killed or mode != "job"
        _kill(victims)
        self.kills.append(Kill(family.worker, mode, time.time()))
        return self.kills[-1]

    def _keep_alive(self) -> None:
        while not self._is_over.wait(_LOOK_SECONDS):
            with self._lock:
                gone = [slot for slot, family in self._slots.items() if family.process.poll() is not None]
                for slot in gone:
                    self._note_end(self._slots[slot])
            if gone and not self._is_over.wait(_RESTART_SECONDS):
                with self._lock:
                    for slot in gone:
                        self._start(slot)

    def _note_end(self, family: Family) -> None:
        self._orphaned.append(family)
        if not family.was_killed:
            self.ended.append(Ended(family.worker, family.process.returncode, time.time()))

    def _start(self, slot: int) -> None:
        self.n_started += 1
        worker = f"chaos-worker-{self.n_started}"
        with self.log.open("ab") as log:
            process = subprocess.Popen(  # noqa: S603 - our own command
                [*self.prefixes[slot], sys.executable, *COMMAND],
                env={**self.environment, KEY_VARIABLE: worker},
                cwd=ROOT,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._slots[slot] = Family(worker, process)

    def _all(self) -> list[Family]:
        return [*self._slots.values(), *self._orphaned]


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


def _kill(pids: Sequence[int]) -> None:
    # All are stopped first: none may notice that another is gone.
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue
