"""What people can do on a set: means of them, as the boards show them, and what follows from whole groups of them."""

import hashlib
from dataclasses import dataclass

import numpy as np
from django.core.cache import cache

from corpus.models import QuestionSet
from evaluations.selectors.systems import tools_by_run
from leaderboard import statistics
from leaderboard.boards import HUMAN, Row, Topic
from leaderboard.disclosure import SMALLEST_GROUP_OF_PEOPLE
from leaderboard.matrix import COMPLETE, PARTIAL, PERSON, RIGHT
from leaderboard.people import PEOPLE_SLUG, Cohort, cohort_of
from leaderboard.people_bands import PeopleBands, people_bands
from leaderboard.queries import Board, load_board, whole_query
from leaderboard.selectors.boards import people_rule, public_sets
from leaderboard.selectors.shown import shown_groups_of
from leaderboard.selectors.tools import tools_by_set
from leaderboard.statistics import BeatenBand, Interval
from survey.selectors.backgrounds import backgrounds, open_studies_among

_KEEP_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class Beaten:
    """A system, and the share of the people it beats."""

    row: Row
    band: BeatenBand

    @property
    def is_told(self) -> bool:
        """Whether the share is told, and not only between which shares it lies."""
        return self.band.low == self.band.high


@dataclass(frozen=True, slots=True)
class PeopleStatistics:
    """What is worked out of everybody who answered the whole set: the interval over questions, and who beats them."""

    over_questions: Interval | None
    bands: dict[str, BeatenBand]


@dataclass(frozen=True, slots=True)
class PartOfPeople:
    """The row of people on one set of the benchmark, and whether tools were allowed there (both: some of each)."""

    question_set: QuestionSet
    tools: frozenset[bool]
    row: Row
    agents: tuple["ToolUser", ...] = ()

    @property
    def words(self) -> str:
        """Whether tools were allowed, in words."""
        if len(self.tools) > 1:
            return "allowed to some"
        return "allowed" if True in self.tools else "not allowed"


@dataclass(frozen=True, slots=True)
class ToolUser:
    """The row of a system that was allowed tools, and these in words."""

    row: Row
    tools: str


@dataclass(frozen=True, slots=True)
class Humans:
    """The people of a set: their rows on its board, and what stands beside them."""

    board: Board
    rows: tuple[Row, ...]
    statistics: PeopleStatistics
    beaten: tuple[Beaten, ...]
    parts: tuple[PartOfPeople, ...]
    bands: PeopleBands

    @property
    def topics(self) -> list[Topic]:
        """The topics on which any row of people has an accuracy."""
        shown = {slug for row in self.rows for slug, estimate in row.topics.items() if estimate.accuracy is not None}
        return [topic for topic in self.board.topics if topic.slug in shown]


def humans_of(*, question_set: QuestionSet, rule: str, fallback: str = "") -> Humans:
    """Return what may be said of the people of a set. Raise `BadQueryError` for an unknown rule."""
    query = whole_query(question_set=question_set, rule=rule, fallback=fallback)
    board = load_board(question_set=question_set, query=query, with_topics=True)
    found = _statistics(board)
    return Humans(
        board=board,
        rows=tuple(board.people_rows),
        statistics=found,
        beaten=tuple(Beaten(row, found.bands[row.slug]) for row in board.rows if row.slug in found.bands),
        parts=_parts(board),
        bands=_bands(board),
    )


def people_statistics(cohort: Cohort, board: Board, *, with_questions: bool) -> PeopleStatistics:
    """Return the interval of the mean of people over questions, and which share of them each system beats.

    Questions are seen as drawn from many like them, people as they are: the percentile bootstrap over questions
    (`statistics.bootstrap_interval`) of each question's share of right answers; left out (no `with_questions`) where
    the totals of two sets tell the result of a few questions, which it would help to tell apart. Both only of people
    who answered the whole set, and only where the board shows their mean. Which share a system beats is told in bands
    of at least as many people as a mean needs (`statistics.beaten_band`), and only where their best and worst are
    public.
    """
    rows = {row.slug: row for row in board.rows}
    people = rows.get(PEOPLE_SLUG)
    if people is None or not people.has_accuracy or people.people is None:
        return PeopleStatistics(None, {})
    is_right = cohort.codes == RIGHT
    over_questions = None
    if with_questions and people.estimate.n_questions >= SMALLEST_GROUP_OF_PEOPLE:
        over_questions = statistics.bootstrap_interval(is_right.mean(axis=0))
    if people.people.best is None:
        return PeopleStatistics(over_questions, {})
    means = np.asarray(is_right.mean(axis=1), dtype=np.float64)
    bands = {
        row.slug: statistics.beaten_band(float(row.estimate.accuracy), means, people_rule().minimum_for_mean)
        for row in board.rows
        if row.kind != HUMAN and row.estimate.accuracy is not None
    }
    return PeopleStatistics(over_questions, bands)


