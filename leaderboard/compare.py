"""What a reader asks of a comparison, read from the address, and what answers it."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.core.cache import cache

from corpus.models import Question, QuestionSet
from leaderboard.boards import HUMAN, Row, Topic
from leaderboard.comparison import FEWEST, MOST, Compared, Disagreement, Pair, disagreements, pairs_of
from leaderboard.matrix import OUTCOMES, PERSON, Codes
from leaderboard.queries import BadQueryError, Board, load_board, whole_query
from leaderboard.selectors.shown import smallest_group
from leaderboard.services.statistics import compared_by_question

_KEEP_SECONDS = 86_400


class TooFewError(BadQueryError):
    """Fewer entrants than a comparison takes are named: a start, and not a mistake."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The entrants chosen, in the order of the address, and every pair of them, the one ahead first."""

    board: Board
    rows: tuple[Row, ...]
    pairs: tuple[Pair, ...]

    @property
    def named(self) -> dict[str, Row]:
        """The rows chosen by slug."""
        return {row.slug: row for row in self.rows}

    @property
    def topics(self) -> list[Topic]:
        """The topics on which any pair has a difference."""
        return [topic for topic in self.board.topics if any(topic.slug in pair.topics for pair in self.pairs)]

    @property
    def is_open(self) -> bool:
        """Whether verdicts on single questions of the set are public."""
        return smallest_group(self.board.question_set) == 1

    @property
    def systems(self) -> list[Row]:
        """The systems among those chosen."""
        return [row for row in self.rows if row.kind != HUMAN]

    @property
    def reach(self) -> float:
        """The largest difference drawn of whole pairs, in shares of 1, rounded up to a tenth."""
        ends = [abs(end) for pair in self.pairs for end in (*(pair.whole.bounds or ()), pair.whole.difference)]
        return max(math.ceil(round(max(ends, default=0.0) * 10, 6)) / 10, 0.1)


def board_to_compare(*, question_set: QuestionSet, rule: str, fallback: str = "") -> Board:
    """Return the whole board of a set by topic. Raise `BadQueryError` for an unknown choice."""
    query = whole_query(question_set=question_set, rule=rule, fallback=fallback)
    return load_board(question_set=question_set, query=query, with_topics=True)


def chosen_rows(board: Board, slugs: Sequence[str]) -> tuple[Row, ...]:
    """Return the rows named, in that order.

    Raise `BadQueryError` for one that is not there, is named twice or has no accuracy, and for too many; `TooFewError`
    for fewer than two.
    """
    rows = {row.slug: row for row in board.rows}
    if unknown := [slug for slug in slugs if slug not in rows]:
        raise BadQueryError(f"There is nobody called “{unknown[0]}” on this board. Choose from the lists below.")
    if twice := [slug for slug in dict.fromkeys(slugs) if list(slugs).count(slug) > 1]:
        raise BadQueryError(f"“{rows[twice[0]].name}” is chosen twice. Choose each entrant once.")
    if without := [slug for slug in slugs if not rows[slug].has_accuracy]:
        row = rows[without[0]]
        raise BadQueryError(f"“{row.name}” has no accuracy on this set ({row.estimate.reason}). Choose another.")
    if len(slugs) > MOST:
        raise BadQueryError(f"{len(slugs)} are chosen. Choose {MOST} at most, so that the page can be read.")
    if len(slugs) < FEWEST:
        raise TooFewError("Choose one more to compare with." if slugs else f"Choose {FEWEST} to {MOST} to compare.")
    return tuple(rows[slug] for slug in slugs)


def comparison_of(board: Board, rows: tuple[Row, ...]) -> Comparison:
    """Return the comparison of these rows, worked out once for each state of the results."""
    question_set = board.question_set
    slugs = {row.slug for row in rows}
    ordered = [row for row in board.rows if row.slug in slugs]
    made_from = (
        question_set.pk,
        question_set.current_revision_id,
        question_set.policy,
        question_set.benchmark.results_version,
        board.query.rule,
        board.query.fallback,
        [(row.slug, row.run_id, row.estimate.accuracy, row.estimate.bounds) for row in ordered],
    )
    key = f"comparison:{hashlib.sha256(repr(made_from).encode()).hexdigest()}"
    pairs: tuple[Pair, ...] | None = cache.get(key)
    if pairs is None:
        codes = codes_by_run(board)
        compared = [
            Compared(row, codes[row.run_id] if compared_by_question(question_set, row) else None) for row in ordered
        ]
        pairs = pairs_of(compared, board.topics, is_open=smallest_group(question_set) == 1)
        cache.set(key, pairs, _KEEP_SECONDS)
    return Comparison(board, rows, pairs)


def codes_by_run(board: Board) -> dict[str, Codes]:
    """Return the codes of each system by the run it is shown by."""
    return {entrant.run_id: codes for entrant, codes in board.matrix.blocks() if entrant.type != PERSON}


@dataclass(frozen=True, slots=True)
class QuestionByQuestion:
    """Where the systems chosen disagree, and the keys of these questions by id. People are never in it."""

    systems: tuple[Row, ...]
    found: tuple[Disagreement, ...]
    keys: Mapping[int, str]

    @property
    def lines(self) -> list[tuple[Disagreement, str]]:
        """Each question with its key."""
        return [(each, self.keys[each.question_id]) for each in self.found]


def question_by_question(comparison: Comparison) -> QuestionByQuestion:
    """Return where systems disagree. Only for readers who may see single verdicts: the caller has asked."""
    codes = codes_by_run(comparison.board)
    systems = tuple(comparison.systems)
    question_ids = comparison.board.matrix.question_ids
    outcomes = [outcome.value for outcome in OUTCOMES]
    found = disagreements([codes[row.run_id] for row in systems], question_ids, outcomes) if systems else []
    keys = Question.objects.filter(pk__in=[each.question_id for each in found]).values_list("pk", "key")
    return QuestionByQuestion(systems, tuple(found), dict(keys))
