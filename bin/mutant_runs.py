"""Try the mutants of `corpus/scoring` that are not known to die, each in a fork of one pytest session.

mutmut starts a session for each mutant and asks at every call which mutant is on; both cost far more than the tests.
Here the tests are collected once, the functions are put back to what they were, and a fork puts one mutant in its place
and calls the tests that reach it, first those that noticed another mutant of its function, then the quick ones. Run in
mutmut's folder, behind mutmut's own making of mutants:

    python -m pytest -p mutant_runs tests/corpus/scoring
"""

import gc
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import _lru_cache_wrapper
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from _pytest.runner import runtestprotocol

PACKAGE = "corpus.scoring"
LIVED, DIED, OUT_OF_TIME = 0, 1, -24
# A fork that could not even put its mutant in place proves nothing of the tests.
NOT_TRIED = 3
# A mutant may take twice as long as its tests took in mutmut's own run, which was slow, and some seconds to begin.
PATIENCE, BEGINNING_SECONDS = 2, 10
Holder = tuple[dict[str, Any], str]


class Fork(NamedTuple):
    """A mutant being tried: until when, and where it tells which test noticed it."""

    pid: int
    deadline: float
    reading: int


def pytest_runtestloop(session: pytest.Session) -> bool:
    """Try every mutant without a result in place of the tests' own run; write the results where mutmut keeps them."""
    stats = json.loads(Path("mutmut-stats.json").read_text())
    reaching: dict[str, list[str]] = stats["tests_by_mangled_function_name"]
    seconds: dict[str, float] = stats["duration_by_test"]
    items = {item.nodeid: item for item in session.items}
    holders, caches = _unwrapped(), _caches()
    noticing: dict[str, list[str]] = {}
    if (failing := _noticing(list(items.values()))) is not None:
        pytest.exit(f"{failing} fails on the code as it is: mend it first.", returncode=1)
    gc.freeze()
    known = {path: json.loads(path.read_text()) for path in sorted(Path(PACKAGE.replace(".", "/")).rglob("*.meta"))}
    untried = [(path, name) for path, each in known.items() for name, code in _codes(each).items() if code is None]
    print(f"\n{len(untried)} of {sum(len(_codes(each)) for each in known.values())} mutants to try", flush=True)

    def start(name: str) -> Fork:
        tests = sorted(reaching.get(_function(name), []), key=lambda test: seconds[test])
        tests = list(dict.fromkeys([*reversed(noticing.get(_function(name), [])), *tests]))
        limit = BEGINNING_SECONDS + PATIENCE * sum(seconds[test] for test in tests)
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            code = NOT_TRIED
            with suppress(BaseException):
                _put_in_place(name, holders, caches)
                code = DIED
                test = _noticing([items[test] for test in tests if test in items])
                os.write(writing, (test or "").encode())
                code = DIED if test else LIVED
            os._exit(code)
        os.close(writing)
        return Fork(pid, time.monotonic() + limit, reading)

    for number, ((path, name), code, test) in enumerate(_results(untried, start), 1):
        if code == NOT_TRIED:
            pytest.exit(f"{name} could not be put in place.", returncode=1)
        _codes(known[path])[name] = code
        if test in reaching.get(_function(name), []):
            noticing.setdefault(_function(name), []).append(test)
        if number % 100 == 0 or number == len(untried):
            print(f"{number} tried", flush=True)
            for each, content in known.items():
                each.write_text(json.dumps(content))
    _print_totals([code for each in known.values() for code in _codes(each).values()])
    return True


def _codes(known: dict[str, Any]) -> dict[str, int | None]:
    found: dict[str, int | None] = known["exit_code_by_key"]
    return found


def _function(mutant: str) -> str:
    return mutant.partition("__mutmut")[0]


def _unwrapped() -> dict[str, list[Holder]]:
    """Put every plain function of the package back in place of mutmut's wrapper; return where each is held, by name."""
    holders: dict[str, list[Holder]] = {}
    for module in list(sys.modules.values()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if isinstance(value, _lru_cache_wrapper) or not str(getattr(value, "__module__", "")).startswith(PACKAGE):
                continue
            if hasattr(value, "__wrapped__") and hasattr(
                sys.modules[value.__module__], f"x_{value.__name__}__mutmut_orig"
            ):
                holders.setdefault(f"{value.__module__}.x_{value.__name__}", []).append((module.__dict__, name))
                module.__dict__[name] = value.__wrapped__
    return holders


def _caches() -> list[Any]:
    """Return the caches of the package: what they hold would hide what was broken. pint's registry is none of ours."""
    caches = (each for each in gc.get_objects() if isinstance(each, _lru_cache_wrapper))
    return [each for each in caches if str(each.__module__).startswith(PACKAGE) and each.__name__ != "_registry"]


def _put_in_place(name: str, holders: dict[str, list[Holder]], caches: list[Any]) -> None:
    # What is held in a table of a module, and what is a method, goes through mutmut's wrapper, which asks for this.
    os.environ["MUTANT_UNDER_TEST"] = name
    module, _, mutant = name.rpartition(".")
    for namespace, held in holders.get(_function(name), []):
        namespace[held] = getattr(sys.modules[module], mutant)
    for cache in caches:
        cache.cache_clear()


def _noticing(items: list[Any]) -> str | None:
    """Return the first test that fails. Tests that take nothing but their parameters are called as they are."""
    whole = []
    for item in items:
        arguments = _plain_arguments(item)
        if arguments is None:
            whole.append(item)
            continue
        try:
            item.obj(**arguments)
        except pytest.skip.Exception:
            continue
        except BaseException:  # noqa: BLE001 -- whatever a broken function raises
            return str(item.nodeid)
    for item, next_item in zip(whole, [*whole[1:], None], strict=False):
        if any(report.failed for report in runtestprotocol(item, log=False, nextitem=next_item)):
            return str(item.nodeid)
    return None


def _plain_arguments(item: Any) -> dict[str, Any] | None:
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    names = item._fixtureinfo.argnames
    return {name: parameters[name] for name in names} if set(names) <= set(parameters) else None


def _results(
    untried: list[tuple[Path, str]], start: Callable[[str], Fork]
) -> Iterator[tuple[tuple[Path, str], int, str]]:
    """Yield what became of each mutant and the test that noticed it, as many at once as `JOBS` says."""
    jobs, waiting = int(os.environ.get("JOBS", "1")), iter(untried)
    running: dict[int, tuple[tuple[Path, str], Fork]] = {}
    while True:
        while len(running) < jobs and (mutant := next(waiting, None)) is not None:
            fork = start(mutant[1])
            running[fork.pid] = mutant, fork
        if not running:
            return
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            for each, (_, fork) in running.items():
                if time.monotonic() > fork.deadline:
                    os.kill(each, signal.SIGKILL)
            time.sleep(0.005)
            continue
        code = os.waitstatus_to_exitcode(status)
        mutant, fork = running.pop(pid)
        with os.fdopen(fork.reading) as pipe:
            test = pipe.read()
        yield mutant, OUT_OF_TIME if code == -signal.SIGKILL else code, test


def _print_totals(codes: list[int | None]) -> None:
    n_died, n_late = codes.count(DIED), codes.count(OUT_OF_TIME)
    n_lived = len(codes) - n_died - n_late - codes.count(None)
    print(f"{len(codes)} mutants: {n_died} died ({n_died / len(codes):.1%}), {n_late} out of time, {n_lived} lived")
