"""Works out what the systems and people of a board say of their answers, and what of it may be told."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from corpus.models import QuestionSet
from corpus.scoring.rules import resolve_rule
from evaluations.selectors.stated import runs_being_asked, runs_with_levels
from leaderboard import statistics
from leaderboard.boards import Columns, Row, Topic
from leaderboard.calibration import LEVELS, NO_LEVEL, Calibration, Levels, calibration_of, parts_of_people
from leaderboard.compare import codes_by_run
from leaderboard.matrix import RIGHT, Codes
from leaderboard.people import PEOPLE_SLUG, cohort_of
from leaderboard.queries import Board
from leaderboard.selectors.boards import people_rule, public_sets
from leaderboard.selectors.shown import smallest_group
from leaderboard.selectors.shown_levels import sets_with_levels_told
from leaderboard.selectors.stated import levels_by_root, levels_by_run, levels_of_people, probabilities_by_run
from leaderboard.services import current_matrix
from leaderboard.statistics import Flags, Floats, Integers


class Quality(NamedTuple):
    """Expected calibration error and area under the curve of what is claimed; no area where all answers are alike."""

    error: float
    area: float | None


@dataclass(frozen=True, slots=True)
class Against:
    """The levels a system (`slug`) stated against the probabilities of its answers, on the answers that have both.

    `counts` and `means` are by level: how many answers, and the mean of their probabilities (None of none). `rho` is
    the rank correlation, NaN where there is none. Of both claims the quality, where it may be told.
    """

    slug: str
    counts: tuple[int, ...]
    means: tuple[float | None, ...]
    rho: float
    by_level: Quality | None = None
    by_probability: Quality | None = None

    @property
    def n(self) -> int:
        """How many answers have both."""
        return sum(self.counts)

    @property
    def cells(self) -> list[tuple[int, int, float | None]]:
        """Level, number of answers and mean probability."""
        return list(zip(LEVELS, self.counts, self.means, strict=True))

    @property
    def correlation(self) -> float | None:
        """The rank correlation, None where there is none."""
        return None if np.isnan(self.rho) else self.rho


class Told(NamedTuple):
    """What an entrant says of its answers, of how many, and whether it may be told how many are right at each level."""

    calibration: Calibration
    n_answers: int
    is_told: bool


@dataclass(frozen=True, slots=True)
class Found:
    """What is worked out of a board, by slug, and which of its systems are still being asked.

    `people_are_elsewhere` is the slug of the set on whose page people are, "" where they are here or nowhere.
    """

    calibrations: dict[str, Told]
    against: tuple[Against, ...]
    being_asked: frozenset[str]
    people_are_elsewhere: str


def stated_on(board: Board, left_out: Topic | None) -> Found:
    """Return what the rows of a board say of their answers, but for those on a topic that is left out."""
    rows = {row.run_id: row for row in board.rows if row.run_id and row.has_accuracy}
    with_levels, asked = runs_with_levels(run_ids=list(rows)), runs_being_asked(run_ids=list(rows))
    shown = [run_id for run_id in rows if run_id in with_levels and run_id not in asked]
    columns = _columns(board, left_out)
    levels = levels_by_run(matrix=board.matrix, run_ids=shown)
    codes, is_closed = codes_by_run(board), smallest_group(board.question_set) > 1
    told = {run_id: _may_tell(board, rows[run_id]) for run_id in shown}
    calibrations = {
        rows[run_id].slug: Told(
            _of_system(levels[run_id][:, columns], codes[run_id][:, columns], is_told=told[run_id]),
            int(codes[run_id][:, columns].size),
            told[run_id],
        )
        for run_id in shown
    }
    probabilities = probabilities_by_run(matrix=board.matrix, run_ids=shown) if shown else {}
    people, elsewhere = _people(board, columns)
    return Found(
        calibrations=calibrations | people,
        against=tuple(
            _against(
                rows[run_id].slug,
                levels[run_id][:, columns],
                probabilities[run_id][:, columns],
                None if is_closed else codes[run_id][:, columns] == RIGHT,
            )
            for run_id in rows
            if run_id in probabilities
        ),
        being_asked=frozenset(rows[run_id].slug for run_id in asked),
        people_are_elsewhere=elsewhere,
    )


def _columns(board: Board, left_out: Topic | None) -> Columns:
    every = np.arange(len(board.matrix.root_ids))
    return every if left_out is None else np.setdiff1d(every, left_out.columns)


def _may_tell(board: Board, row: Row) -> bool:
    """Say whether it may be told how many answers of a system are right at each level.

    Everywhere on an open set. Elsewhere not of a system asked several times, nor of what was sent in, nor without
    fallback readers, since with and without would tell of the few answers at a level that only these could read; and
    otherwise where no result of too few questions would follow (`sets_with_levels_told`).
    """
    question_set = board.question_set
    if smallest_group(question_set) == 1:
        return True
    if row.repeats > 1 or row.is_submitted or board.query.fallback == "off":
        return False
    levels = levels_by_root(run_id=row.run_id)
    return question_set.pk in sets_with_levels_told(benchmark_id=question_set.benchmark_id, levels=levels)


def _of_system(levels: Levels, codes: Codes, *, is_told: bool) -> Calibration:
    repeats, n = codes.shape
    clusters = np.tile(np.arange(n), repeats) if repeats > 1 else None
    return calibration_of(levels.ravel(), (codes == RIGHT).ravel(), cluster_of=clusters, tells_right=is_told)


def _people(board: Board, columns: Columns) -> tuple[dict[str, Told], str]:
    """Return the calibration of people, and the slug of the set on whose page they are where it is not this one.

    People are shown under the benchmark's own rule, together, where the board shows their mean, and on one set only:
    the largest of those that show any of them. Which levels are told together depends on the set, and by
    subtracting sets the levels of a few answers could be told.
    """
    row = next((each for each in board.rows if each.slug == PEOPLE_SLUG and each.has_accuracy), None)
    if row is None or board.query.rule != resolve_rule(board.question_set.benchmark.default_rule):
        return {}, ""
    minimum = people_rule().minimum_for_mean
    cohort = cohort_of(board.matrix, minimum=minimum)
    levels = levels_of_people(participant_ids=cohort.participant_ids, root_ids=board.matrix.root_ids)
    if not (levels != NO_LEVEL).any():
        return {}, ""
    home = _home_of(board, set(cohort.participant_ids), minimum=minimum)
    if home.pk != board.question_set.pk:
        return {}, home.slug
    if columns.size < levels.shape[1]:
        return {}, ""
    parts = parts_of_people(levels, cohort.codes, minimum=minimum)
    if parts is None:
        return {}, ""
    clusters = np.repeat(np.arange(len(levels)), levels.shape[1])
    is_right = (cohort.codes == RIGHT).ravel()
    found = calibration_of(levels.ravel(), is_right, cluster_of=clusters, parts=parts)
    return {row.slug: Told(found, int(levels.size), True)}, ""


def _home_of(board: Board, participant_ids: set[int], *, minimum: int) -> QuestionSet:
    """Return the set with the most questions of those that count any of these people, of two the older one."""
    here = board.question_set
    others = []
    for question_set in public_sets().filter(benchmark_id=here.benchmark_id).exclude(pk=here.pk):
        cohort = cohort_of(current_matrix(question_set=question_set, rule=board.query.rule), minimum=minimum)
        if participant_ids & set(cohort.participant_ids):
            others.append((-cohort.codes.shape[1], question_set.pk, question_set))
    return min([(-len(board.matrix.root_ids), here.pk, here), *others], key=lambda each: each[:2])[2]


def _against(slug: str, levels: Levels, probabilities: Floats, is_right: Flags | None) -> Against:
    """Return a system's levels against its probabilities, all of shape (repeats, questions).

    How many are right goes into errors and areas of probabilities, which are no sums over questions: without
    `is_right`, on sets that are not open, they are left out (decision 12).
    """
    has_both = (levels != NO_LEVEL) & ~np.isnan(probabilities)
    stated, claimed = levels[has_both], probabilities[has_both]
    counts = tuple(int(np.count_nonzero(stated == level)) for level in LEVELS)
    means = tuple(
        float(claimed[stated == level].mean()) if n else None for level, n in zip(LEVELS, counts, strict=True)
    )
    found = Against(slug, counts, means, statistics.rank_correlation(stated.astype(np.float64), claimed))
    if is_right is None or not stated.size:
        return found
    return replace(
        found,
        by_level=_quality(statistics.level_probability(stated), is_right[has_both], stated),
        by_probability=_quality(claimed, is_right[has_both], statistics.equal_bins(claimed)),
    )


def _quality(claimed: Floats, right: Flags, bin_of: Integers) -> Quality:
    error = statistics.expected_calibration_error(claimed, right, bin_of)
    area = statistics.discrimination(claimed, right).auroc
    return Quality(error, None if np.isnan(area) else area)
