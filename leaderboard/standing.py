"""Where each entrant of a board stands: the ranks its questions allow, and whom it cannot be told apart from. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from leaderboard import ranking, statistics
from leaderboard.boards import Macro, Topic
from leaderboard.statistics import Flags, Floats

# Letters one after the other are written as a range from this many on.
_SHORTEST_RANGE = 3


@dataclass(frozen=True, slots=True)
class Contender:
    """Who has an accuracy on a board, with its interval; `means` by question where pairs can be compared by question.

    People have none: they are a sample, and others than those who would be asked next time. Nor has a result that was
    sent in on a set that is not open: whoever sent it knows its verdicts, and could work out those of others.
    """

    slug: str
    interval: tuple[float, float] | None
    means: Floats | None = None
    repeats: int = 1


class Standing(NamedTuple):
    """The best and the worst rank possible, the block of the board, and the letters of the groups one belongs to."""

    rank_low: int
    rank_high: int
    block: int
    letters: tuple[str, ...]


def standings(contenders: Sequence[Contender]) -> dict[str, Standing]:
    """Return the standing of each contender by slug; they are given in the order of their accuracy, best first.

    Pairs of systems are told apart by the exact McNemar test on their common questions (the sign-flip test where
    one was asked several times), all pairs shown together corrected by Holm. Two contenders share a letter exactly
    where they are not told apart, so one may have several. The ranks are those of the bootstrap over questions. People,
    and results sent in on a set that is not open, are compared by intervals alone: told apart from another where the
    two 95% intervals do not touch. A heavier line is drawn above whoever is told apart from the first one of its block.
    """
    apart, low, high = _by_interval(contenders)
    paired = [index for index, contender in enumerate(contenders) if contender.means is not None]
    if paired:
        means = np.array([contenders[index].means for index in paired], dtype=np.float64)
        repeats = np.array([contenders[index].repeats for index in paired], dtype=np.int64)
        adjusted = statistics.holm_table(statistics.paired_table(means, repeats))
        apart[np.ix_(paired, paired)] = statistics.told_apart(adjusted)
        others = np.setdiff1d(np.arange(len(contenders)), paired)
        bounds = statistics.rank_intervals(means)
        low[paired] = bounds[:, 0] + _above(contenders, paired, others)
        high[paired] = bounds[:, 1] + others.size - _below(contenders, paired, others)
    groups = statistics.indistinct_groups(apart)
    letters = statistics.group_letters(groups, len(contenders))
    blocks = _blocks(apart)
    return {
        contender.slug: Standing(int(low[index]), int(high[index]), blocks[index], tuple(letters[index].split()))
        for index, contender in enumerate(contenders)
    }


def macro_of_system(question_means: Floats, topics: Sequence[Topic], repeats: int) -> Macro:
    """Return a system's macro average over topics (`statistics.macro_average`); a question may be in several."""
    values = np.concatenate([question_means[topic.columns] for topic in topics])
    topic_of = np.repeat(np.arange(len(topics)), [topic.columns.size for topic in topics])
    found = statistics.macro_average(values, topic_of, repeats)
    return Macro(found.mean, found.interval.low, found.interval.high, found.n_topics, found.smallest)


def letter_text(letters: Sequence[str]) -> str:
    """Write letters of groups shortly: `a, c–g`; letters in a row become a range."""
    runs: list[list[str]] = []
    for letter in letters:
        if runs and _number(letter) == _number(runs[-1][-1]) + 1:
            runs[-1].append(letter)
        else:
            runs.append([letter])
    parts = [f"{run[0]}–{run[-1]}" if len(run) >= _SHORTEST_RANGE else ", ".join(run) for run in runs]
    return ", ".join(parts)


def _number(letter: str) -> int:
    number = 0
    for character in letter:
        number = number * 26 + ord(character) - ord("a") + 1
    return number


def _ends(contenders: Sequence[Contender]) -> tuple[Floats, Floats]:
    """Return the ends of the intervals; who has none reaches everybody."""
    ends = [contender.interval or (-np.inf, np.inf) for contender in contenders]
    return np.array([low for low, _ in ends], dtype=np.float64), np.array([high for _, high in ends], dtype=np.float64)


def _by_interval(contenders: Sequence[Contender]) -> tuple[Flags, Floats, Floats]:
    """Return who is told apart, and the ranks possible, where nothing but the intervals is known."""
    low, high = _ends(contenders)
    is_above = low[np.newaxis, :] > high[:, np.newaxis]
    bounds = ranking.rank_bounds(list(zip(low.tolist(), high.tolist(), strict=True)))
    lowest = np.array([bound.low if bound else 0 for bound in bounds], dtype=np.float64)
    highest = np.array([bound.high if bound else 0 for bound in bounds], dtype=np.float64)
    return is_above | is_above.T, lowest, highest


def _above(contenders: Sequence[Contender], these: Sequence[int], others: statistics.Integers) -> statistics.Integers:
    """Count, for each of these, the others whose whole interval lies above its own."""
    low, high = _ends(contenders)
    return np.asarray((low[others][np.newaxis, :] > high[list(these)][:, np.newaxis]).sum(axis=1), dtype=np.int64)


def _below(contenders: Sequence[Contender], these: Sequence[int], others: statistics.Integers) -> statistics.Integers:
    """Count, for each of these, the others whose whole interval lies below its own."""
    low, high = _ends(contenders)
    return np.asarray((high[others][np.newaxis, :] < low[list(these)][:, np.newaxis]).sum(axis=1), dtype=np.int64)


def _blocks(apart: Flags) -> list[int]:
    """Number the blocks of neighbours: the one told apart from the first of a block opens the next."""
    blocks: list[int] = []
    first = 0
    for index in range(len(apart)):
        if blocks and apart[first, index]:
            blocks.append(blocks[-1] + 1)
            first = index
        else:
            blocks.append(blocks[-1] if blocks else 1)
    return blocks
