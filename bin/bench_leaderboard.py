"""A board of many systems, on gunicorn and PostgreSQL: `bin/with-services bin/bench.py leaderboard`."""

import json
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from bin.bench_database import bench_database, why_no_services
from bin.leaderboard_load.answers import SLUG, Loaded, answers_create, load_results, run_create
from bin.leaderboard_load.readers import Read, Times, read_at_once, read_by_turns, read_once
from bin.leaderboard_load.server import Server, environment_of, peak_memory_mb, processor_seconds, served
from bin.ports import free_port

ROOT = Path(__file__).resolve().parents[1]
BOARD, EMPTY = f"/leaderboard/{SLUG}/", "/empty/"
AIM_REBUILD_SECONDS = 60
AIM_COLD_MS = 300
AIM_WARM_RATIO = 1.5
_N_COLD = 3
_N_WARM = 300
_N_AT_ONCE = 10


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured; `characters` are those of each prompt and each reply, which no board reads."""

    entrants: int = 50
    questions: int = 500
    repeats: int = 2
    readers: int = 200
    characters: int = 60


class Child(NamedTuple):
    """What a process of its own told: seconds by the clock and of processor, memory, and the matrix it stored."""

    seconds: float
    processor: float
    of_database: float
    peak_mb: float
    hash: str
    entrants: int
    stored_kb: float


def bench_leaderboard(size: Size) -> None:
    """Load the answers, build the matrix, update it by a run, and read the board: alone, by turns, all at once."""
    if reason := why_no_services("leaderboard"):
        print(f"  {reason}")
        return
    with bench_database():
        from django.db import connection

        loaded = load_results(
            systems=size.entrants, questions=size.questions, repeats=size.repeats, characters=size.characters
        )
        connection.close()
        _say_loaded(size, loaded)
        _measure_matrix(size, connection.settings_dict)
        _measure_pages(size, connection.settings_dict)


def _say_loaded(size: Size, loaded: Loaded) -> None:
    print(
        f"  {size.entrants} systems x {size.questions:,} questions x {size.repeats} repeats: {loaded.of_systems:,}"
        f" answers, and {loaded.of_people:,} of people; loaded in {loaded.seconds:.0f} s."
    )
    print("  Times are by the clock, which other work on the machine lengthens.")


def _measure_matrix(size: Size, database: dict[str, Any]) -> None:
    rebuilt = _in_a_process("rebuild", database)
    _say("Matrix built from nothing", rebuilt.seconds, "s", AIM_REBUILD_SECONDS, detail=_detail(rebuilt))
    if rebuilt.seconds > AIM_REBUILD_SECONDS:
        _in_a_process("rebuild", database, "--profile")
    _one_more_run(size)
    updated = _in_a_process("update", database)
    print(f"  Brought up to date after a run of one system: {updated.seconds:.2f} s ({_detail(updated)})")
    again = _in_a_process("rebuild", database)
    is_same = "the same" if again.hash == updated.hash else "ANOTHER MATRIX: a wrong number somewhere"
    print(f"  Built from nothing once more: {again.seconds:.1f} s, {is_same}")


def _detail(child: Child) -> str:
    return (
        f"processor time {child.processor:.1f} s here and {child.of_database:.1f} s in the database, "
        f"peak memory {child.peak_mb:.0f} MB, stored {child.stored_kb:,.0f} KB"
    )


def _one_more_run(size: Size) -> None:
    """Store another run of the first system, with other answers, and raise the version of the results."""
    from corpus.models import QuestionSet
    from corpus.services.results import results_changed

    question_set = QuestionSet.objects.select_related("current_revision").get(slug=SLUG)
    run = run_create(0, set_revision=question_set.current_revision, repeats=size.repeats)
    answers_create([(size.entrants // 2, run)], systems=size.entrants, characters=size.characters)
    results_changed(benchmark_id=question_set.benchmark_id, system_id=run.system_id)


def _in_a_process(action: str, database: dict[str, Any], *options: str) -> Child:
    command = [sys.executable, str(ROOT / "bin/leaderboard_load/rebuild.py"), action, *options]
    told = subprocess.run(  # noqa: S603 - our own program
        command, env=environment_of(database), stdout=subprocess.PIPE, check=True, text=True
    ).stdout
    first, _, profile = told.partition("\n")
    if profile.strip():
        print(profile)
    return Child(**json.loads(first))


def _measure_pages(size: Size, database: dict[str, Any]) -> None:
    """Read the board as its first reader, as the first reader of a new process, by turns and all at once."""
    with served(database, port=free_port(), workers=1) as server:
        first, processor = _first_read(server)
    print(
        f"  First page after the change: {first.seconds:.2f} s (processor time of the site {processor:.2f} s),"
        f" {first.sent / 1024:.0f} KB sent"
    )
    if first.status != 200 or f">System {size.entrants - 1}<" not in first.text:
        raise SystemExit(f"The board is not there: {first.status}.")
    _measure_cold(database)
    with served(database, port=free_port(), workers=2) as server:
        read_by_turns(port=server.port, board=BOARD, empty=EMPTY, times=20)
        _measure_warm(server)
        at_once = read_at_once(port=server.port, board=BOARD, empty=EMPTY, readers=size.readers, times=_N_AT_ONCE)
        _say_at_once(size, at_once)
        peaks = peak_memory_mb(server.process_id)
        print(f"  Peak memory of the web processes: {', '.join(f'{peak:.0f} MB' for peak in peaks)}")


def _first_read(server: Server) -> tuple[Read, float]:
    """Ask a server for its first page; return it and the processor time of the server's processes."""
    before = processor_seconds(server.process_id)
    page = read_once(port=server.port, path=BOARD)
    return page, processor_seconds(server.process_id) - before


