"""What is stated of the systems on a board, what their answers took, and results that the board itself leaves out."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

import numpy as np

from evaluations.models import Item, Run, System
from evaluations.selectors import BoardItem, board_items
from evaluations.selectors.board import items_of_runs
from evaluations.selectors.temperatures import AskedRun
from leaderboard.matrix import CODE_TYPE, MISSING, OUTCOMES, Codes

_CODE_OF = {outcome.value: code for code, outcome in enumerate(OUTCOMES)}


@dataclass(frozen=True, slots=True)
class Stated:
    """What is stated of a system, None where it is not known; `base_model` is the slug of another system, or ""."""

    parameter_count: int | None
    released_on: date | None
    open_weights: bool | None
    base_model: str


def stated_facts() -> dict[str, Stated]:
    """Return what is stated of every system that is not hidden, by slug; no number of parameters is below one."""
    return {
        system.slug: Stated(
            parameter_count=system.parameter_count if (system.parameter_count or 0) > 0 else None,
            released_on=system.released_on,
            open_weights=system.open_weights,
            base_model=system.base_model,
        )
        for system in System.objects.filter(is_hidden=False)
    }


def codes_of_runs(*, root_ids: Sequence[int], rule: str, runs: Iterable[AskedRun]) -> dict[UUID, Codes]:
    """Return the outcome codes of runs under `rule`, each of shape (repeats, questions)."""
    return codes_by_id(root_ids=root_ids, rule=rule, repeats={run.run_id: run.repeats for run in runs})


def codes_by_id(*, root_ids: Sequence[int], rule: str, repeats: Mapping[UUID, int]) -> dict[UUID, Codes]:
    """Return the outcome codes under `rule` of runs with so many repeats, each of shape (repeats, questions)."""
    if not repeats:
        return {}
    return _codes(items_of_runs(root_ids=root_ids, rule=rule, run_ids=list(repeats)), repeats, root_ids)


def strict_codes(*, root_ids: Sequence[int], rule: str, run_ids: Collection[str]) -> dict[UUID, Codes]:
    """Return the codes, without it, of those of a board's runs that had a fallback reader."""
    helped = Run.objects.filter(pk__in=run_ids, frozen__has_key="fallback")
    repeats = dict(helped.values_list("pk", "repeats"))
    if not repeats:
        return {}
    system_ids = list(helped.values_list("system_id", flat=True))
    board = board_items(root_ids=root_ids, rule=rule, system_ids=system_ids, with_fallback=False)
    # A run that has ended since the board was made may stand in another's place by now.
    return _codes((item for item in board.items if item.run_id in repeats), repeats, root_ids)


def _codes(items: Iterable[BoardItem], repeats: Mapping[UUID, int], root_ids: Sequence[int]) -> dict[UUID, Codes]:
    column_of = {root_id: column for column, root_id in enumerate(root_ids)}
    codes = {run_id: np.full((n, len(root_ids)), MISSING, dtype=CODE_TYPE) for run_id, n in repeats.items()}
    for item in items:
        if item.outcome and item.status == Item.Status.ANSWERED:
            codes[item.run_id][item.repeat, column_of[item.root_id]] = _CODE_OF[item.outcome]
    return codes
