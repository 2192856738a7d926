"""Readers of a board: each asks for it and for an empty page by turns, over a line that is kept."""

import gzip
import http.client
import multiprocessing
import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

_N_PROCESSES = 2
_LONGEST_WAIT = 600
# What browsers send.
_HEADERS = {"Accept-Encoding": "gzip", "Accept": "text/html"}


class Times(NamedTuple):
    """Seconds from asking to the last byte, of the board and of the empty page, and answers that were none."""

    board: list[float]
    empty: list[float]
    failures: int


class Read(NamedTuple):
    """One page: seconds from asking to the last byte, its status, its bytes as sent and as text."""

    seconds: float
    status: int
    sent: int
    text: str


def read_once(*, port: int, path: str) -> Read:
    """Ask for a page over a new line."""
    return _read(http.client.HTTPConnection("127.0.0.1", port, timeout=_LONGEST_WAIT), path)


def read_by_turns(*, port: int, board: str, empty: str, times: int) -> Times:
    """Ask so many times for both pages, one after the other."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=_LONGEST_WAIT)
    found = Times([], [], 0)
    failures = 0
    for _ in range(times):
        for path, seconds in ((empty, found.empty), (board, found.board)):
            try:
                answer = _read_as_browsers_do(line, path)
            except (OSError, http.client.HTTPException):
                line.close()
                failures += 1
                continue
            seconds.append(answer.seconds)
            failures += answer.status != 200
    line.close()
    return found._replace(failures=failures)


def read_at_once(*, port: int, board: str, empty: str, readers: int, times: int) -> Times:
    """Let so many readers ask at once, each so many times for both pages."""
    shares = [readers // _N_PROCESSES + (part < readers % _N_PROCESSES) for part in range(_N_PROCESSES)]
    with multiprocessing.get_context("spawn").Pool(_N_PROCESSES) as pool:
        told = pool.starmap(_share, [(port, board, empty, share, times) for share in shares if share])
    return _together(told)


def _share(port: int, board: str, empty: str, readers: int, times: int) -> Times:
    def read(_: int) -> Times:
        return read_by_turns(port=port, board=board, empty=empty, times=times)

    with ThreadPoolExecutor(readers) as pool:
        return _together(list(pool.map(read, range(readers))))


def _together(told: list[Times]) -> Times:
    return Times(
        [seconds for each in told for seconds in each.board],
        [seconds for each in told for seconds in each.empty],
        sum(each.failures for each in told),
    )


def _read_as_browsers_do(line: http.client.HTTPConnection, path: str) -> Read:
    """Ask again over a new line where the server had closed the kept one meanwhile."""
    try:
        return _read(line, path)
    except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
        line.close()
        return _read(line, path)


def _read(line: http.client.HTTPConnection, path: str) -> Read:
    started = time.perf_counter()
    line.request("GET", path, headers=_HEADERS)
    answer = line.getresponse()
    content = answer.read()
    seconds = time.perf_counter() - started
    is_packed = answer.getheader("Content-Encoding") == "gzip"
    return Read(seconds, answer.status, len(content), (gzip.decompress(content) if is_packed else content).decode())
