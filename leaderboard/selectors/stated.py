"""How sure answerers say they are, as arrays in the order of a matrix."""

from collections.abc import Mapping, Sequence

import numpy as np

from evaluations.selectors.stated import answer_probabilities, stated_levels
from leaderboard.calibration import NO_LEVEL, Levels
from leaderboard.matrix import Matrix
from leaderboard.statistics import Floats
from survey.selectors import board as people


def levels_by_run(*, matrix: Matrix, run_ids: Sequence[str]) -> dict[str, Levels]:
    """Return, by run, the levels stated, of shape (repeats, questions), `NO_LEVEL` where there is none. One query."""
    column_of, wanted = {root_id: column for column, root_id in enumerate(matrix.root_ids)}, set(run_ids)
    found = {
        entrant.run_id: np.full((entrant.repeats, len(column_of)), NO_LEVEL, dtype=np.int64)
        for entrant in matrix.entrants
        if entrant.run_id in wanted
    }
    for run_id, root_id, repeat, level in stated_levels(run_ids=list(found)):
        if level is not None and root_id in column_of:
            found[str(run_id)][repeat, column_of[root_id]] = level
    return found


def levels_by_root(*, run_id: str) -> dict[int, int]:
    """Return the levels a run that asked once stated by question (root), of all that it asked. One query."""
    return {root_id: level for _, root_id, _, level in stated_levels(run_ids=[run_id]) if level is not None}


def probabilities_by_run(*, matrix: Matrix, run_ids: Sequence[str]) -> dict[str, Floats]:
    """Return, by run, the probabilities of answers, of shape (repeats, questions), NaN where unknown. One query."""
    column_of = {root_id: column for column, root_id in enumerate(matrix.root_ids)}
    repeats: Mapping[str, int] = {entrant.run_id: entrant.repeats for entrant in matrix.entrants}
    found: dict[str, Floats] = {}
    for run_id, root_id, repeat, probability in answer_probabilities(run_ids=run_ids):
        if root_id in column_of:
            rows = found.setdefault(str(run_id), np.full((repeats[str(run_id)], len(column_of)), np.nan))
            rows[repeat, column_of[root_id]] = probability
    return found


def levels_of_people(*, participant_ids: Sequence[int], root_ids: Sequence[int]) -> Levels:
    """Return the levels people stated, of shape (people, questions), `NO_LEVEL` where there is none. One query."""
    row_of = {participant_id: row for row, participant_id in enumerate(participant_ids)}
    column_of = {root_id: column for column, root_id in enumerate(root_ids)}
    levels = np.full((len(row_of), len(column_of)), NO_LEVEL, dtype=np.int64)
    for participant_id, root_id, level in people.stated_levels(participant_ids=row_of, root_ids=column_of):
        levels[row_of[participant_id], column_of[root_id]] = level
    return levels