def _statistics(board: Board) -> PeopleStatistics:
    """Return `people_statistics`, worked out once for each state of the results."""
    question_set = board.question_set
    with_questions = not shown_groups_of(question_set=question_set).given_away_of_people
    made_from = (
        question_set.current_revision_id,
        question_set.policy,
        question_set.benchmark.results_version,
        board.query.rule,
        people_rule(),
        with_questions,
        [(row.slug, row.run_id, row.estimate.accuracy) for row in board.rows],
    )
    key = f"people-statistics:{hashlib.sha256(repr(made_from).encode()).hexdigest()}"
    found: PeopleStatistics | None = cache.get(key)
    if found is None:
        cohort = cohort_of(board.matrix, minimum=people_rule().minimum_for_mean, how=COMPLETE)
        found = people_statistics(cohort, board, with_questions=with_questions)
        cache.set(key, found, _KEEP_SECONDS)
    return found


def _bands(board: Board) -> PeopleBands:
    """Return `people_bands`, worked out once for each state of the results.

    Only of the people of one study: of two, of which each alone stands on other boards, the groups could be subtracted.
    And not while it is open: people join in groups whose parts would be told. Nor where the totals of two sets tell the
    result of few questions, nor of fewer questions than a mean of people needs.
    """
    question_set = board.question_set
    people = next((row for row in board.people_rows if row.slug == PEOPLE_SLUG and row.has_accuracy), None)
    if people is None or people.estimate.n_questions < SMALLEST_GROUP_OF_PEOPLE:
        return PeopleBands()
    cohort = cohort_of(board.matrix, minimum=people_rule().minimum_for_mean, how=COMPLETE)
    counted = set(cohort.participant_ids)
    studies = {
        entrant.study_id for entrant in board.matrix.entrants if entrant.type == PERSON and entrant.id in counted
    }
    is_open = not cohort.is_demo and open_studies_among(study_ids=studies)
    if len(studies) != 1 or is_open or shown_groups_of(question_set=question_set).given_away_of_people:
        return PeopleBands()
    made_from = (
        question_set.current_revision_id,
        question_set.benchmark.results_version,
        board.query.rule,
        people_rule(),
        cohort.participant_ids,
    )
    key = f"people-bands:{hashlib.sha256(repr(made_from).encode()).hexdigest()}"
    found: PeopleBands | None = cache.get(key)
    if found is None:
        known = backgrounds(participant_ids=cohort.participant_ids)
        found = people_bands(cohort, known, minimum=people_rule().minimum_for_mean)
        cache.set(key, found, _KEEP_SECONDS)
    return found


def _parts(board: Board) -> tuple[PartOfPeople, ...]:
    """Return the sets of the benchmark of which it is known whether people had tools, with their rows of people."""
    benchmark_id = board.question_set.benchmark_id
    parts = []
    for question_set in public_sets().filter(benchmark_id=benchmark_id):
        here = board
        if question_set.pk != board.question_set.pk:
            here = load_board(question_set=question_set, query=board.query)
        tools = tools_by_set(study_ids=_counted_studies(here)).get(question_set.pk)
        if tools and here.people_with_accuracy:
            agents = _tool_users(here) if True in tools else ()
            parts.append(PartOfPeople(question_set, tools, here.people_with_accuracy, agents))
    return tuple(parts)


def _tool_users(board: Board) -> tuple[ToolUser, ...]:
    """Return the rows of systems that were allowed tools when they were asked, as they stand on the board."""
    rows = [row for row in board.rows if row.run_id and row.has_accuracy]
    tools = tools_by_run(run_ids=[row.run_id for row in rows])
    return tuple(ToolUser(row, tools[row.run_id]) for row in rows if row.run_id in tools)


def _counted_studies(board: Board) -> set[int]:
    """Return the studies whose people are in a row of the board."""
    kinds = {row.is_demo for row in board.rows if row.kind == HUMAN}
    return {
        entrant.study_id
        for entrant in board.matrix.entrants
        if entrant.counted in (COMPLETE, PARTIAL) and entrant.is_demo in kinds
    }