def _measure_cold(database: dict[str, Any]) -> None:
    cold, processor, starts = [], [], []
    for _ in range(_N_COLD):
        with served(database, port=free_port(), workers=1) as server:
            page, seconds = _first_read(server)
            starts.append(server.start_seconds)
            cold.append(page.seconds * 1000)
            processor.append(seconds * 1000)
    detail = (
        f"median of {_N_COLD}, {min(cold):.0f} to {max(cold):.0f}; processor time of the site {max(processor):.0f} ms "
        f"at most; start of the server before the request {statistics.median(starts):.1f} s"
    )
    _say("Board from a cold process", statistics.median(cold), "ms", AIM_COLD_MS, detail=detail)


def _measure_warm(server: Server) -> None:
    """Compare the page and the empty view by the clock, by turns, and by processor time of the site, one by one."""
    times = read_by_turns(port=server.port, board=BOARD, empty=EMPTY, times=_N_WARM)
    processor = {}
    for path in (BOARD, EMPTY):
        before = processor_seconds(server.process_id)
        read_by_turns(port=server.port, board=path, empty=path, times=_N_WARM // 2)
        processor[path] = (processor_seconds(server.process_id) - before) / _N_WARM * 1000
    board, empty = statistics.median(times.board), statistics.median(times.empty)
    detail = (
        f"medians {board * 1000:.2f} and {empty * 1000:.2f} ms of {len(times.board)} each; processor time of the site "
        f"{processor[BOARD]:.2f} and {processor[EMPTY]:.2f} ms, {processor[BOARD] / processor[EMPTY]:.2f} times"
    )
    _say("Warm page to an empty view", board / empty, "times", AIM_WARM_RATIO, detail=detail)


def _say_at_once(size: Size, times: Times) -> None:
    board, empty = _percentiles(times.board), _percentiles(times.empty)
    print(f"  {size.readers} readers at once, {len(times.board):,} pages, failures {times.failures}, p50/p95/p99:")
    print(f"    board {_milliseconds(board)} ms, empty view {_milliseconds(empty)} ms")


def _milliseconds(values: Sequence[float]) -> str:
    return "/".join(f"{value * 1000:.0f}" for value in values)


def _percentiles(values: Sequence[float]) -> tuple[float, float, float]:
    cuts = statistics.quantiles(values, n=100)
    return cuts[49], cuts[94], cuts[98]


def _say(what: str, value: float, unit: str, aim: float, *, detail: str) -> None:
    verdict = "met" if value <= aim else "MISSED"
    print(f"  {what}: {value:.3g} {unit}, aim {aim:g} {unit}: {verdict} ({detail})")
