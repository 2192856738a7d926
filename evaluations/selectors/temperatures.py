"""Runs of one system that differ in temperature, or that asked every question several times."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Count

from evaluations.models import Run
from evaluations.selectors.board import JUDGED, items_of
from evaluations.services.learning import as_learned

# What a run froze and that may change its answers, or how they are read.
_FROZEN = ("model_id", "base_url", "system_prompt", "folds_system_prompt", "fallback")


class AskedRun(NamedTuple):
    """A run that was asked here and has every answer; `temperature` is None where none was sent.

    Runs of one system are alike but for temperature and repeats where `otherwise` is the same.
    """

    run_id: UUID
    system_id: int
    temperature: float | None
    prompt_style: str
    permutes_options: bool
    repeats: int
    otherwise: str


def runs_by_temperature(*, root_ids: Collection[int], system_ids: Collection[int]) -> list[AskedRun]:
    """Return runs to be set side by side: those of one system, alike in all else, under several temperatures.

    A run that asked every question several times is there by itself. Only runs asked here with every answer to the
    questions `root_ids` judged, the newest for each temperature; coldest first. What senders sent in is left out.
    """
    runs = [run for alike in _alike(_asked_runs(system_ids)) for run in alike]
    ids = [run.run_id for run in runs]
    counted = items_of(root_ids).filter(run_id__in=ids).values("run_id").annotate(n=Count("id", filter=JUDGED))
    n_judged = {row["run_id"]: row["n"] for row in counted}
    complete = [run for run in runs if n_judged.get(run.run_id) == len(root_ids) * run.repeats]
    return [run for alike in _alike(complete) for run in _coldest_first(alike)]


def _alike(runs: Iterable[AskedRun]) -> list[list[AskedRun]]:
    """Return the runs that are alike but for temperature, with several temperatures or asked several times."""
    groups: dict[tuple[int, str, bool, str], list[AskedRun]] = defaultdict(list)
    for run in runs:
        groups[run.system_id, run.prompt_style, run.permutes_options, run.otherwise].append(run)
    return [
        group if len({run.temperature for run in group}) > 1 else [run for run in group if run.repeats > 1]
        for _, group in sorted(groups.items())
    ]


def _coldest_first(runs: Iterable[AskedRun]) -> list[AskedRun]:
    """Return the last of each temperature; those without one last."""
    newest = {run.temperature: run for run in runs}
    return sorted(newest.values(), key=lambda run: (run.temperature is None, run.temperature or 0))


def _asked_runs(system_ids: Collection[int]) -> list[AskedRun]:
    """Return the runs that were asked here, oldest first."""
    runs = Run.objects.filter(system__in=system_ids, origin=Run.Origin.ASKED).order_by("queued_at", "pk")
    return [
        AskedRun(
            run_id=run.pk,
            system_id=run.system_id,
            temperature=_temperature(sent := as_learned(run.parameters, run.learned)),
            prompt_style=run.prompt_style,
            permutes_options=run.permutes_options,
            repeats=run.repeats,
            otherwise=_otherwise(sent, run.frozen),
        )
        for run in runs
    ]


def _temperature(sent: Mapping[str, Any]) -> float | None:
    temperature = sent.get("temperature")
    if isinstance(temperature, int | float) and not isinstance(temperature, bool):
        return float(temperature)
    return None


def _otherwise(sent: Mapping[str, Any], frozen: Mapping[str, Any]) -> str:
    rest = {name: value for name, value in sent.items() if name != "temperature"}
    return json.dumps([rest, [frozen.get(name) for name in _FROZEN]], sort_keys=True)
