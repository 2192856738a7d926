"""All complete results of a system on a set: each run with its figures, and which of them is on the board."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from django.core.cache import cache

from corpus.models import QuestionSet
from evaluations.models import Run
from evaluations.selectors.history import PastRun, complete_runs
from leaderboard.boards import Estimate, estimate_of
from leaderboard.fallback import all_strict
from leaderboard.matrix import is_complete
from leaderboard.selectors.factors import codes_by_id
from leaderboard.selectors.inputs import columns_of
from leaderboard.selectors.shown import smallest_group
from leaderboard.systems import SetResult

_KEEP_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class Past:
    """A run and its result on the whole set."""

    run: PastRun
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class SetHistory:
    """The complete results of a system on one set under one rule, newest first."""

    question_set: QuestionSet
    rule: str
    results: tuple[Past, ...]


def histories_of(*, system_id: int, results: Sequence[SetResult]) -> list[SetHistory]:
    """Return the history behind each result of a system, worked out once for each state of the results."""
    found = [SetHistory(each.question_set, each.rule, _history(system_id, each)) for each in results]
    return [history for history in found if history.results]


def past_results(*, question_set: QuestionSet, rule: str, system_id: int, fallback: str = "on") -> tuple[Past, ...]:
    """Return the totals on a set of every complete run of a system, newest first.

    One of them stands for the system on the board: the newest, a run outside of sweeps before one of a sweep, one that
    was asked or imported before one that was sent in. None is better than another for its score. Totals of whole sets
    only, as the boards show them. Where the set is not open, of what was sent in only the one on the board.
    """
    revision = question_set.current_revision
    root_ids = [column.root_id for column in columns_of(set_revision=revision)] if revision else []
    if len(root_ids) < smallest_group(question_set):
        return ()
    is_open = smallest_group(question_set) == 1
    runs = [
        run
        for run in complete_runs(root_ids=root_ids, rule=rule, system_id=system_id)
        if is_open or run.stands or run.origin != Run.Origin.SUBMITTED
    ]
    codes = codes_by_id(root_ids=root_ids, rule=rule, repeats={run.run_id: run.repeats for run in runs})
    if fallback == "off":
        codes = all_strict(codes, root_ids)
    return tuple(Past(run, estimate_of(codes[run.run_id])) for run in runs if is_complete(codes[run.run_id]))


def _history(system_id: int, result: SetResult) -> tuple[Past, ...]:
    question_set = result.question_set
    made_from = (
        system_id,
        question_set.pk,
        question_set.current_revision_id,
        question_set.policy,
        question_set.benchmark.results_version,
        result.rule,
        result.fallback,
    )
    key = f"history:{hashlib.sha256(repr(made_from).encode()).hexdigest()}"
    found: tuple[Past, ...] | None = cache.get(key)
    if found is None:
        found = past_results(question_set=question_set, rule=result.rule, system_id=system_id, fallback=result.fallback)
        cache.set(key, found, _KEEP_SECONDS)
    return found
