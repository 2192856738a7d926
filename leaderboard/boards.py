"""From a matrix to the rows of a board: estimates, ranks, people as an aggregate. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from corpus.scoring.types import Outcome
from leaderboard import ranking, statistics
from leaderboard.matrix import ERROR, MISSING, OUTCOMES, PERSON, RIGHT, Codes, Matrix, is_complete

HUMAN = "human"
PEOPLE_SLUG = "human-experts"
Columns = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class SystemFacts:
    """What a board says of a system beside its results."""

    slug: str
    name: str
    source_name: str
    kind: str
    is_demo: bool


@dataclass(frozen=True, slots=True)
class PeopleRule:
    """From how many people on their mean is public, and from how many their best and worst."""

    minimum_for_mean: int
    minimum_for_extremes: int


@dataclass(frozen=True, slots=True)
class Topic:
    """A group of questions: the columns of the matrix that belong to it."""

    slug: str
    name: str
    columns: Columns


@dataclass(frozen=True, slots=True)
class Estimate:
    """Accuracy on `n_questions` questions with its interval; no accuracy where an answer is missing.

    `n_scored` counts questions with a verdict in every repeat; `outcomes` counts answers, so with repeats or people
    they add up to more than `n_questions`.
    """

    n_questions: int
    n_scored: int
    outcomes: Mapping[str, int]
    accuracy: Fraction | None = None
    interval: statistics.Interval = statistics.NO_INTERVAL

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The interval, or None where there is none."""
        return None if np.isnan(self.interval.low) else (self.interval.low, self.interval.high)


@dataclass(frozen=True, slots=True)
class PeopleFacts:
    """How many people a mean is of; best and worst only where they may be shown."""

    n: int
    best: Fraction | None = None
    worst: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a board."""

    slug: str
    name: str
    source_name: str
    kind: str
    is_demo: bool
    is_imported: bool
    repeats: int
    estimate: Estimate
    topics: Mapping[str, Estimate] = field(default_factory=dict)
    people: PeopleFacts | None = None
    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    group: int | None = None
    name_repeats: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether every question has a verdict, so that there is an accuracy."""
        return self.estimate.accuracy is not None


def counts_of(codes: Codes) -> dict[str, int]:
    """Count answers by outcome; every outcome is named, a missing verdict is none of them."""
    counts = np.bincount(codes[codes != MISSING].ravel(), minlength=len(OUTCOMES))
    return {outcome.value: int(count) for outcome, count in zip(OUTCOMES, counts, strict=True)}


def estimate_of(codes: Codes) -> Estimate:
    """Estimate one system's accuracy from its codes of shape (repeats, questions).

    One repeat: Wilson interval. Several: mean over questions of the mean over repeats, bootstrap over questions.
    """
    repeats, n = codes.shape
    usable = (codes != MISSING) & (codes != ERROR)
    estimate = Estimate(n, int(np.count_nonzero(usable.all(axis=0))), counts_of(codes))
    if not is_complete(codes):
        return estimate
    is_right = codes == RIGHT
    n_right = int(np.count_nonzero(is_right))
    interval = (
        statistics.wilson_interval(n_right, n) if repeats == 1 else statistics.bootstrap_interval(is_right.mean(axis=0))
    )
    return replace(estimate, accuracy=Fraction(n_right, n * repeats), interval=interval)


def people_estimate(codes: Codes) -> Estimate:
    """Estimate the mean of people: each person's share of right answers first, then the mean of these over people.

    `codes` has the shape (people, questions); every one of them answered every question.
    """
    people, n = codes.shape
    is_right = codes == RIGHT
    return Estimate(
        n_questions=n,
        n_scored=n,
        outcomes=counts_of(codes),
        accuracy=Fraction(int(np.count_nonzero(is_right)), n * people) if codes.size else None,
        interval=statistics.people_interval(is_right.mean(axis=1)) if codes.size else statistics.NO_INTERVAL,
    )


