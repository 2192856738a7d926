"""How far the results of a set depend on its questions: on where they come from, and on how many they are."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from corpus.models import QuestionSet
from evaluations.models import System
from leaderboard import statistics
from leaderboard.boards import HUMAN, Row
from leaderboard.compare import codes_by_run
from leaderboard.queries import Board, load_board, whole_query
from leaderboard.ranking import shared_ranks
from leaderboard.selectors.boards import public_sets
from leaderboard.selectors.shown import smallest_group
from leaderboard.selectors.sources import sources_of
from leaderboard.services.statistics import question_means
from leaderboard.statistics import ClusteredMean, Integers, SetAgreement

# Fewer systems have too few orders to agree by.
FEWEST_SYSTEMS = 3
# With fewer sources the interval is too narrow; it is shown, and the page says so.
FEW_SOURCES = 20
# Why errors by source are left out: a source may have one question, and the error tells its verdict.
NOT_OPEN = "The set is not open, and errors by source would tell verdicts on single questions."


@dataclass(frozen=True, slots=True)
class BySource:
    """A system with the error of its accuracy where questions of one source go together, and where they do not."""

    row: Row
    found: ClusteredMean

    @property
    def error(self) -> float | None:
        """The error by source, None with a single one."""
        return None if math.isnan(self.found.standard_error) else self.found.standard_error

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The interval by source; None with a single one, and where all is right or nothing, which is not certain."""
        is_known = self.error is not None and 0 < self.found.mean < 1
        return (self.found.interval.low, self.found.interval.high) if is_known else None


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the questions of a set come from: how many sources, how many questions the largest of them has.

    `withheld` says why nothing is told of systems, "" where it is.
    """

    n_sources: int
    n_without: int
    largest: int
    systems: tuple[BySource, ...]
    withheld: str = ""

    @property
    def are_few(self) -> bool:
        """Whether there are so few sources that the intervals are too narrow."""
        return self.n_sources < FEW_SOURCES


@dataclass(frozen=True, slots=True)
class OnBoth:
    """A system on a small and on a full set, ranked among those on both; `rest` is the full set without the small.

    There is none where the boards show two runs, or where the small set is no part of the full one.
    """

    row: Row
    small: Fraction
    full: Fraction
    small_rank: int | None
    full_rank: int | None
    rest: float | None

    @property
    def difference(self) -> float:
        """The accuracy on the small set less that on the full one."""
        return float(self.small - self.full)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two sets of a benchmark: how alike they order and score the systems that answered both."""

    small: QuestionSet
    full: QuestionSet
    n_small: int
    n_full: int
    n_rest: int | None
    whole: SetAgreement
    rest: SetAgreement | None
    systems: tuple[OnBoth, ...]


@dataclass(frozen=True, slots=True)
class Robustness:
    """Everything of the page."""

    board: Board
    sources: Sources
    agreements: tuple[Agreement, ...]


def robustness_of(
    *, question_set: QuestionSet, rule: str, fallback: str = "", tells_verdicts: bool = False
) -> Robustness:
    """Return how far results of a set depend on its questions. Raise `BadQueryError` for an unknown rule.

    Errors by source are for open sets, and with `tells_verdicts`, for staff who may see verdicts, for all.
    """
    query = whole_query(question_set=question_set, rule=rule, fallback=fallback)
    board = load_board(question_set=question_set, query=query)
    others = public_sets().filter(benchmark_id=question_set.benchmark_id).exclude(pk=question_set.pk)
    boards = [load_board(question_set=other, query=query) for other in others]
    found = [set_agreement_of(*sorted((board, other), key=_size)) for other in boards]
    sources = by_source(board, tells_verdicts=tells_verdicts)
    return Robustness(board, sources, tuple(each for each in found if each is not None))


