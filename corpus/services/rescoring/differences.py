"""Where two rules part over stored answers, as a report: of systems and of people."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from corpus.scoring.differences import Difference
from corpus.scoring.types import Asked, Outcome, Reading

RIGHT = Outcome.RIGHT.value


class DifferenceLine(NamedTuple):
    """One answer on which the rules part. `cause` is "" where no predicate explains it; no word of the reply.

    For an answer of a person `system` is their pseudonym, `run` the study's slug and `item` the answer's id.
    """

    system: str
    run: str
    key: str
    item: int
    cause: str
    published_outcome: str
    outcome: str
    published_read: str
    read: str


@dataclass(frozen=True, slots=True)
class Compared:
    """How many answers of a system both rules have judged, and how many are right under each."""

    n: int
    n_right_published: int
    n_right: int


@dataclass(frozen=True, slots=True)
class DifferenceReport:
    """Every difference between the published rule and another, with the totals of each system or person by name."""

    rule: str
    reader: str
    against: str
    systems: dict[str, Compared]
    lines: tuple[DifferenceLine, ...]

    @property
    def unexplained(self) -> tuple[DifferenceLine, ...]:
        """The differences no predicate explains."""
        return tuple(line for line in self.lines if not line.cause)

    def totals(self) -> dict[str, dict[str, int]]:
        """Return how many differences each cause has in each system that has any, causes and systems by name."""
        counted = Counter((line.cause, line.system) for line in self.lines)
        totals: dict[str, dict[str, int]] = {}
        for cause, system in sorted(counted):
            totals.setdefault(cause, {})[system] = counted[cause, system]
        return totals

    def shifts(self) -> dict[str, tuple[int, int]]:
        """Return, by cause, how many answers became right and how many stopped being right."""
        gained = Counter(line.cause for line in self.lines if line.outcome == RIGHT)
        lost = Counter(line.cause for line in self.lines if line.published_outcome == RIGHT)
        return {cause: (gained[cause], lost[cause]) for cause in self.totals()}


def counted(known: Compared, pairs: Sequence[Difference]) -> Compared:
    """Return the counts with these answers added."""
    return Compared(
        known.n + len(pairs),
        known.n_right_published + sum(pair.published_verdict.outcome is Outcome.RIGHT for pair in pairs),
        known.n_right + sum(pair.standard_verdict.outcome is Outcome.RIGHT for pair in pairs),
    )


def is_different(pair: Difference) -> bool:
    """Tell whether an answer ends otherwise under the two rules."""
    return pair.published_verdict.outcome is not pair.standard_verdict.outcome


def in_short(reading: Reading, asked: Asked) -> str:
    """Return what was read in letters or as a number; the status where nothing was."""
    letters = "".join(option.letter for option in asked.shown if option.key in reading.option_keys)
    number = "" if reading.number is None else f"{reading.number} {reading.unit}".strip()
    return letters or number or reading.status.value
