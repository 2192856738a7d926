"""From a matrix to the rows of a board: estimates and ranks. Pure. People are in `leaderboard.people`."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from corpus.scoring.types import Outcome
from leaderboard import ranking, statistics
from leaderboard.matrix import ERROR, MISSING, OUTCOMES, PERSON, RIGHT, Codes, Matrix, is_complete

HUMAN = "human"
# Below these many questions a topic's results are greyed and never ranked: one question moves them by ten points.
SMALL_TOPIC = 10
# So many letters of a system's name are on an axis.
NAME_LENGTH = 32
DEMO_TAG = " (demo)"
Columns = npt.NDArray[np.intp]

INCOMPLETE = "incomplete"
FEW_QUESTIONS = "few_questions"
OTHER_GROUPING = "other_grouping"


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
    """From how many people of a study on their mean is public, and from how many people their best and worst."""

    minimum_for_mean: int
    minimum_for_extremes: int


@dataclass(frozen=True, slots=True)
class Topic:
    """A group of questions: the columns of the matrix that belong to it.

    No two of a grouping have one `name`; `label` is what the bank calls it, which others may be called as well.
    """

    slug: str
    name: str
    columns: Columns
    label: str = ""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Accuracy on `n_questions` questions with its interval; no accuracy where an answer is missing.

    `n_scored` counts questions with a verdict in every repeat; None for a part of a set that is not complete, whose
    growth would tell what each new verdict is of. `outcomes` counts answers, so with repeats or people
    they add up to more than `n_questions`. `withheld` says why there is no accuracy: `INCOMPLETE` (of the whole set),
    `FEW_QUESTIONS`, where the public would learn the result of a single question, or `OTHER_GROUPING`, where people who
    answered different questions are shown in one grouping only; then there are no outcomes. `spread` is that of a
    system's single repeats, where there are several.
    """

    n_questions: int
    n_scored: int | None
    outcomes: Mapping[str, int]
    accuracy: Fraction | None = None
    interval: statistics.Interval = statistics.NO_INTERVAL
    withheld: str = ""
    spread: statistics.RepeatSpread | None = None

    @property
    def reason(self) -> str:
        """Why there is no accuracy, in words; nothing where there is one."""
        if self.withheld == OTHER_GROUPING:
            return "people asked a part are shown by topic only"
        if self.withheld != FEW_QUESTIONS:
            return self.withheld
        count = (
            "one question" if self.n_questions == 1 else "too few questions, here or in what other results would leave"
        )
        return f"{count}: not shown"

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The interval, or None where there is none."""
        return None if np.isnan(self.interval.low) else (self.interval.low, self.interval.high)


@dataclass(frozen=True, slots=True)
class PeopleFacts:
    """How many people a mean is of, and who they are in a sentence; best and worst only where they may be shown.

    `answers_per_question` is the median of how many of them answered each question, where they answered different ones.
    """

    n: int
    best: Fraction | None = None
    worst: Fraction | None = None
    inclusion: str = ""
    answers_per_question: float | None = None


class Macro(NamedTuple):
    """A mean in which each topic counts the same; no interval (None) of people."""

    mean: float
    low: float | None
    high: float | None
    n_topics: int
    smallest: int


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a board.

    `rank_low` and `rank_high` are the ranks the questions allow, `letters` the groups of those it cannot be told apart
    from, `group` the block of the board between two heavier lines (`leaderboard.standing`). `n_by_fallback` answers to
    the questions shown could only be read by a fallback reader. `name_repeats` where another row's name cannot be told
    from it in a chart.
    """

    slug: str
    name: str
    source_name: str
    kind: str
    is_demo: bool
    is_imported: bool
    is_submitted: bool
    repeats: int
    estimate: Estimate
    topics: Mapping[str, Estimate] = field(default_factory=dict)
    people: PeopleFacts | None = None
    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    group: int | None = None
    letters: tuple[str, ...] = ()
    run_id: str = ""
    macro: Macro | None = None
    name_repeats: bool = False
    is_complete: bool = True
    n_by_fallback: int = 0

    @property
    def has_accuracy(self) -> bool:
        """Whether there is an accuracy on the questions shown: a complete result, and not too few questions."""
        return self.estimate.accuracy is not None


def counts_of(codes: Codes) -> dict[str, int]:
    """Count answers by outcome; every outcome is named, a missing verdict is none of them."""
    counts = np.bincount(codes[codes != MISSING].ravel(), minlength=len(OUTCOMES))
    return {outcome.value: int(count) for outcome, count in zip(OUTCOMES, counts, strict=True)}


def estimate_of(codes: Codes) -> Estimate:
    """Estimate one system's accuracy from its codes of shape (repeats, questions); none where any is missing.

    One repeat: Wilson interval. Several: mean over questions of the mean over repeats, its interval over questions (the
    repeats of one are never taken for several), and how far the repeats lie apart.
    """
    repeats, n = codes.shape
    usable = (codes != MISSING) & (codes != ERROR)
    estimate = Estimate(n, int(np.count_nonzero(usable.all(axis=0))), counts_of(codes))
    if not is_complete(codes):
        return replace(estimate, withheld=INCOMPLETE)
    is_right = codes == RIGHT
    n_right = int(np.count_nonzero(is_right))
    if repeats == 1:
        return replace(estimate, accuracy=Fraction(n_right, n), interval=statistics.wilson_interval(n_right, n))
    return replace(
        estimate,
        accuracy=Fraction(n_right, n * repeats),
        interval=statistics.repeated_interval(is_right),
        spread=statistics.repeat_spread(is_right),
    )