def by_source(board: Board, *, tells_verdicts: bool = False) -> Sources:
    """Return the clustered error of each system's accuracy (`clustered_mean`), the questions of one source together.

    Questions without a source stand for themselves. A source may have one question, whose verdict the error would tell:
    of a set that is not open there are errors only with `tells_verdicts`.
    """
    revision = board.question_set.current_revision
    sources = sources_of(set_revision=revision) if revision else []
    cluster_of = np.array([source or -place for place, source in enumerate(sources, start=1)], dtype=np.int64)
    sizes = np.unique(cluster_of[cluster_of > 0], return_counts=True)[1]
    is_told = tells_verdicts or smallest_group(board.question_set) == 1
    return Sources(
        n_sources=len(sizes),
        n_without=int(np.count_nonzero(cluster_of < 0)),
        largest=int(sizes.max(initial=0)),
        systems=_errors(board, cluster_of) if len(sizes) and is_told else (),
        withheld="" if is_told else NOT_OPEN,
    )


def _errors(board: Board, cluster_of: Integers) -> tuple[BySource, ...]:
    codes, every = codes_by_run(board), np.arange(len(cluster_of))
    return tuple(
        BySource(row, statistics.clustered_mean(question_means(codes[row.run_id], every), cluster_of))
        for row in board.rows
        if row.has_accuracy and row.kind != HUMAN
    )


def set_agreement_of(small: Board, full: Board) -> Agreement | None:
    """Return how a small set agrees with a larger one on systems (`set_agreement`); None with fewer than three.

    Systems count that have an accuracy on both boards, baselines apart: these are last on every set, which is no
    agreement. Since the small set may be part of the full one, the accuracies on the rest of it are compared as well,
    where they follow from the two totals.
    """
    there = {row.slug: row for row in full.rows if row.has_accuracy}
    pairs = [
        (row, there[row.slug])
        for row in small.rows
        if row.has_accuracy and row.slug in there and row.kind not in (HUMAN, System.Kind.BASELINE)
    ]
    if len(pairs) < FEWEST_SYSTEMS:
        return None
    n_rest = _size_of_rest(small, full)
    lines = _on_both(pairs, _rest_of(pairs, small.n_questions, full.n_questions) if n_rest else {})
    rest = [line for line in lines if line.rest is not None]
    return Agreement(
        small=small.question_set,
        full=full.question_set,
        n_small=small.n_questions,
        n_full=full.n_questions,
        n_rest=n_rest,
        whole=_agreement([float(line.small) for line in lines], [float(line.full) for line in lines]),
        rest=_agreement([float(line.small) for line in rest], [line.rest for line in rest])
        if len(rest) >= FEWEST_SYSTEMS
        else None,
        systems=tuple(lines),
    )


def _size(board: Board) -> tuple[int, int]:
    return board.n_questions, -board.question_set.pk


def _size_of_rest(small: Board, full: Board) -> int | None:
    """Return how many questions the full set has beside the small one; None where that is no part, or too few."""
    if not set(small.matrix.root_ids) < set(full.matrix.root_ids):
        return None
    n_rest = full.n_questions - small.n_questions
    minimum = max(smallest_group(board.question_set) for board in (small, full))
    return n_rest if n_rest >= minimum else None


def _rest_of(pairs: Sequence[tuple[Row, Row]], n_small: int, n_full: int) -> dict[str, float]:
    return {
        row.slug: float((_share(other) * n_full - _share(row) * n_small) / (n_full - n_small))
        for row, other in pairs
        if row.run_id == other.run_id
    }


def _on_both(pairs: Sequence[tuple[Row, Row]], rest: Mapping[str, float]) -> list[OnBoth]:
    small, full = [_share(row) for row, _ in pairs], [_share(other) for _, other in pairs]
    ranks = zip(shared_ranks(small), shared_ranks(full), strict=True)
    return [
        OnBoth(row, _share(row), _share(other), *both, rest.get(row.slug))
        for (row, other), both in zip(pairs, ranks, strict=True)
    ]


def _share(row: Row) -> Fraction:
    return row.estimate.accuracy or Fraction(0)


def _agreement(small: Sequence[float], full: Sequence[float | None]) -> SetAgreement:
    return statistics.set_agreement(np.array(small, dtype=np.float64), np.array(full, dtype=np.float64))
