"""A process that has the site loaded and forks workers from itself, each in a session of its own.

A worker takes two seconds of processor time to load; on a busy machine one that is killed every few seconds would never
get to work. Here it is there at once, and does the rest as `manage.py rqworker` does. Lines on standard input name the
workers to start; lines on standard output say what became of them. When the input ends, so does everybody.
"""

import importlib
import os
import select
import signal
import sys
import traceback
from typing import NoReturn

from bin.chaos_run.processes import kill, members_of

KEY_VARIABLE = "CHAOS_API_KEY"
COMMAND = ["manage.py", "rqworker", "evaluations", "default", "--with-scheduler"]
_LOADED = (
    "django_rq.management.commands.rqworker",
    "evaluations.services.asking",
    "evaluations.providers.openai_chat",
    "evaluations.worker",
    "rq.scheduler",
)
_LOOK_SECONDS = 0.05


def main() -> None:
    """Start workers as told, tell when one ends, until there is nobody left to tell."""
    import django

    django.setup()
    for name in _LOADED:
        importlib.import_module(name)
    started: dict[int, str] = {}
    _tell("ready")
    heard = b""
    while True:
        _tell_ends(started)
        if not select.select([0], [], [], _LOOK_SECONDS)[0]:
            continue
        more = os.read(0, 4096)
        if not more:
            break
        *names, heard = (heard + more).split(b"\n")
        for name in names:
            pid = _start(name.decode())
            started[pid] = name.decode()
            _tell(f"started {name.decode()} {pid}")
    kill([member for pid in started for member in members_of(pid)])


def _tell_ends(started: dict[int, str]) -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        _tell(f"ended {started[pid]} {os.waitstatus_to_exitcode(status)}")


def _start(worker: str) -> int:
    pid = os.fork()
    if not pid:
        _work(worker)
    return pid


def _work(worker: str) -> NoReturn:
    """Be a worker; everything it says goes where the nursery's own errors go."""
    from django.core.management import execute_from_command_line

    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    os.environ[KEY_VARIABLE] = worker
    code = 0
    try:
        execute_from_command_line(COMMAND)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - as the interpreter does at the end of a script
        traceback.print_exc()
        code = 1
    sys.stderr.flush()
    os._exit(code)


def _tell(line: str) -> None:
    os.write(1, f"{line}\n".encode())


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    main()
