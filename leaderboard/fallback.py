"""A board with and without what only a fallback reader could read."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple
from uuid import UUID

import numpy as np
from django.core.cache import cache

from corpus.models import QuestionSet
from corpus.scoring.types import Outcome
from leaderboard.boards import Columns
from leaderboard.matrix import ERROR, MISSING, OUTCOMES, SYSTEM, Codes, Matrix, is_complete
from leaderboard.selectors.boards import visible_systems
from leaderboard.selectors.fallback import Place, fallback_places
from leaderboard.selectors.shown import smallest_group
from leaderboard.services.matrices import current_matrix
from leaderboard.statistics import Integers

_UNPARSED = OUTCOMES.index(Outcome.UNPARSED)
_KEEP_SECONDS = 86_400
# Raised when what is worked out changes, so that nothing kept by older code is shown.
_FORMAT = 2


@dataclass(frozen=True, slots=True)
class Helped:
    """A run that had a fallback reader: where in its codes (repeats, questions) the verdicts rest on that reader."""

    system_id: int
    repeats: Integers
    columns: Integers
    is_complete: bool

    def n(self, columns: Columns) -> int:
        """Return how many answers to these questions rest on it."""
        return int(np.isin(self.columns, columns).sum())


@dataclass(frozen=True, slots=True)
class FallbackUse:
    """How many answers shown on a set rest on fallback readers, and of how many systems; none may rest on any."""

    n_answers: int
    n_systems: int


class _Kept(NamedTuple):
    """What is kept for a set under a rule at one state of the results: the runs looked at, and which had a reader."""

    run_ids: list[str]
    helped: dict[str, Helped]


def helped_runs(*, question_set: QuestionSet, rule: str, matrix: Matrix) -> dict[str, Helped]:
    """Return the runs of a set's matrix that had a fallback reader, looked up once for each state of the results.

    `matrix` is the one under `rule` with what fallback readers could read. What has no verdict in it rests on nobody.
    """
    run_ids = [entrant.run_id for entrant in matrix.entrants if entrant.type == SYSTEM]
    kept: _Kept | None = cache.get(_key(question_set, rule))
    # A matrix may be newer than the state that its reader knows of.
    if kept is None or kept.run_ids != run_ids:
        kept = _Kept(run_ids, _helped(matrix, fallback_places(root_ids=matrix.root_ids, run_ids=run_ids)))
        cache.set(_key(question_set, rule), kept, _KEEP_SECONDS)
    return kept.helped


def _key(question_set: QuestionSet, rule: str) -> str:
    made_from = (_FORMAT, question_set.current_revision_id, question_set.benchmark.results_version, rule)
    return f"fallback:{hashlib.sha256(repr(made_from).encode()).hexdigest()}"


def _helped(matrix: Matrix, places: Mapping[str, list[Place]]) -> dict[str, Helped]:
    return {
        entrant.run_id: Helped(
            entrant.id, *_resting(codes, matrix.root_ids, places[entrant.run_id]), is_complete(codes)
        )
        for entrant, codes in (matrix.blocks() if places else [])
        if entrant.run_id in places
    }


def without_fallback(matrix: Matrix, helped: Mapping[str, Helped]) -> Matrix:
    """Return a matrix in which what only a fallback reader could read is unparsed."""
    if not helped:
        return matrix
    codes, start = matrix.codes.copy(), 0
    for entrant in matrix.entrants:
        if (run := helped.get(entrant.run_id)) is not None:
            codes[start + run.repeats, run.columns] = _UNPARSED
        start += entrant.repeats
    return replace(matrix, codes=codes)


def all_strict(codes: Mapping[UUID, Codes], root_ids: Sequence[int]) -> dict[UUID, Codes]:
    """Return the codes of runs, each of shape (repeats, questions), with what only a fallback reader read unparsed."""
    places = fallback_places(root_ids=root_ids, run_ids=[str(run_id) for run_id in codes])
    return {run_id: _strict(found, root_ids, places.get(str(run_id), [])) for run_id, found in codes.items()}


def chosen_matrix(*, question_set: QuestionSet, rule: str, fallback: str) -> Matrix:
    """Return the matrix of a set under `rule` (`name@version`), as it is or with `fallback` "off"."""
    matrix = current_matrix(question_set=question_set, rule=rule)
    if fallback == "on":
        return matrix
    return without_fallback(matrix, helped_runs(question_set=question_set, rule=rule, matrix=matrix))


def fallback_use(*, question_set: QuestionSet, rule: str) -> FallbackUse | None:
    """Return how many answers on a set rest on fallback readers; None where no run shown had one.

    Where the set is not open, runs that are not complete are left out: what they answered is told of nobody.
    """
    kept: _Kept | None = cache.get(_key(question_set, rule))
    # Whoever looks at a board has it kept; the matrix is not unpacked a second time.
    helped = kept.helped if kept else _helped_now(question_set, rule)
    if not helped:
        return None
    visible, is_open = visible_systems(), smallest_group(question_set) == 1
    counted = [run for run in helped.values() if run.system_id in visible and (is_open or run.is_complete)]
    return FallbackUse(sum(run.columns.size for run in counted), sum(bool(run.columns.size) for run in counted))


def _helped_now(question_set: QuestionSet, rule: str) -> dict[str, Helped]:
    matrix = current_matrix(question_set=question_set, rule=rule)
    return helped_runs(question_set=question_set, rule=rule, matrix=matrix)


def _strict(codes: Codes, root_ids: Sequence[int], places: Sequence[Place]) -> Codes:
    found = codes.copy()
    found[_resting(codes, root_ids, places)] = _UNPARSED
    return found


def _resting(codes: Codes, root_ids: Sequence[int], places: Sequence[Place]) -> tuple[Integers, Integers]:
    """Return repeats and columns of these places, but for those without a verdict, or where the call failed."""
    column_of = {root_id: column for column, root_id in enumerate(root_ids)}
    found = [(place.repeat, column_of[place.root_id]) for place in places if place.root_id in column_of]
    kept = [at for at in found if codes[at] not in (MISSING, ERROR, _UNPARSED)]
    repeats, columns = np.array(kept, dtype=np.int64).reshape(-1, 2).T
    return repeats, columns
