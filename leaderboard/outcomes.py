"""How the answers of a board ended: by entrant, and by entrant and topic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from corpus.scoring.types import Outcome
from leaderboard.boards import SMALL_TOPIC, Estimate, Row, outcomes_in_use
from leaderboard.matrix import OUTCOMES
from leaderboard.queries import BadQueryError, Board

# What an answer is without saying anything that could be right or wrong.
NO_ANSWER = (
    Outcome.UNPARSED,
    Outcome.REFUSED,
    Outcome.EMPTY,
    Outcome.TRUNCATED,
    Outcome.GAVE_UP,
    Outcome.DO_NOT_KNOW,
)
NO_ANSWER_SLUG = "no_answer"
MISSING = "missing"
CHOICES: Mapping[str, tuple[str, ...]] = {
    NO_ANSWER_SLUG: tuple(outcome.value for outcome in NO_ANSWER),
    **{outcome.value: (outcome.value,) for outcome in OUTCOMES},
}


@dataclass(frozen=True, slots=True)
class Share:
    """So many of `n` answers that are due, to `n_questions` questions."""

    count: int
    n: int
    n_questions: int

    @property
    def share(self) -> float:
        """The share of 1."""
        return self.count / self.n

    @property
    def is_small(self) -> bool:
        """Whether so few questions are greyed."""
        return self.n_questions < SMALL_TOPIC


@dataclass(frozen=True, slots=True)
class EntrantOutcomes:
    """An entrant's answers by outcome, and those of the kind looked at by topic (slug).

    Outcomes and topics of which the board shows none are left out. `n` answers are due; those `MISSING` are to come.
    """

    row: Row
    n: int
    shares: Mapping[str, Share]
    chosen: Share | None
    topics: Mapping[str, Share]

    @property
    def n_given(self) -> int | None:
        """How many of the answers are there; None where that is not told."""
        return self.n - self.shares[MISSING].count if self.shares else None


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How the answers of a board ended. `outcomes` are those that occur; `chosen` is what is looked at by topic."""

    board: Board
    outcomes: tuple[str, ...]
    chosen: str
    entrants: tuple[EntrantOutcomes, ...]


def parse_outcome(text: str) -> str:
    """Return what is looked at by topic, `NO_ANSWER_SLUG` for nothing. Raise `BadQueryError` for an unknown one."""
    if text and text not in CHOICES:
        raise BadQueryError(f"There is no outcome “{text}”. There are: {', '.join(CHOICES)}.")
    return text or NO_ANSWER_SLUG


def outcomes_of(board: Board, *, chosen: str) -> Outcomes:
    """Return counts and shares of the answers by outcome, and of those of the `chosen` kind by topic.

    The counts are the board's own, for the same entrants and topics, and are left out where the board leaves out a
    result. A share is of all answers an entrant gives: one to each question, in every repeat, of every person who
    counts; answers still to come are counted apart.
    """
    entrants = tuple(_entrant(row, CHOICES[chosen]) for row in board.rows)
    outcomes = outcomes_in_use(board.rows)
    if any(entrant.shares and entrant.shares[MISSING].count for entrant in entrants):
        outcomes = [*outcomes, MISSING]
    return Outcomes(board, tuple(outcomes), chosen, entrants)


def _entrant(row: Row, chosen: Sequence[str]) -> EntrantOutcomes:
    topics = {slug: _share(row, estimate, chosen) for slug, estimate in row.topics.items()}
    return EntrantOutcomes(
        row=row,
        n=n_due(row, row.estimate),
        shares=_shares(row),
        chosen=_share(row, row.estimate, chosen),
        topics={slug: share for slug, share in topics.items() if share is not None},
    )


def _shares(row: Row) -> dict[str, Share]:
    counts = row.estimate.outcomes
    if not counts:
        return {}
    n = n_due(row, row.estimate)
    every = {**counts, MISSING: n - sum(counts.values())}
    return {outcome: Share(count, n, row.estimate.n_questions) for outcome, count in every.items()}


def _share(row: Row, estimate: Estimate, chosen: Sequence[str]) -> Share | None:
    if not estimate.outcomes:
        return None
    count = sum(estimate.outcomes[outcome] for outcome in chosen)
    return Share(count, n_due(row, estimate), estimate.n_questions)


def n_due(row: Row, estimate: Estimate) -> int:
    """Return how many answers there are once all are in; people who are counted have given all of theirs."""
    return estimate.n_questions * row.repeats if row.people is None else sum(estimate.outcomes.values())
