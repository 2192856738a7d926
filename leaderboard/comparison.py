"""A few entrants of a board side by side: paired differences, over all questions and by topic. Pure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from leaderboard import statistics
from leaderboard.boards import SMALL_TOPIC, Columns, Estimate, Row, Topic
from leaderboard.matrix import RIGHT, Codes
from leaderboard.statistics import NO_INTERVAL, Floats, Interval

FEWEST, MOST = 2, 5
# On a set that is not open, how often the one behind is right and the other is not is told in steps of so many.
COARSE_STEP = 5
BY_QUESTION = "by question"
BY_INTERVAL = "by interval"


@dataclass(frozen=True, slots=True)
class Difference:
    """The first less the second on `n` questions, in shares of 1; the interval and `p` (Holm) only by question.

    `better` counts the questions on which the first did better, `worse` those on which the second did; both None where
    single verdicts are not public.
    """

    n: int
    first: float
    second: float
    interval: Interval = NO_INTERVAL
    p: float | None = None
    better: int | None = None
    worse: int | None = None

    @property
    def difference(self) -> float:
        """The difference of the two accuracies."""
        return self.first - self.second

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The interval, or None where there is none."""
        return None if math.isnan(self.interval.low) else (self.interval.low, self.interval.high)

    @property
    def is_small(self) -> bool:
        """Whether so few questions are greyed."""
        return self.n < SMALL_TOPIC


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entrants: over all questions, and by topic (slug) where both have a result that is shown."""

    first: str
    second: str
    how: str
    whole: Difference
    topics: Mapping[str, Difference]
    is_apart: bool


@dataclass(frozen=True, slots=True)
class Compared:
    """Who is compared: a row of the board, and its codes where it can be compared question by question."""

    row: Row
    codes: Codes | None


def pairs_of(compared: Sequence[Compared], topics: Sequence[Topic], *, is_open: bool) -> tuple[Pair, ...]:
    """Return every pair of those compared, in the order given, with differences, intervals and p-values.

    Systems are compared on their common questions: exact McNemar, or the sign-flip test where one was asked several
    times, and the paired bootstrap interval. Holm corrects the p-values over all questions for the number of pairs, and
    those by topic for all pairs and topics together. Where the set is not open (`is_open`) the test is of a
    coarse pair (`statistics.coarse_pair`), so that who knows one of two by heart does not learn single verdicts of the
    other; it finds a difference less easily, not more. Others (people, and what was sent in on such a set) are told
    apart by their intervals alone, and have neither interval nor p-value of the difference.
    """
    pairs = [_pair(first, second, topics, is_open=is_open) for first, second in combinations(compared, 2)]
    whole = _corrected([pair.whole for pair in pairs])
    by_topic = _corrected([difference for pair in pairs for difference in pair.topics.values()])
    left = iter(by_topic)
    corrected = []
    for pair, difference in zip(pairs, whole, strict=True):
        parts = {slug: next(left) for slug in pair.topics}
        is_apart = pair.is_apart if difference.p is None else bool(statistics.told_apart(np.array(difference.p)))
        corrected.append(replace(pair, whole=difference, topics=parts, is_apart=is_apart))
    return tuple(corrected)


def _pair(first: Compared, second: Compared, topics: Sequence[Topic], *, is_open: bool) -> Pair:
    is_paired = first.codes is not None and second.codes is not None
    n = first.row.estimate.n_questions
    one, other = first.row, second.row

    def difference(estimates: tuple[Estimate, Estimate], columns: Columns) -> Difference:
        plain = Difference(columns.size, float(estimates[0].accuracy or 0), float(estimates[1].accuracy or 0))
        if first.codes is None or second.codes is None:
            return plain
        means = [(codes[:, columns] == RIGHT).mean(axis=0) for codes in (first.codes, second.codes)]
        return _tested(plain, means[0], means[1], (one.repeats, other.repeats), is_open=is_open)

    shown = [topic for topic in topics if all(row.topics[topic.slug].accuracy is not None for row in (one, other))]
    return Pair(
        first=one.slug,
        second=other.slug,
        how=BY_QUESTION if is_paired else BY_INTERVAL,
        whole=difference((one.estimate, other.estimate), np.arange(n)),
        topics={
            topic.slug: difference((one.topics[topic.slug], other.topics[topic.slug]), topic.columns) for topic in shown
        },
        is_apart=_intervals_apart(one.estimate, other.estimate),
    )


def _tested(plain: Difference, first: Floats, second: Floats, repeats: tuple[int, int], *, is_open: bool) -> Difference:
    common = math.lcm(*repeats)
    if is_open:
        counts = int(np.count_nonzero(first > second)), int(np.count_nonzero(first < second))
        plain = replace(plain, better=counts[0], worse=counts[1])
    else:
        first, second = statistics.coarse_pair(first, second, COARSE_STEP)
    table = statistics.paired_table(np.array([first, second]), np.array([common, common], dtype=np.int64))
    return replace(plain, interval=statistics.paired_bootstrap_interval(first, second), p=float(table[0, 1]))


def _corrected(differences: Sequence[Difference]) -> list[Difference]:
    p_values = np.array([np.nan if each.p is None else each.p for each in differences], dtype=np.float64)
    return [
        replace(each, p=None if each.p is None else float(p))
        for each, p in zip(differences, statistics.holm(p_values), strict=True)
    ]


def _intervals_apart(first: Estimate, second: Estimate) -> bool:
    if first.bounds is None or second.bounds is None:
        return False
    return first.bounds[0] > second.bounds[1] or second.bounds[0] > first.bounds[1]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A question on which not all compared are right as often: its place in the set, and how each one's answers ended.

    `endings` holds an outcome for each of those compared, or, of several repeats, how many of them are right.
    """

    position: int
    question_id: int
    endings: tuple[str, ...]
    are_right: tuple[bool, ...]


def disagreements(codes: Sequence[Codes], question_ids: Sequence[int], outcomes: Sequence[str]) -> list[Disagreement]:
    """Return the questions on which systems differ, in the order of the set."""
    means = np.array([(each == RIGHT).mean(axis=0) for each in codes])
    differ = np.flatnonzero(np.ptp(means, axis=0) > 0)
    return [
        Disagreement(
            position=int(column) + 1,
            question_id=question_ids[int(column)],
            endings=tuple(_ending(each[:, column], outcomes) for each in codes),
            are_right=tuple(bool(mean == 1) for mean in means[:, column]),
        )
        for column in differ
    ]


def _ending(codes: Codes, outcomes: Sequence[str]) -> str:
    if len(codes) == 1:
        return outcomes[int(codes[0])]
    return f"right in {int(np.count_nonzero(codes == RIGHT))} of {len(codes)}"
