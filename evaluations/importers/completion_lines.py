"""Read a file of completions: JSON lines, or one JSON document. Nothing here knows the database.

A line is an object with `key` and `completion`; what else it may say is in `CompletionLine`. The first line may state
facts of the whole file instead (an exported file's first line will do). Every problem is told with its line.
"""

import io
import json
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from evaluations.repeats import MOST_REPEATS
from evaluations.storable_text import storable

LONGEST_TEXT = 1_000_000
LONGEST_SHORT_TEXT = 300
# JSON takes forty times its size in memory at worst, so that no more of it is read at once.
LARGEST_JSON_BYTES = 5_000_000
# Behind so many faults, or lines, no more is read.
MOST_PROBLEMS = 1000
MOST_LINES = 500_000
# Of those no more are remembered; names can be as many as characters.
MOST_UNKNOWN_FIELDS = 100
_LARGEST_INTEGER = 2**31 - 1
_LONGEST_SECONDS = 10_000_000
# What an exported line says about its question; sent back, it is compared.
ECHOED = ("revision", "prompt", "options")
_IGNORED = frozenset({"kind", "canary", "system_prompt"})
_TEXTS = ("completion", "reasoning", "tool_trace")
_SHORT_TEXTS = ("finish_reason", "model")
_COUNTS = ("tokens_in", "tokens_out", "tokens_cached", "tokens_reasoning")
_KNOWN = frozenset({"key", "repeat", "seconds", *_TEXTS, *_SHORT_TEXTS, *_COUNTS, *ECHOED, *_IGNORED})


class Problem(NamedTuple):
    """What is wrong in which line (of a JSON document: in which completion, counted from 1); `code` can be counted."""

    line: int
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class CompletionLine:
    """One reply. `facts` holds what is stated beside it.

    `echoed` is what the line repeats of its exported question, each value as `comparable` returns it.
    """

    line: int
    key: str
    repeat: int
    completion: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    echoed: Mapping[str, Hashable] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CompletionFile:
    """What a file holds. `unknown_fields` (some of them) were left out; it is refused when there are `problems`."""

    header: Mapping[str, Any]
    lines: tuple[CompletionLine, ...]
    problems: tuple[Problem, ...]
    unknown_fields: tuple[str, ...]


class _LineRefusedError(ValueError):
    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


def read_completions(content: bytes) -> CompletionFile:
    """Read a file; never raises, whatever the bytes are."""
    problems: list[Problem] = []
    lines: list[CompletionLine] = []
    unknown: set[str] = set()
    header: Mapping[str, Any] = {}
    first_of: dict[tuple[str, int], int] = {}
    for number, found in _objects(content):
        if len(problems) >= MOST_PROBLEMS or len(lines) >= MOST_LINES:
            problems.append(
                Problem(number, "too-many", "There are more faults or lines than are read; nothing behind this was.")
            )
            break
        if isinstance(found, Problem):
            problems.append(found)
        elif not lines and not header and not problems and "key" not in found and "completion" not in found:
            header = found
        else:
            try:
                line = _completion_line(number, found)
                _refuse_double(first_of, line)
            except _LineRefusedError as error:
                problems.append(Problem(number, error.code, str(error)))
                continue
            except RecursionError:
                problems.append(_nests_too_deeply(number))
                continue
            unknown |= set(islice(_unknown(found), MOST_UNKNOWN_FIELDS - len(unknown)))
            lines.append(line)
    if not lines and not problems:
        problems.append(
            Problem(0, "empty-file", 'There is no completion here. A line is {"key": ..., "completion": ...}.')
        )
    return CompletionFile(header, tuple(lines), tuple(problems), tuple(sorted(unknown)))


def comparable(value: Any) -> Hashable:
    """Return what stands for a JSON value when it is compared: its text where it is a list or an object.

    Parsed, a list takes up to forty times the memory of its text, and every line may repeat one.
    """
    return ("JSON", json.dumps(value, sort_keys=True)) if isinstance(value, list | dict) else value


