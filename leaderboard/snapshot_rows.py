"""The rows of a board as something tells them that stays: a snapshot, or a folder that is handed on.

People are told more coarsely than on the board, since these stay when somebody withdraws: in whole percent or coarser
(`leaderboard.people_steps`), of the whole set, without counts. docs/snapshots.md gives the reasons.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from leaderboard import statistics
from leaderboard.boards import HUMAN, Estimate, PeopleFacts, Row, ranked
from leaderboard.matrix import COMPLETE, PARTIAL, Matrix
from leaderboard.people import PEOPLE_IN_PART_SLUG, PEOPLE_SLUG, cohort_of
from leaderboard.people_steps import step_of, told
from leaderboard.people_together import Telling
from leaderboard.queries import Board
from leaderboard.selectors.boards import people_rule
from leaderboard.services.statistics import ByTopic, Looked, current_statistics

# A name for these rows: what is worked out of them is not what the live board says.
_STAYS = "of rows that stay"


class PeopleShown(NamedTuple):
    """Whether people are in it, and if not, why, in a sentence; if so, the step of each row of people by its slug."""

    are_shown: bool
    why_not: str = ""
    steps: Mapping[str, int | None] = MappingProxyType({})


def people_steps(matrix: Matrix, *, earlier: Sequence[Telling]) -> dict[str, int | None]:
    """Return the step of each row of people by its slug, None where none is coarse enough (`step_of`)."""
    minimum = people_rule().minimum_for_mean
    return {
        slug: step_of(cohort_of(matrix, minimum=minimum, how=how), root_ids=matrix.root_ids, earlier=earlier)
        for slug, how in ((PEOPLE_SLUG, COMPLETE), (PEOPLE_IN_PART_SLUG, PARTIAL))
    }


def frozen_board(board: Board, *, people: PeopleShown) -> Board:
    """Return a whole board with people told coarsely, or without them.

    Ranks, the ranks possible and the letters are worked out anew among what it shows: those that rest on the exact mean
    of people would tell that mean by the systems next to it. The mean of topics stays with the systems alone.
    """
    kept = (row for row in board.rows if people.are_shown or row.kind != HUMAN)
    rows = ranked(_coarse(row, people.steps) if row.kind == HUMAN else row for row in kept)
    computed = current_statistics(
        looked=Looked(board.question_set, board.query.rule, _STAYS, np.arange(len(board.matrix.root_ids))),
        matrix=board.matrix,
        rows=[row for row in rows if row.rank is not None],
        by_topic=lambda: ByTopic([], []),
    )
    macros = {row.slug: row.macro for row in board.rows if row.kind != HUMAN}
    standing = (replace(computed.on(row), macro=macros.get(row.slug)) for row in rows)
    return replace(board, rows=tuple(standing))


def _coarse(row: Row, steps: Mapping[str, int | None]) -> Row:
    """Return a row of people with its mean in steps and an interval that still covers the exact one."""
    estimate = Estimate(row.estimate.n_questions, row.estimate.n_scored, {}, withheld=row.estimate.withheld)
    step = steps[row.slug]
    if row.estimate.accuracy is not None and step is not None:
        said = told(row.estimate.accuracy, row.estimate.bounds, step)
        interval = statistics.NO_INTERVAL
        if said.low is not None and said.high is not None:
            interval = statistics.Interval(said.low / 100, said.high / 100)
        estimate = replace(estimate, accuracy=Fraction(said.mean, 100), interval=interval)
    return replace(
        row,
        estimate=estimate,
        topics={},
        people=PeopleFacts(row.people.n if row.people else 0),
        rank_low=None,
        rank_high=None,
        group=None,
        letters=(),
        macro=None,
    )
