"""What answerers say of their own answers, and whether it holds: levels of confidence against verdicts. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from corpus.scoring.confidence_levels import HIGHEST, LOWEST
from corpus.scoring.types import Outcome
from leaderboard import statistics
from leaderboard.disclosure import SMALLEST_GROUP_OF_PEOPLE, Bools, has_enough_people
from leaderboard.matrix import OUTCOMES, Codes
from leaderboard.statistics import NO_INTERVAL, Discrimination, Flags, Integers, Interval

LEVELS = tuple(range(LOWEST, HIGHEST + 1))
# Where no level is stated.
NO_LEVEL = 0
Levels = npt.NDArray[np.int64]
Parts = tuple[tuple[int, ...], ...]
EACH_LEVEL: Parts = tuple((level,) for level in LEVELS)

_DO_NOT_KNOW = OUTCOMES.index(Outcome.DO_NOT_KNOW)


@dataclass(frozen=True, slots=True)
class Cell:
    """A level, or neighbouring levels told together: of how many answers it was said, and how many of them are right.

    `portion` is of all answers with a level. Where it may not be told how many are right there is no `right`.
    """

    levels: tuple[int, ...]
    n: int
    portion: float
    right: int | None = None
    interval: Interval = NO_INTERVAL

    @property
    def name(self) -> str:
        """The levels in words."""
        return str(self.levels[0]) if len(self.levels) == 1 else f"{self.levels[0]} to {self.levels[-1]}"

    @property
    def middle(self) -> float:
        """The level, or the middle of several."""
        return (self.levels[0] + self.levels[-1]) / 2

    @property
    def share(self) -> float | None:
        """The share of right answers, None where none is told or nobody stated the level."""
        return None if self.right is None or not self.n else self.right / self.n

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The interval of the share, None where there is none."""
        return None if np.isnan(self.interval.low) else (self.interval.low, self.interval.high)

    @property
    def probability(self) -> float:
        """The probability the level stands for (`statistics.level_probability`)."""
        return float(statistics.level_probability(self.middle, HIGHEST))


@dataclass(frozen=True, slots=True)
class Calibration:
    """The cells of one answerer, or of people together; `n` answers have a level.

    `mean_level` only where every level is told by itself; `error` (expected calibration error) and `area` only where
    it is told how many are right.
    """

    cells: tuple[Cell, ...]
    n: int
    mean_level: float | None = None
    error: float | None = None
    area: Discrimination | None = None

    @property
    def right(self) -> int | None:
        """How many of the answers with a level are right, None where that is not told."""
        counts = [cell.right for cell in self.cells]
        return None if None in counts else sum(count for count in counts if count is not None)

    @property
    def share(self) -> float | None:
        """The share of right ones among the answers with a level, None where that is not told."""
        return None if self.right is None or not self.n else self.right / self.n

    @property
    def area_value(self) -> float | None:
        """The area under the curve, None where there is none."""
        return None if self.area is None or np.isnan(self.area.auroc) else self.area.auroc

    @property
    def area_bounds(self) -> tuple[float, float] | None:
        """The interval of the area, None where there is none."""
        if self.area is None or np.isnan(self.area.interval.low):
            return None
        return self.area.interval.low, self.area.interval.high


def calibration_of(
    levels: Levels,
    right: Flags,
    *,
    cluster_of: Integers | None = None,
    parts: Parts = EACH_LEVEL,
    tells_right: bool = True,
) -> Calibration:
    """Return how often each level was stated, and how often the answer was right then.

    `levels` and `right` have one value per answer; answers without a level are left out, and every outcome but right
    counts against. Levels of one of `parts` are told together, all figures then being of the parts. Intervals take
    answers of one cluster (`cluster_of`) as hanging together: of a person, or of a question asked several times.
    Expected calibration error and area under the curve follow from the parts. Without `tells_right` only how often each
    level was stated is returned.
    """
    is_stated = levels != NO_LEVEL
    stated, is_right = levels[is_stated], right[is_stated]
    clusters = None if cluster_of is None else cluster_of[is_stated]
    part_of = np.zeros(max(LEVELS) + 1, dtype=np.int64)
    for number, part in enumerate(parts):
        part_of[list(part)] = number
    found = statistics.reliability(part_of[stated], is_right, range(len(parts)), cluster_of=clusters)
    mean_level = float(stated.mean()) if stated.size and all(len(part) == 1 for part in parts) else None
    if not tells_right:
        cells = tuple(Cell(part, each.n, each.portion) for part, each in zip(parts, found, strict=True))
        return Calibration(cells, int(stated.size), mean_level)
    cells = tuple(
        Cell(part, each.n, each.portion, each.right, each.interval) for part, each in zip(parts, found, strict=True)
    )
    claimed = np.array([cell.probability for cell in cells])[part_of[stated]]
    return Calibration(
        cells,
        int(stated.size),
        mean_level,
        statistics.expected_calibration_error(claimed, is_right, part_of[stated]) if stated.size else None,
        statistics.discrimination(claimed, is_right, cluster_of=clusters),
    )


def parts_of_people(levels: Levels, codes: Codes, *, minimum: int) -> Parts | None:
    """Return which neighbouring levels are told together of people, so that every figure is about enough of them.

    Both have the shape (people, questions). A part holds answers to five questions or more, no person having given
    more than one in `minimum` of them (`disclosure.has_enough_people`); until it does, it is put together with the
    smaller of its neighbours. The answers without a level follow by subtraction, but for those that nobody claimed to
    know, and are asked the same. None where no parts are large enough.
    """
    rest = (levels == NO_LEVEL) & (codes != _DO_NOT_KNOW)
    if rest.any() and not _is_enough(rest, minimum):
        return None
    parts = [[level] for level in LEVELS]
    while True:
        masks = [np.isin(levels, part) for part in parts]
        sizes = [int(mask.sum()) for mask in masks]
        too_small = [place for place, mask in enumerate(masks) if sizes[place] and not _is_enough(mask, minimum)]
        if not too_small:
            return tuple(tuple(part) for part in parts) if sum(sizes) else None
        if len(parts) == 1:
            return None
        place = min(too_small, key=lambda each: sizes[each])
        other = _neighbour(place, sizes)
        first, second = sorted((place, other))
        parts[first : second + 1] = [parts[first] + parts[second]]


def _neighbour(place: int, sizes: Sequence[int]) -> int:
    """Return the smaller neighbour, an empty one only where there is no other."""
    around = [each for each in (place - 1, place + 1) if 0 <= each < len(sizes)]
    return min(around, key=lambda each: (not sizes[each], sizes[each]))


def _is_enough(mask: Bools, minimum: int) -> bool:
    n_questions = int(np.count_nonzero(mask.any(axis=0)))
    return n_questions >= SMALLEST_GROUP_OF_PEOPLE and has_enough_people(mask, minimum=minimum)