def _objects(content: bytes) -> Iterator[tuple[int, Mapping[str, Any] | Problem]]:
    """Give every object with its line number, and a problem in place of what is none."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    if document := _document(content):
        facts = {name: value for name, value in document.items() if name != "completions"}
        if facts:
            yield 0, facts
        parsed: Iterator[tuple[int, Any]] = enumerate(document["completions"], 1)
    else:
        parsed = ((n, _parsed(n, raw)) for n, raw in enumerate(io.BytesIO(content), 1) if raw.strip())
    for number, value in parsed:
        if isinstance(value, Problem | dict):
            yield number, value
        else:
            yield number, Problem(number, "not-object", 'Each line is one object: {"key": ..., "completion": ...}.')


def _document(content: bytes) -> Mapping[str, Any] | None:
    """Return one JSON document: a list of completions, or an object with such a list; None where it is neither.

    A file that begins as no line of completions does, and is too large for one document, is a list of one problem.
    """
    whole = content.strip()
    end = whole.find(b"\n")
    found = _parsed(1, whole if end < 0 else whole[:end])
    if end >= 0 and not (isinstance(found, dict) and "completions" not in found):
        if len(whole) > LARGEST_JSON_BYTES:
            return {"completions": [_too_large(1, len(whole))]}
        found = _parsed(0, whole)
    if isinstance(found, list):
        return {"completions": found}
    return found if isinstance(found, dict) and isinstance(found.get("completions"), list) else None


def _parsed(number: int, raw: bytes) -> Any:
    """Return the JSON value, or what is wrong with it."""
    if len(raw) > LARGEST_JSON_BYTES:
        return _too_large(number, len(raw))
    try:
        return json.loads(raw.decode("utf-8"), object_pairs_hook=_object, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        return Problem(number, "not-utf-8", f"The line is not UTF-8 (byte {error.start + 1}). Save the file as UTF-8.")
    except RecursionError:
        return _nests_too_deeply(number)
    except ValueError as error:
        return Problem(number, "not-json", f"The line is no JSON object: {error}"[:300])


def _nests_too_deeply(number: int) -> Problem:
    return Problem(number, "not-json", "The line nests lists or objects too deeply.")


def _too_large(number: int, n_bytes: int) -> Problem:
    return Problem(
        number,
        "too-large",
        f"This is {n_bytes / 1e6:.1f} MB of JSON in one piece; {LARGEST_JSON_BYTES / 1e6:.0f} MB are taken. Write each "
        "completion as an object on a line of its own.",
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        double, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"the field {double[:60]!r} is there twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"JSON has no {name}")


def _completion_line(number: int, found: Mapping[str, Any]) -> CompletionLine:
    key = found.get("key")
    if not isinstance(key, str) or not key:
        raise _LineRefusedError("no-key", "The line names no question: give its key as the text `key`.")
    if "completion" not in found:
        raise _LineRefusedError("no-completion", 'The line has no `completion`. Give "" or null for an empty reply.')
    facts = {
        **{name: _text(name, found.get(name), LONGEST_SHORT_TEXT) for name in _SHORT_TEXTS},
        "reasoning": _text("reasoning", found.get("reasoning"), LONGEST_TEXT),
        "tool_trace": _trace(found.get("tool_trace")),
        **{name: _count(name, found.get(name)) for name in _COUNTS},
        "seconds": _seconds(found.get("seconds")),
    }
    return CompletionLine(
        line=number,
        key=storable(key),
        repeat=_repeat(found.get("repeat")),
        completion=_text("completion", found["completion"], LONGEST_TEXT),
        facts={name: value for name, value in facts.items() if value not in ("", None)},
        echoed={name: comparable(found[name]) for name in ECHOED if found.get(name) is not None},
    )


def _unknown(found: Mapping[str, Any]) -> Iterator[str]:
    return (storable(name)[:60] for name in found if name not in _KNOWN)


def _refuse_double(first_of: dict[tuple[str, int], int], line: CompletionLine) -> None:
    first = first_of.setdefault((line.key, line.repeat), line.line)
    if first != line.line:
        raise _LineRefusedError(
            "double",
            f"Line {first} has a completion of {line.key[:120]}, repeat {line.repeat}, already; keep one of them.",
        )


def _text(name: str, value: Any, longest: int) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _LineRefusedError("bad-field", f"`{name}` must be text, not {_kind(value)}.")
    if len(value) > longest:
        raise _LineRefusedError("too-long", f"`{name}` has {len(value):,} characters; {longest:,} are taken.")
    return storable(value)


def _trace(value: Any) -> str:
    return _text("tool_trace", value if isinstance(value, str | None) else json.dumps(value), LONGEST_TEXT)


def _count(name: str, value: Any) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _LARGEST_INTEGER:
        raise _LineRefusedError("bad-field", f"`{name}` must be a whole number from 0 to {_LARGEST_INTEGER}.")
    return value


def _repeat(value: Any) -> int:
    repeat = _count("repeat", value) or 0
    if repeat >= MOST_REPEATS:
        raise _LineRefusedError("bad-field", f"`repeat` counts from 0 to {MOST_REPEATS - 1}.")
    return repeat


def _seconds(value: Any) -> float | None:
    if value is None:
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= _LONGEST_SECONDS:
        raise _LineRefusedError("bad-field", f"`seconds` must be a number from 0 to {_LONGEST_SECONDS}.")
    return float(value)


def _kind(value: object) -> str:
    names: Sequence[tuple[type, str]] = (
        (bool, "true or false"),
        (int, "a number"),
        (float, "a number"),
        (list, "a list"),
    )
    return next((name for kind, name in names if isinstance(value, kind)), "an object")
