"""What a maintainer may do to a run, and when."""

from collections.abc import Callable
from typing import NamedTuple

from django.http import HttpRequest

from evaluations.models import Run
from evaluations.services.budgets import RAISABLE
from evaluations.services.cloning import run_clone
from evaluations.services.costs import BUDGET, prices_of
from evaluations.services.runs import PAUSABLE, RESUMABLE, STOPPABLE, run_pause, run_resume, run_stop
from evaluations.services.stalled_runs import can_be_woken, run_wake

CHANGE = "evaluations.change_run"
ADD = "evaluations.add_run"


class RunAction(NamedTuple):
    """A button of the run page; shown only in the states in which it can be pressed, to those who may press it."""

    name: str
    label: str
    done: str
    states: tuple[Run.Status, ...]
    service: Callable[..., Run]
    permission: str = CHANGE
    wakes: bool = False


RUN_ACTIONS = {
    action.name: action
    for action in (
        RunAction("pause", "Pause", "The run is paused; what is in flight is still stored.", PAUSABLE, run_pause),
        RunAction(
            "resume",
            "Resume",
            "The run is queued again; only what has no answer is asked.",
            tuple(status for status in RESUMABLE if status != Run.Status.INCOMPLETE),
            run_resume,
            wakes=True,
        ),
        RunAction(
            "retry",
            "Retry failed",
            "The failed questions are queued again; nothing answered is asked again.",
            (Run.Status.INCOMPLETE,),
            run_resume,
            wakes=True,
        ),
        RunAction("wake", "Wake workers", "A worker is called for this run.", Run.ACTIVE, run_wake),
        RunAction("stop", "Stop", "The run is stopped; what is stored stays.", STOPPABLE, run_stop),
        RunAction(
            "clone",
            "Queue the same again",
            "A new run with all settings of that run is queued; this is its page.",
            (Run.Status.PAUSED, Run.Status.STOPPED, Run.Status.FINISHED, Run.Status.INCOMPLETE),
            run_clone,
            permission=ADD,
            wakes=True,
        ),
    )
}


def legal_actions(run: Run, request: HttpRequest) -> list[RunAction]:
    """Return what this person can do to a run in its state; nothing to results that were not asked here."""
    if run.origin != Run.Origin.ASKED:
        return []
    return [
        action
        for action in RUN_ACTIONS.values()
        if run.status in action.states and request.user.has_perm(action.permission) and _makes_sense(action, run)
    ]


def may_raise_budget(run: Run, request: HttpRequest) -> bool:
    """Say whether this person can give the run a higher budget."""
    is_raisable = run.origin == Run.Origin.ASKED and run.status in RAISABLE
    return is_raisable and prices_of(run.frozen).are_known and request.user.has_perm(CHANGE)


def _makes_sense(action: RunAction, run: Run) -> bool:
    """Leave out waking a run that cannot be woken, and resuming one that only a higher budget lets go on."""
    if action.name == "wake":
        return can_be_woken(run)
    return not (action.service is run_resume and run.error_code == BUDGET)
