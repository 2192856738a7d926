"""What entrants of a board say of their own answers: who is shown with what, worked out once for each state."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from django.core.cache import cache

from corpus.models import QuestionSet
from leaderboard.boards import HUMAN, Row, Topic
from leaderboard.calibration import Calibration
from leaderboard.queries import BadQueryError, Board, load_board, whole_query
from leaderboard.selectors.boards import people_rule
from leaderboard.selectors.shown import smallest_group
from leaderboard.stated import Against, Found, stated_on

_KEEP_SECONDS = 86_400
MOST_DRAWN = 5
# Raised when what is worked out changes, so that nothing kept by older code is shown.
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Stated:
    """A row of the board and what it says of its answers; `n_answers` counts all of them, with a level or without.

    `is_told` says whether it may be told how many are right at each level.
    """

    row: Row
    calibration: Calibration
    n_answers: int
    is_told: bool = True


@dataclass(frozen=True, slots=True)
class Confidence:
    """The entrants of a board who say how sure they are, in the order of the board; those `drawn` are in the chart.

    `without` is the topic whose questions are left out. `elsewhere` is the slug of the set on whose page people are.
    """

    board: Board
    entrants: tuple[Stated, ...]
    drawn: tuple[Stated, ...]
    against: tuple[tuple[Row, Against], ...]
    being_asked: tuple[Row, ...]
    elsewhere: str
    without: Topic | None

    @property
    def is_open(self) -> bool:
        """Whether verdicts on single questions of the set are public."""
        return smallest_group(self.board.question_set) == 1

    @property
    def is_told_of_all(self) -> bool:
        """Whether it is told of everybody how many are right."""
        return all(entrant.is_told for entrant in self.entrants)

    @property
    def n_questions(self) -> int:
        """How many questions are looked at."""
        return self.board.n_questions - (self.without.columns.size if self.without else 0)


def confidence_of(
    *,
    question_set: QuestionSet,
    rule: str = "",
    without: str = "",
    slugs: Sequence[str] = (),
    fallback: str = "",
) -> Confidence:
    """Return how sure the entrants of a set say they are, and whether that holds.

    `slugs` are those to be drawn, without any the first five. Raise `BadQueryError` for a rule, topic or entrant that
    is not there, for too many entrants, and for leaving out a topic where single verdicts are not public.
    """
    query = whole_query(question_set=question_set, rule=rule, fallback=fallback)
    board = load_board(question_set=question_set, query=query)
    topic = _left_out(board, without)
    found, rows = _found(board, topic), {row.slug: row for row in board.rows}
    entrants = tuple(Stated(row, *found.calibrations[row.slug]) for row in board.rows if row.slug in found.calibrations)
    return Confidence(
        board=board,
        entrants=entrants,
        drawn=_drawn(entrants, slugs),
        against=tuple((rows[each.slug], each) for each in found.against),
        being_asked=tuple(row for row in board.rows if row.slug in found.being_asked),
        elsewhere=found.people_are_elsewhere,
        without=topic,
    )


def _left_out(board: Board, slug: str) -> Topic | None:
    if not slug:
        return None
    if smallest_group(board.question_set) > 1:
        raise BadQueryError(
            "Verdicts on single questions of this set are not public, so no topic can be left out here: "
            "with the rest, smaller results could be worked out."
        )
    for topic in board.topics:
        if topic.slug == slug:
            return topic
    known = ", ".join(topic.slug for topic in board.topics) or "none"
    raise BadQueryError(f"There is no topic “{slug}” in this set. There are: {known}.")


def _drawn(entrants: Sequence[Stated], slugs: Sequence[str]) -> tuple[Stated, ...]:
    wanted = list(dict.fromkeys(slug for slug in slugs if slug))
    known = {entrant.row.slug: entrant for entrant in entrants}
    if unknown := [slug for slug in wanted if slug not in known]:
        raise BadQueryError(f"Nobody called “{unknown[0]}” says how sure they are on this set.")
    if len(wanted) > MOST_DRAWN:
        raise BadQueryError(f"{len(wanted)} are chosen. Choose {MOST_DRAWN} at most, so that the chart can be read.")
    if wanted:
        return tuple(known[slug] for slug in wanted)
    people = [entrant for entrant in entrants if entrant.row.kind == HUMAN]
    return (*[each for each in entrants if each not in people][: MOST_DRAWN - len(people)], *people)


def _found(board: Board, left_out: Topic | None) -> Found:
    question_set = board.question_set
    made_from = (
        _FORMAT,
        question_set.pk,
        question_set.current_revision_id,
        question_set.policy,
        question_set.benchmark.results_version,
        board.query.rule,
        board.query.fallback,
        left_out.columns.tobytes() if left_out else b"",
        people_rule(),
        [(row.slug, row.run_id, row.estimate.accuracy, row.repeats) for row in board.rows],
    )
    key = f"confidence:{hashlib.sha256(repr(made_from).encode()).hexdigest()}"
    found: Found | None = cache.get(key)
    if found is None:
        found = stated_on(board, left_out)
        cache.set(key, found, _KEEP_SECONDS)
    return found
