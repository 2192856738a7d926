"""What a run's system was found not to take: stored once, shown with the run, and used by later runs from the start.

`learned` of a run, and of a system for its present model and address, is a JSON object: `leave_out` holds the
parameters that are not sent, `rename` those that are sent under another name (`to`), each with the endpoint's
`message`, the `value` that was set, and the `run` that learned it. `fold` holds the system prompt, where there is no
place for one and it goes with the question.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction

from corpus.services.results import action_log
from evaluations.errors import RunStateError
from evaluations.models import Run, System
from evaluations.providers import OUR_PARAMETERS
from evaluations.providers.lessons import SYSTEM_PROMPT, Lesson, renamed, value_of, without

_ABOUT = "about"
_IDENTITY = ("provider", "model_id", "base_url")
# Each loss means that another worker learned something; there is not so much to be learned.
_MOST_LOSSES = 50


@dataclass(frozen=True, slots=True)
class Learned:
    """One learned parameter, to be shown: `to` is its other name, "" where it is left out; `value` is what was set."""

    name: str
    to: str
    value: Any
    message: str
    run: str


def learned_list(learned: Mapping[str, Any]) -> list[Learned]:
    """Return what `learned` of a run or a system holds, renamed parameters first, each by name."""
    return [
        Learned(name, str(entry.get("to", "")), entry.get("value"), str(entry.get("message", "")), str(entry["run"]))
        for kind in ("fold", "rename", "leave_out")
        for name, entry in sorted(learned.get(kind, {}).items())
    ]


def as_learned(parameters: Mapping[str, Any], learned: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters as they are sent, with what was learned applied."""
    sent = dict(parameters)
    for name, entry in learned.get("rename", {}).items():
        sent = renamed(sent, name, entry["to"])
    for name in learned.get("leave_out", {}):
        sent = without(sent, name)
    return sent


def folds_system_prompt(learned: Mapping[str, Any]) -> bool:
    """Say whether a system prompt was learned to go at the head of the question."""
    return bool(learned.get("fold"))


def parameters_sent(run: Run) -> dict[str, Any]:
    """Return what goes out with each of the run's questions: its parameters without ours, as far as they are taken."""
    own = {name: value for name, value in run.parameters.items() if name not in OUR_PARAMETERS and value is not None}
    return as_learned(own, run.learned)


def learned_of(system: System) -> dict[str, Any]:
    """Return what a new run of the system begins with; nothing if it was learned of another model or address."""
    if system.learned.get(_ABOUT) != _identity(system):
        return {}
    return {kind: entries for kind, entries in system.learned.items() if kind != _ABOUT}


def may_be_learned(lesson: Lesson, *, sent: Mapping[str, Any], learned: Mapping[str, Any]) -> bool:
    """Say whether a lesson is about something that was sent, and is new: each parameter is learned once in each way."""
    kind = _kind(lesson)
    if value_of(sent, lesson.name) is None or lesson.name in learned.get(kind, {}):
        return False
    if kind != "rename":
        return True
    renames = learned.get("rename", {})
    targets = {entry["to"] for entry in renames.values()}
    return value_of(sent, lesson.to) is None and lesson.name not in {*renames, *targets}


def learn(*, run_id: UUID, lesson: Lesson, value: Any) -> dict[str, Any]:
    """Store a lesson with the run and, if it still is the same model there, with its system; return all learned.

    Of several workers that are taught the same at the same time one stores it, and all get the same back.
    """
    with transaction.atomic():
        run = Run.objects.select_related("system").get(pk=run_id)
        learned, is_new = _add_to_run(run, lesson, value)
        if is_new:
            _add_to_system(run, lesson, value)
            detail = {"parameter": lesson.name, "to": lesson.to, "message": lesson.message}
            action_log(code="run.learned", target=run, detail=detail)
    return learned


def forget_learned(*, system: System, actor: AbstractBaseUser | None = None) -> None:
    """Let the system's next run find out anew what its endpoint takes."""
    with transaction.atomic():
        System.objects.filter(pk=system.pk).update(learned={})
        action_log(code="system.learned_forgotten", target=system, actor=actor)
    system.learned = {}


def _add_to_run(run: Run, lesson: Lesson, value: Any) -> tuple[dict[str, Any], bool]:
    for _ in range(_MOST_LOSSES):
        before = Run.objects.values_list("learned", flat=True).get(pk=run.pk)
        if lesson.name in before.get(_kind(lesson), {}):
            return before, False
        after = _with(before, run, lesson, value)
        if Run.objects.filter(pk=run.pk, learned=before).update(learned=after):
            return after, True
    raise RunStateError(f"What run {run.pk} learns cannot be stored; too many workers write to it.")


def _add_to_system(run: Run, lesson: Lesson, value: Any) -> None:
    identity = {name: run.frozen.get(name, "") for name in _IDENTITY}
    for _ in range(_MOST_LOSSES):
        system = System.objects.get(pk=run.system_id)
        if _identity(system) != identity:
            return
        before = system.learned if system.learned.get(_ABOUT) == identity else {_ABOUT: identity}
        after = _with(before, run, lesson, value)
        unchanged = System.objects.filter(pk=system.pk, learned=system.learned, **identity)
        if unchanged.update(learned=after):
            return


def _with(before: Mapping[str, Any], run: Run, lesson: Lesson, value: Any) -> dict[str, Any]:
    kind = _kind(lesson)
    entry = {"message": lesson.message, "value": value, "run": str(run.pk)} | ({"to": lesson.to} if lesson.to else {})
    return {**before, kind: {**before.get(kind, {}), lesson.name: entry}}


def _kind(lesson: Lesson) -> str:
    if lesson.name == SYSTEM_PROMPT:
        return "fold"
    return "rename" if lesson.to else "leave_out"


def _identity(system: System) -> dict[str, str]:
    return {name: getattr(system, name) for name in _IDENTITY}
