"""The asking loop beside a bare client, and limits over ten workers: `bin/with-services bin/bench.py evaluations`."""

import io
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

from bin.bench_database import bench_database, why_no_services
from bin.made_up_questions import write_questions

ROOT = Path(__file__).resolve().parents[1]
PARTS = ROOT / "bin" / "evaluation_load"
N_QUESTIONS = int(os.environ.get("QUESTIONS", "2788"))
LATENCY_MS = 200
CONCURRENCIES = (50, 100)
AIM_RATIO = 1.10
AIM_PROCESSOR_MS = 4
AIM_MEMORY_MB = 300
N_LIMITED_WORKERS = 10
LIMIT_A_MINUTE = 600
LIMITED_SECONDS = float(os.environ.get("LIMITED_SECONDS", "75"))
AIM_USED = 0.95
_LATENESS = re.compile(r"\((\d+) slowly, at most (\d+) ms")


class Took(NamedTuple):
    """Seconds by the clock, processor seconds, and megabytes at the most; for the worker, how late replies were stored.

    `n_slow` of them were stored later than 250 ms after they came, the slowest after `slowest_ms`.
    """

    seconds: float
    processor: float
    memory: float
    n_slow: int = 0
    slowest_ms: int = 0


def bench_evaluations() -> None:
    """Ask 2,788 questions through one worker, beside a bare loop; then let ten workers meet a limit."""
    if reason := why_no_services("evaluations", needs_queue=True):
        print(f"  {reason}")
        return
    with bench_database():
        set_revision = _questions()
        print(f"  Load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        for concurrency in CONCURRENCIES:
            _compare(set_revision, concurrency)
        _bench_limit(set_revision)


def _questions() -> Any:
    """Import 2,788 made-up questions, choice and number; return their set."""
    from django.core.management import call_command

    from corpus.models import QuestionSet

    with tempfile.TemporaryDirectory() as folder:
        write_questions(Path(folder), N_QUESTIONS, _example)
        call_command(
            "import_corpus", folder, "--benchmark", "load", "--name", "Load", verbosity=0, stdout=io.StringIO()
        )
    revision = QuestionSet.objects.get(slug="load").current_revision
    assert revision is not None
    assert revision.members.count() == N_QUESTIONS
    return revision


def _example(number: int) -> dict[str, Any]:
    stem = f"Sample {number}: a compound of {100 + number} g/mol takes part in a reaction in water at 298 K. "
    if number % 6 == 0:
        return {"input": f"{stem * 2}How many moles are {number} g?", "target": str(number / 7)}
    texts = (f"It gains {number} units of mass", "It loses water", "It is oxidised", "Nothing happens at all")
    scores = {text: int(index == number % 4) for index, text in enumerate(texts)}
    return {"input": f"{stem * 2}What happens?", "target_scores": scores}


def _compare(set_revision: Any, concurrency: int) -> None:
    """Print what the worker takes beside the bare loop, one after the other against the same server."""
    ideal = N_QUESTIONS * LATENCY_MS / 1000 / concurrency
    with _mock_server() as port:
        bare = _bare(f"http://127.0.0.1:{port}/v1", set_revision, concurrency)
        worker = _worker(f"http://127.0.0.1:{port}/v1", set_revision, concurrency)
        bare_again = _bare(f"http://127.0.0.1:{port}/v1", set_revision, concurrency)
    bare_seconds = (bare.seconds + bare_again.seconds) / 2
    print(f"  {N_QUESTIONS:,} items, {LATENCY_MS} ms, concurrency {concurrency}: ideal {ideal:.1f} s")
    print(f"    bare AsyncOpenAI {bare.seconds:.1f} s before, {bare_again.seconds:.1f} s after", _per_item(bare))
    print(f"    one worker       {worker.seconds:.1f} s", _per_item(worker))
    print(
        f"    stored later than 250 ms after arrival: {worker.n_slow}, the slowest after {worker.slowest_ms} ms; "
        f"load {os.getloadavg()[0]:.1f}"
    )
    print(
        f"    ratio {worker.seconds / bare_seconds:.2f} (aim {AIM_RATIO:.2f}), to the ideal "
        f"{worker.seconds / ideal:.2f}, the bare loop's {bare_seconds / ideal:.2f}; aims: {AIM_PROCESSOR_MS} ms, "
        f"{AIM_MEMORY_MB} MB"
    )


def _per_item(took: Took) -> str:
    return f"({took.processor / N_QUESTIONS * 1000:.1f} ms processor time an item, {took.memory:.0f} MB)"


@contextmanager
def _mock_server() -> Iterator[int]:
    command = [sys.executable, str(PARTS / "mock_server.py"), str(LATENCY_MS)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own server
    try:
        assert server.stdout is not None
        yield int(server.stdout.readline())
    finally:
        server.terminate()
        server.wait(30)


def _bare(base_url: str, set_revision: Any, concurrency: int) -> Took:
    from evaluations.prompts import DEFAULT_PROMPT_STYLE, prompt_style

    style = prompt_style(DEFAULT_PROMPT_STYLE)
    members = set_revision.members.select_related("question_revision").prefetch_related("question_revision__options")
    prompts = [style.prepare(member.question_revision, ()).prompt for member in members]
    done = subprocess.run(  # noqa: S603 - our own client
        [sys.executable, str(PARTS / "bare_loop.py"), base_url, str(concurrency)],
        input=json.dumps(prompts),
        capture_output=True,
        text=True,
        check=True,
    )
    return Took(**json.loads(done.stdout))


def _worker(base_url: str, set_revision: Any, concurrency: int) -> Took:
    """Let one `rqworker` ask a run; what it takes to start, seen at an empty queue, is taken off."""
    from django.db import connection

    environment = _worker_environment(concurrency)
    idle = _burst(environment)
    run = _queued(base_url, set_revision, concurrency)
    asked = _burst(environment)
    connection.close()
    run.refresh_from_db()
    assert run.status == run.Status.FINISHED, f"{run.status}: {run.error_message}"
    assert run.started_at is not None
    assert run.finished_at is not None
    assert run.items.exclude(outcome="").count() == N_QUESTIONS
    seconds = (run.finished_at - run.started_at).total_seconds()
    return asked._replace(seconds=seconds, processor=asked.processor - idle.processor)


def _queued(base_url: str, set_revision: Any, concurrency: int, **limits: int) -> Any:
    from evaluations.models import System
    from evaluations.services.runs import run_create

    number = System.objects.count()
    system = System.objects.create(
        slug=f"mock-{number}",
        name=f"Mock {number}",
        provider="openai_chat",
        model_id="mock",
        base_url=base_url,
        concurrency=concurrency,
        **limits,
    )
    return run_create(system=system, set_revision=set_revision)


def _worker_environment(concurrency: int) -> dict[str, str]:
    from django.db import connection

    parts = connection.settings_dict
    return {
        **os.environ,
        "DATABASE_URL": f"postgres://{parts['USER']}@{parts['HOST']}:{parts['PORT']}/{parts['NAME']}",
        "EVALUATION_CONCURRENCY": str(concurrency),
        "LOG_LEVEL": "WARNING",
    }


def _burst(environment: Mapping[str, str]) -> Took:
    """Run a worker until the queue is empty."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with tempfile.TemporaryFile("w+") as log:
        worker = _started({**environment, "LOG_LEVEL": "INFO"}, "--burst", log=log)
        memory = _Memory(worker.pid)
        memory.start()
        worker.wait(600)
        memory.join()
        log.seek(0)
        lateness = _LATENESS.findall(log.read())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    n_slow, slowest_ms = sum(int(n) for n, _ in lateness), max((int(ms) for _, ms in lateness), default=0)
    return Took(time.perf_counter() - start, processor, memory.most_mb, n_slow, slowest_ms)


def _started(environment: Mapping[str, str], *options: str, log: IO[str] | None = None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - our own worker
        [sys.executable, str(ROOT / "manage.py"), "rqworker", "evaluations", "--verbosity", "0", *options],
        cwd=ROOT,
        env=dict(environment),
        stderr=log,
    )


class _Memory(threading.Thread):
    """Looks twice a second at what a worker and its child hold together, shared pages counted once."""

    def __init__(self, process_id: int) -> None:
        super().__init__(daemon=True)
        self._process_id = process_id
        self.most_mb = 0.0

    def run(self) -> None:
        while Path(f"/proc/{self._process_id}/smaps_rollup").exists():
            children = Path(f"/proc/{self._process_id}/task/{self._process_id}/children")
            try:
                processes = [str(self._process_id), *children.read_text().split()]
                now = sum(_share_kb(each) for each in processes) / 1024
            except (OSError, ValueError):
                break
            self.most_mb = max(self.most_mb, now)
            time.sleep(0.5)


def _share_kb(process_id: str) -> int:
    try:
        lines = Path(f"/proc/{process_id}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def _bench_limit(set_revision: Any) -> None:
    """Let ten workers ask one run under a limit; judge by what the server saw."""
    with _mock_server() as port:
        run = _queued(f"http://127.0.0.1:{port}/v1", set_revision, 8, requests_per_minute=LIMIT_A_MINUTE)
        environment = _worker_environment(8)
        workers = [_started(environment) for _ in range(N_LIMITED_WORKERS)]
        arrivals = _arrivals_until(port, LIMITED_SECONDS)
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.wait(60)
    n_asked = run.items.exclude(attempts=0).count()
    fullest = most_in_a_window(arrivals, 60.0)
    print(f"  Limit of {LIMIT_A_MINUTE} a minute, {N_LIMITED_WORKERS} workers: {len(arrivals)} calls, {n_asked} items")
    print(
        f"    at most {fullest} in any 60 s, {fullest / LIMIT_A_MINUTE:.1%} of the limit (aim {AIM_USED:.0%} to 100%)"
    )


def _arrivals_until(port: int, seconds: float) -> list[float]:
    """Return when calls came, from the first on for so many seconds."""
    arrivals: list[float] = []
    give_up_at = time.monotonic() + 3 * seconds + 60
    while time.monotonic() < give_up_at and (not arrivals or time.monotonic() < arrivals[0] + seconds):
        time.sleep(1)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/arrivals", timeout=10) as answer:
            arrivals += sorted(json.load(answer))
    return arrivals


def most_in_a_window(times: Sequence[float], seconds: float) -> int:
    """Return the largest number of `times` (sorted) within any window of that length."""
    most = first = 0
    for last, time_ in enumerate(times):
        while times[first] <= time_ - seconds:
            first += 1
        most = max(most, last - first + 1)
    return most