def withheld_estimate(codes: Codes, reason: str) -> Estimate:
    """Return how many questions there are and how many have a verdict, and nothing about the verdicts."""
    usable = (codes != MISSING) & (codes != ERROR)
    return Estimate(codes.shape[1], int(np.count_nonzero(usable.all(axis=0))), {}, withheld=reason)


def system_rows(
    matrix: Matrix,
    *,
    systems: Mapping[int, SystemFacts],
    columns: Columns,
    topics: Sequence[Topic],
    is_shown: bool = True,
    hidden: Collection[str] = (),
    is_closed: bool = False,
) -> list[Row]:
    """Return the rows of the systems named in `systems`; others (hidden ones) are left out.

    Whether a result is complete is said of the whole set, whatever `columns` are shown of it. Without `is_shown` there
    is no accuracy, and none on the topics `hidden` (slugs). Where the set `is_closed` an incomplete result has no
    outcomes: read after each answer of a running run, they would tell its verdict.
    """
    shown = [codes for entrant, codes in matrix.blocks() if entrant.type != PERSON and entrant.id in systems]
    _work_out_together(shown, [columns, *(topic.columns for topic in topics)])
    return [
        Row(
            slug=facts.slug,
            name=facts.name,
            source_name=facts.source_name,
            kind=facts.kind,
            is_demo=facts.is_demo,
            is_imported=entrant.is_imported,
            is_submitted=entrant.is_submitted,
            repeats=entrant.repeats,
            run_id=entrant.run_id,
            estimate=_system_estimate(codes, columns, is_shown=is_shown, is_closed=is_closed),
            topics={
                topic.slug: _system_estimate(
                    codes, topic.columns, is_shown=topic.slug not in hidden, is_closed=is_closed
                )
                for topic in topics
            },
            is_complete=is_complete(codes),
        )
        for entrant, codes in matrix.blocks()
        if entrant.type != PERSON and (facts := systems.get(entrant.id)) is not None
    ]


def _work_out_together(blocks: Sequence[Codes], parts: Sequence[Columns]) -> None:
    """Have the intervals of results with repeats worked out at once, so that they are known when each is asked for."""
    repeated = [codes for codes in blocks if len(codes) > 1 and is_complete(codes)]
    for columns in parts if repeated else ():
        statistics.repeated_intervals([codes[:, columns] == RIGHT for codes in repeated])


def _system_estimate(codes: Codes, columns: Columns, *, is_shown: bool, is_closed: bool) -> Estimate:
    part = codes[:, columns]
    if not is_complete(codes):
        is_part = len(columns) < codes.shape[1]
        if is_part and is_closed:
            return Estimate(len(columns), None, {}, withheld=INCOMPLETE)
        if is_part or is_closed:
            return withheld_estimate(part, INCOMPLETE)
    return estimate_of(part) if is_shown else withheld_estimate(part, FEW_QUESTIONS)


def short_name(name: str) -> str:
    """Return a name as charts have room for it."""
    return name if len(name) <= NAME_LENGTH else f"{name[: NAME_LENGTH - 1]}…"


def tagged(row: Row, name: str = "") -> str:
    """Return a row's name, or what stands in its place, with a tag behind it where the row is made up."""
    return f"{name or row.name}{DEMO_TAG if row.is_demo else ''}"


def _told_as(row: Row) -> set[str]:
    """Return what a row is called where there is no room for more: without the tag of demo data and with it."""
    short = short_name(row.name)
    return {short, tagged(row, short)}


def ranked(rows: Iterable[Row], *, is_small: bool = False) -> list[Row]:
    """Return rows from best to worst with ranks; incomplete ones last, without. Nobody has one where too few questions
    are shown (`is_small`).
    """
    ordered = ranking.in_order(
        list(rows),
        key=lambda row: row.estimate.accuracy,
        tie_break=lambda row: (row.name.casefold(), row.slug),
        descending=True,
    )
    ranks = ranking.shared_ranks([None if is_small else row.estimate.accuracy for row in ordered])
    names = Counter(name for row in ordered for name in _told_as(row))
    return [
        replace(row, rank=rank, name_repeats=any(names[name] > 1 for name in _told_as(row)))
        for row, rank in zip(ordered, ranks, strict=True)
    ]


def outcomes_in_use(rows: Iterable[Row]) -> list[str]:
    """Return the outcomes that occur on a board, in their usual order; right and wrong always."""
    seen = {name for row in rows for name, count in row.estimate.outcomes.items() if count}
    return [o.value for o in OUTCOMES if o.value in seen or o in (Outcome.RIGHT, Outcome.WRONG)]
