"""What must hold after a run that was disturbed: pure functions of what was seen, without database or processes.

"In flight" is worked out afterwards from three records: the provider's calls, the database's answers and errors, the
kills. A question was in flight at a kill when the worker that was killed was the last to ask it before, and neither an
answer nor an error of that call was stored by then.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# The provider may read a request a little after the worker that sent it was killed.
_ON_ITS_WAY_SECONDS = 0.5
WORKER_LOST = "worker_lost"

Verdict = tuple[Any, ...]


@dataclass(frozen=True)
class Call:
    """A call as the provider logged it when it came; `fault` is "" where it was answered."""

    prompt: str
    worker: str
    at: float
    fault: str


@dataclass(frozen=True)
class Loss:
    """A worker that lost what it had in flight: it was killed, or cut off from everything."""

    worker: str
    at: float


@dataclass(frozen=True)
class Asked:
    """An item as the database has it at the end; `errors` are times and codes of calls that gave no answer."""

    key: str
    prompt: str
    status: str
    answered_at: float
    verdict: Verdict
    n_readings: int
    n_scores: int
    errors: tuple[tuple[float, str], ...]
    n_late: int


@dataclass(frozen=True)
class Findings:
    """Figures of one run and, in words, whatever should not be."""

    n_items: int
    n_calls: int
    n_faults: int
    n_in_flight_at_losses: int
    n_extra_calls: int
    n_asked_after_stored: int
    n_late: int
    violations: tuple[str, ...]


def findings(
    *,
    items: Sequence[Asked],
    calls: Iterable[Call],
    losses: Sequence[Loss],
    undisturbed: Mapping[str, Verdict],
) -> Findings:
    """Return what is to be said about a run."""
    by_prompt: dict[str, list[Call]] = defaultdict(list)
    for call in calls:
        by_prompt[call.prompt].append(call)
    groups: dict[str, list[Asked]] = defaultdict(list)
    for item in items:
        groups[item.prompt].append(item)
    extra = {prompt: _extra_calls(group, by_prompt[prompt]) for prompt, group in groups.items()}
    allowed = {prompt: _n_in_flight(group, by_prompt[prompt], losses) for prompt, group in groups.items()}
    again = {prompt: _after_stored(group, by_prompt[prompt]) for prompt, group in groups.items()}
    return Findings(
        n_items=len(items),
        n_calls=sum(map(len, by_prompt.values())),
        n_faults=sum(bool(call.fault) for group in by_prompt.values() for call in group),
        n_in_flight_at_losses=sum(allowed.values()),
        n_extra_calls=sum(extra.values()),
        n_asked_after_stored=sum(again.values()),
        n_late=sum(item.n_late for item in items),
        violations=(
            *_answer_violations(items),
            *_verdict_violations(items, undisturbed),
            *(f"{_named(groups[p])}: asked {n} times after its answer was stored" for p, n in again.items() if n),
            *(
                f"{_named(groups[p])}: {n} extra calls, in flight at {allowed[p]} losses"
                for p, n in extra.items()
                if n > allowed[p]
            ),
            *(f"{_named(groups[p])}: answered without a call" for p in groups if len(by_prompt[p]) < len(groups[p])),
            *(
                f"{_named(group)}: more late replies than extra calls"
                for p, group in groups.items()
                if sum(item.n_late for item in group) > extra[p]
            ),
            *(f"a prompt of no question was asked ({p})" for p in by_prompt if p not in groups),
        ),
    )


def _extra_calls(group: Sequence[Asked], calls: Sequence[Call]) -> int:
    """Return the calls beyond one a question and those whose error is stored."""
    n_errors = sum(code != WORKER_LOST for item in group for _, code in item.errors)
    return max(0, len(calls) - len(group) - n_errors)


def _n_in_flight(group: Sequence[Asked], calls: Sequence[Call], losses: Iterable[Loss]) -> int:
    """Return at how many losses one of these questions was in flight with the worker that was lost."""
    return sum(_was_in_flight(group, calls, loss) for loss in losses)


def _was_in_flight(group: Sequence[Asked], calls: Sequence[Call], loss: Loss) -> bool:
    if all(item.answered_at < loss.at for item in group):
        return False
    before = [call for call in calls if call.at < loss.at + _ON_ITS_WAY_SECONDS]
    # Questions with the same words cannot be told apart by the provider: any of their calls may be the one.
    candidates = before if len(group) > 1 else before[-1:]
    recorded = [at for item in group for at, code in item.errors if code != WORKER_LOST and at < loss.at]
    return any(call.worker == loss.worker and not any(at > call.at for at in recorded) for call in candidates)


def _after_stored(group: Sequence[Asked], calls: Sequence[Call]) -> int:
    stored = max((item.answered_at for item in group), default=0.0)
    return sum(call.at > stored for call in calls)


def _answer_violations(items: Iterable[Asked]) -> list[str]:
    return [
        f"{item.key}: {item.status}, {item.n_readings} readings, {item.n_scores} scores"
        for item in items
        if (item.status, item.n_readings, item.n_scores) != ("answered", 1, 1)
    ]


def _verdict_violations(items: Sequence[Asked], undisturbed: Mapping[str, Verdict]) -> list[str]:
    wrong = [f"{item.key}: another verdict than undisturbed" for item in items if undisturbed[item.key] != item.verdict]
    lacking = len(undisturbed) - len({item.key for item in items})
    return [*wrong, *([f"{lacking} questions have no item"] if lacking else [])]


def _named(group: Sequence[Asked]) -> str:
    return " and ".join(item.key for item in group)
