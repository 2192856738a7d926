"""Keeps worker processes alive, as systemd or Docker would, and kills them on demand, as nobody should."""

import random
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from bin.chaos_run.nursery import KEY_VARIABLE as KEY_VARIABLE
from bin.chaos_run.processes import jobs_of, kill, members_of
from bin.chaos_run.servers import ROOT, wait_until

# Whom SIGKILL hits: the worker with all it forked, only the process that does the job, only its parent.
Mode = Literal["all", "job", "parent"]
_MODES: tuple[tuple[Mode, int], ...] = (("all", 3), ("job", 1), ("parent", 1))
_RESTART_SECONDS = 0.3
_LOOK_SECONDS = 0.1
_LOAD_SECONDS = 120.0


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
    """A worker process, which leads a session, and whatever it forked; `code` once the worker has ended."""

    worker: str
    pid: int = 0
    code: int | None = None
    was_killed: bool = False

    def lives(self) -> bool:
        """Say whether anybody of it is left, the worker itself or a job without parent."""
        return bool(members_of(self.pid))


class Nursery:
    """The other end of a process that forks workers, see `nursery.py`. `prefix` goes before its command."""

    def __init__(self, prefix: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self._families: dict[str, Family] = {}
        self._is_ready = False
        with log.open("ab") as errors:
            self._process = subprocess.Popen(  # noqa: S603 - our own command
                [*prefix, sys.executable, "-m", "bin.chaos_run.nursery"],
                env=dict(environment),
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
                text=True,
            )
        threading.Thread(target=self._listen, daemon=True).start()

    def start(self, worker: str) -> Family:
        """Start a worker; return once it exists."""
        wait_until(lambda: self._is_ready, "the site", _LOAD_SECONDS)
        family = self._families[worker] = Family(worker)
        self._say(worker)
        wait_until(lambda: bool(family.pid), worker, _LOAD_SECONDS)
        return family

    def end(self) -> None:
        """End the process, and with it everybody it started."""
        if self._process.stdin:
            self._process.stdin.close()
        self._process.wait(30)

    def _say(self, line: str) -> None:
        if self._process.stdin:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()

    def _listen(self) -> None:
        for line in self._process.stdout or ():
            if line == "ready\n":
                self._is_ready = True
                continue
            what, worker, number = line.split()
            if what == "started":
                self._families[worker].pid = int(number)
            else:
                self._families[worker].code = int(number)


@dataclass
class Supervisor:
    """Starts one worker for each of `prefixes` (what goes before its command) and replaces each that ends."""

    environment: Mapping[str, str]
    log: Path
    prefixes: Sequence[tuple[str, ...]] = ((), (), ())
    ended: list[Ended] = field(default_factory=list)
    kills: list[Kill] = field(default_factory=list)
    n_started: int = 0
    _nurseries: dict[tuple[str, ...], Nursery] = field(default_factory=dict)
    _slots: dict[int, Family] = field(default_factory=dict)
    _orphaned: list[Family] = field(default_factory=list)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _is_over: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def __enter__(self) -> "Supervisor":
        self._nurseries = {
            prefix: Nursery(prefix, self.environment, self.log) for prefix in dict.fromkeys(self.prefixes)
        }
        for slot in range(len(self.prefixes)):
            self._start(slot)
        self._thread = threading.Thread(target=self._keep_alive, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        if self._thread:
            self._thread.join(10)
        for nursery in self._nurseries.values():
            nursery.end()

    def worker_in(self, slot: int) -> str:
        """Return the name of the worker that has this place now."""
        with self._lock:
            return self._slots[slot].worker

    def kill_one(self, chance: random.Random) -> Kill | None:
        """Kill a worker by chance, jobs left without parent included; None when nobody lives."""
        with self._lock:
            living = [family for family in (*self._slots.values(), *self._orphaned) if family.lives()]
            if not living:
                return None
            mode = chance.choices([mode for mode, _ in _MODES], [weight for _, weight in _MODES])[0]
            return self._kill(chance.choice(living), mode)

    def _kill(self, family: Family, mode: Mode) -> Kill:
        jobs = jobs_of(family.pid)
        if mode == "job" and not jobs or mode == "parent" and family.code is not None:
            mode = "all"
        family.was_killed = family.was_killed or mode != "job"
        kill({"all": members_of(family.pid), "job": jobs, "parent": [family.pid]}[mode])
        self.kills.append(Kill(family.worker, mode, time.time()))
        return self.kills[-1]

    def _keep_alive(self) -> None:
        while not self._is_over.wait(_LOOK_SECONDS):
            with self._lock:
                gone = [slot for slot, family in self._slots.items() if family.code is not None]
                for slot in gone:
                    self._note_end(self._slots[slot])
            if gone and not self._is_over.wait(_RESTART_SECONDS):
                with self._lock:
                    for slot in gone:
                        self._start(slot)

    def _note_end(self, family: Family) -> None:
        self._orphaned.append(family)
        if not family.was_killed:
            self.ended.append(Ended(family.worker, family.code or 0, time.time()))

    def _start(self, slot: int) -> None:
        self.n_started += 1
        self._slots[slot] = self._nurseries[self.prefixes[slot]].start(f"chaos-worker-{self.n_started}")
