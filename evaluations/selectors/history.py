"""Every complete run of a system over some questions: how each asked, which of them stands on a board, and why."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from evaluations.models import Run
from evaluations.providers import OUR_PARAMETERS
from evaluations.selectors.board import Candidate, candidates_of, standing_for, weight_of
from evaluations.services.learning import as_learned

# Parameters in words; any other text may say how a system is reached, and stays with staff.
_IN_WORDS = ("reasoning_effort", "verbosity")
_LONGEST_WORD = 20
OLDER = "an older run"
SENT_IN = "sent in; runs asked or imported go before"
OF_A_SWEEP = "one of a sweep; runs outside of sweeps go before"


class PastRun(NamedTuple):
    """A complete run. `differs` are the parameters in which the runs listed with it are not all alike."""

    run_id: UUID
    origin: str
    queued_at: datetime
    prompt_style: str
    repeats: int
    differs: tuple[tuple[str, str], ...]
    stands: bool
    why: str


class WithdrawnRun(NamedTuple):
    """A run that was taken off the public pages: of which set, since when, and why."""

    set_name: str
    withdrawn_at: datetime
    reason: str


def complete_runs(*, root_ids: Collection[int], rule: str, system_id: int) -> list[PastRun]:
    """Return the runs of a system with every answer to these questions, newest first; none that was withdrawn.

    `why` says why it stands on the board, or why another does.
    """
    candidates = candidates_of(root_ids=root_ids, rule=rule, system_id=system_id)
    complete = [each for each in candidates if each.run.is_complete]
    if not complete:
        return []
    standing = standing_for(complete)
    runs = Run.objects.in_bulk([each.run.run_id for each in complete])
    sent = {pk: _told(run) for pk, run in runs.items()}
    differing = _differing(list(sent.values()))
    return [
        PastRun(
            run_id=each.run.run_id,
            origin=each.run.origin,
            queued_at=each.run.queued_at,
            prompt_style=runs[each.run.run_id].prompt_style,
            repeats=each.run.repeats,
            differs=tuple((name, sent[each.run.run_id].get(name, "not set")) for name in differing),
            stands=each is standing,
            why=_why(each, standing, complete),
        )
        for each in reversed(complete)
    ]


def withdrawn_runs(*, system_id: int) -> list[WithdrawnRun]:
    """Return what was taken off the public pages of a system, newest first."""
    rows = Run.objects.filter(system=system_id, withdrawn_at__isnull=False).order_by("-withdrawn_at", "pk")
    columns = ("set_revision__question_set__name", "withdrawn_at", "withdrawal_reason")
    return [WithdrawnRun(*row) for row in rows.values_list(*columns)]


def _why(candidate: Candidate, standing: Candidate, complete: Sequence[Candidate]) -> str:
    if candidate is standing:
        if len(complete) == 1:
            return "the only complete run"
        return "the newest complete run" if candidate is complete[-1] else "the newest complete run of its kind"
    if weight_of(candidate) == weight_of(standing):
        return OLDER
    return SENT_IN if candidate.run.origin == Run.Origin.SUBMITTED != standing.run.origin else OF_A_SWEEP


def _told(run: Run) -> dict[str, str]:
    """Return the parameters of a run that may be told: numbers, yes and no, and a few known words."""
    sent = as_learned(run.parameters, run.learned)
    told: dict[str, str] = {
        name: _text(value) for name, value in sent.items() if name not in OUR_PARAMETERS and _may_be_told(name, value)
    }
    told["order of options"] = "drawn anew" if run.permutes_options else "as in the bank"
    return told


def _may_be_told(name: str, value: Any) -> bool:
    if isinstance(value, str):
        return name in _IN_WORDS and len(value) <= _LONGEST_WORD
    return isinstance(value, bool | int | float)


def _text(value: Any) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def _differing(sent: Sequence[Mapping[str, str]]) -> list[str]:
    names = sorted({name for each in sent for name in each})
    return [name for name in names if len({each.get(name) for each in sent}) > 1]
