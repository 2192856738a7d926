"""Start the site's processes beside each other and stop every one of them together."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

STOP_SECONDS = 10.0


@dataclass(slots=True)
class Processes:
    """Child processes by name; each leads a group of its own, so that its children end with it."""

    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self, name: str, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        """Start a process; it inherits the environment, with `environment` on top."""
        self.running[name] = subprocess.Popen(  # noqa: S603
            command, env={**os.environ, **(environment or {})}, start_new_session=True
        )

    def ended(self) -> str | None:
        """Return the name of a process that has ended by itself, or None."""
        return next((name for name, process in self.running.items() if process.poll() is not None), None)

    def stop(self) -> None:
        """Ask every process to end, wait, and kill what is left of its group."""
        for process in self.running.values():
            _signal_group(process, signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        for process in self.running.values():
            try:
                process.wait(timeout=max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                continue
        for process in self.running.values():
            _signal_group(process, signal.SIGKILL)
            process.wait()
        self.running.clear()


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        return
