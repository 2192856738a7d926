"""What passes between those who know the answers (runs, studies) and the one service that judges them again."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from corpus.models import AbstractAnswer, AbstractRescoring
from corpus.scoring.types import Reading
from corpus.selectors.later_keys import KeyInForce


class RescoringError(ValueError):
    """Answers cannot be rescored in this way; the message says what to do."""


class RescoringStateError(RescoringError):
    """The rescoring is not in a state in which this can be done."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of one kind of answer, a model's or a person's: concrete children of the abstract ones of `corpus`.

    Typed loosely, because the foreign keys that tie them together exist only in the children.
    """

    answer: type[Any]
    reading: type[Any]
    score: type[Any]
    rescoring: type[Any]
    row: type[Any]


@dataclass(frozen=True, slots=True)
class Reread:
    """An answer with what the reader reads in it now, and the key in force.

    `reading` is None where the reader only has stored readings (a published report's parse). `fallback` names the
    reader whose stored reading counts where this one is unparsed; "" where there is none.
    """

    answer: AbstractAnswer
    reading: Reading | None
    key: KeyInForce
    fallback: str = ""


@dataclass(slots=True)
class Counts:
    """What came of looking at answers again.

    `n_verdicts` and `n_readings` count answers whose verdict changes, and those that are only read differently.
    `n_decisions`: a person's correction stands against a new reading. `n_skipped`: there is nothing by this reader.
    `n_not_judged`: the rule does not cover the kind of question. `n_drifted`: the reader reads something else now than
    it once did under the same name and version; what is stored counts. `n_keys_unmatched`: a corrected key exists that
    could not be brought together with the options asked. `old` and `new` count the outcomes of all answers judged.
    """

    n_answers: int = 0
    n_verdicts: int = 0
    n_readings: int = 0
    n_decisions: int = 0
    n_skipped: int = 0
    n_not_judged: int = 0
    n_drifted: int = 0
    n_keys_unmatched: int = 0
    n_rows: int = 0
    old: dict[str, int] = field(default_factory=dict)
    new: dict[str, int] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as JSON values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Proposed:
    """A rescoring that waits for a decision; `rescoring` is None when there is nothing to decide or to add.

    `is_new` is False when the same proposal was waiting already.
    """

    rescoring: AbstractRescoring | None
    counts: Counts
    is_new: bool


@dataclass(frozen=True, slots=True)
class Accepted:
    """What accepting did. `is_new` is False, and nothing was done, when it had been accepted before."""

    rescoring: AbstractRescoring
    is_new: bool
    n_scores: int = 0
    n_current: int = 0
    n_stale: int = 0
    n_kept: int = 0
    n_replaced: int = 0

    def as_detail(self) -> Mapping[str, int]:
        """Return the figures for the record of actions."""
        return {
            "scores": self.n_scores,
            "current": self.n_current,
            "stale": self.n_stale,
            "corrections_kept": self.n_kept,
            "corrections_replaced": self.n_replaced,
        }