def complete_people(matrix: Matrix) -> tuple[Codes, bool, int]:
    """Return the codes of those who answered every question, whether any is demo, and how many answered some."""
    people = [(entrant, codes) for entrant, codes in matrix.blocks() if entrant.type == PERSON]
    complete = [(entrant, codes) for entrant, codes in people if is_complete(codes)]
    width = len(matrix.root_ids)
    codes = np.concatenate([codes for _, codes in complete]) if complete else np.empty((0, width), dtype=np.int8)
    return codes, any(entrant.is_demo for entrant, _ in complete), len(people)


def people_row(
    matrix: Matrix, *, rule: PeopleRule, columns: Columns, topics: Sequence[Topic], filtered: bool
) -> Row | None:
    """Return the row of people, or None when too few answered every question of the set.

    Best and worst are left out under any filter and for fewer people than the rule asks for.
    """
    codes, is_demo, _ = complete_people(matrix)
    n = len(codes)
    if n < rule.minimum_for_mean or not columns.size:
        return None
    facts = PeopleFacts(n)
    if n >= rule.minimum_for_extremes and not filtered:
        rights = np.count_nonzero(codes == RIGHT, axis=1)
        width = codes.shape[1]
        facts = PeopleFacts(n, Fraction(int(rights.max()), width), Fraction(int(rights.min()), width))
    return Row(
        slug=PEOPLE_SLUG,
        name=f"Human experts (mean of {n})",
        source_name="",
        kind=HUMAN,
        is_demo=is_demo,
        is_imported=False,
        repeats=1,
        estimate=people_estimate(codes[:, columns]),
        topics={topic.slug: people_estimate(codes[:, topic.columns]) for topic in topics},
        people=facts,
    )


def system_rows(
    matrix: Matrix, *, systems: Mapping[int, SystemFacts], columns: Columns, topics: Sequence[Topic]
) -> list[Row]:
    """Return the rows of the systems named in `systems`; others (hidden ones) are left out."""
    return [
        Row(
            slug=facts.slug,
            name=facts.name,
            source_name=facts.source_name,
            kind=facts.kind,
            is_demo=facts.is_demo,
            is_imported=entrant.is_imported,
            repeats=entrant.repeats,
            estimate=estimate_of(codes[:, columns]),
            topics={topic.slug: estimate_of(codes[:, topic.columns]) for topic in topics},
        )
        for entrant, codes in matrix.blocks()
        if entrant.type != PERSON and (facts := systems.get(entrant.id)) is not None
    ]


def ranked(rows: Iterable[Row]) -> list[Row]:
    """Return rows from best to worst with ranks, rank bounds and groups; incomplete ones last, without."""
    ordered = ranking.in_order(
        list(rows),
        key=lambda row: row.estimate.accuracy,
        tie_break=lambda row: (row.name.casefold(), row.slug),
        descending=True,
    )
    ranks = ranking.shared_ranks([row.estimate.accuracy for row in ordered])
    intervals = [row.estimate.bounds for row in ordered]
    bounds = ranking.rank_bounds(intervals)
    numbers = ranking.groups(intervals)
    names = Counter(row.name for row in ordered)
    return [
        replace(
            row,
            rank=rank,
            rank_low=bound.low if bound else None,
            rank_high=bound.high if bound else None,
            group=number,
            name_repeats=names[row.name] > 1,
        )
        for row, rank, bound, number in zip(ordered, ranks, bounds, numbers, strict=True)
    ]


def outcomes_in_use(rows: Iterable[Row]) -> list[str]:
    """Return the outcomes that occur on a board, in their usual order; right and wrong always."""
    seen = {name for row in rows for name, count in row.estimate.outcomes.items() if count}
    return [o.value for o in OUTCOMES if o.value in seen or o in (Outcome.RIGHT, Outcome.WRONG)]
