"""What a reader asks of a board, read from the address, and the board that answers it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from corpus.models import QuestionSet
from corpus.scoring.rules import UnknownRuleError, resolve_rule, rule_names
from evaluations.models import System
from leaderboard import ranking
from leaderboard.assembly import Hidden, board_rows
from leaderboard.boards import (
    HUMAN,
    SMALL_TOPIC,
    Columns,
    Row,
    SystemFacts,
    Topic,
    ranked,
)
from leaderboard.fallback import Helped, helped_runs, without_fallback
from leaderboard.matrix import COMPLETE, PARTIAL, Matrix
from leaderboard.people import PEOPLE_SLUG, Cohort, cohort_of
from leaderboard.selectors.boards import (
    GroupingChoice,
    groupings_of,
    people_rule,
    topic_key,
    topics_of,
    visible_systems,
)
from leaderboard.selectors.inputs import columns_of
from leaderboard.selectors.shown import DEFAULT_GROUPING, shown_groups_of, smallest_group
from leaderboard.services import current_matrix
from leaderboard.services.statistics import ByTopic, Looked, current_statistics
from leaderboard.statistics import ChanceLevel

KINDS = (*System.Kind.values, HUMAN)
SORTS = {"accuracy": "accuracy", "name": "name", "questions": "questions answered"}
DIRECTIONS = ("ascending", "descending")
FALLBACK = ("on", "off")
PUBLISHED = "as-published"


class BadQueryError(ValueError):
    """The address asks for something that does not exist; the message says what there is."""


@dataclass(frozen=True, slots=True)
class BoardQuery:
    """A checked request; empty strings mean "all". `rule` is `name@version`.

    With `fallback` "off", what only a fallback reader could read is unparsed.
    """

    rule: str
    grouping: str = DEFAULT_GROUPING
    topic: str = ""
    kind: str = ""
    sort: str = "accuracy"
    direction: str = "descending"
    fallback: str = "on"

    @property
    def narrowed(self) -> str:
        """What makes this another board than the whole one of its rule; "" for that."""
        is_whole = not (self.topic or self.kind) and self.fallback == "on"
        return "" if is_whole else repr((self.grouping if self.topic else "", self.topic, self.kind, self.fallback))


@dataclass(frozen=True, slots=True)
class Board:
    """A board as asked for: rows in rank order, and what is said around them."""

    question_set: QuestionSet
    query: BoardQuery
    rows: tuple[Row, ...]
    topics: tuple[Topic, ...]
    groupings: tuple[GroupingChoice, ...]
    topic: Topic | None
    n_questions: int
    n_people: int
    n_people_finished: int
    n_people_counted: int
    n_absent: int
    matrix: Matrix
    chance: ChanceLevel | None

    @property
    def is_published_view(self) -> bool:
        """Whether the rule exists for imported results only."""
        return self.query.rule.partition("@")[0] == PUBLISHED

    @property
    def people(self) -> Row | None:
        """The row of people, where there are enough of them; of two, that of those who answered the whole set."""
        return max(self.people_rows, key=lambda row: row.slug == PEOPLE_SLUG, default=None)

    @property
    def people_rows(self) -> list[Row]:
        """The rows of people: those who answered the whole set, and those who answered parts of it."""
        return [row for row in self.rows if row.kind == HUMAN]

    @property
    def people_with_accuracy(self) -> Row | None:
        """The row of people, where it has an accuracy on the questions shown."""
        return self.people if self.people and self.people.has_accuracy else None

    @property
    def n_by_fallback(self) -> int:
        """How many answers of the rows only a fallback reader could read."""
        return sum(row.n_by_fallback for row in self.rows)

    @property
    def is_small(self) -> bool:
        """Whether the set, or the topic shown, has too few questions to rank anybody."""
        return self.n_questions < SMALL_TOPIC

    @property
    def why_nobody(self) -> str:
        """Why nobody has a rank, where nobody has."""
        return "too few questions to rank anybody" if self.is_small and self.rows else "no complete result yet"

    @property
    def has_macro(self) -> bool:
        """Whether any row has a mean of topics."""
        return any(row.macro for row in self.rows)

    @property
    def has_demo(self) -> bool:
        """Whether anything on the board is demo data."""
        return self.question_set.benchmark.is_demo or any(row.is_demo for row in self.rows)

    @property
    def rows_as_sorted(self) -> list[Row]:
        """The rows in the order asked for; those without a rank last in both directions."""
        return sorted_rows(self.rows, sort=self.query.sort, direction=self.query.direction)


def parse_rule(text: str, *, default: str) -> str:
    """Return `name@version` for what was asked, the default for nothing. Raise `BadQueryError` for an unknown one."""
    try:
        return resolve_rule(text or default)
    except UnknownRuleError as error:
        raise BadQueryError(f"There is no rule “{text}”. There are: {', '.join(rule_names())}.") from error


def whole_query(*, question_set: QuestionSet, rule: str = "", fallback: str = "") -> BoardQuery:
    """Check the two choices of pages that are of a whole set. Raise `BadQueryError` for a value that does not exist."""
    return parse_query({"rule": rule, "fallback": fallback}, question_set=question_set)


def parse_fallback(text: str) -> str:
    """Return "on" or "off", the first for nothing. Raise `BadQueryError` for another word."""
    if text and text not in FALLBACK:
        raise BadQueryError(f"There is no fallback “{text}”. There are: {', '.join(FALLBACK)}.")
    return text or FALLBACK[0]


def parse_query(parameters: Mapping[str, str], *, question_set: QuestionSet) -> BoardQuery:
    """Check the parameters of an address. Raise `BadQueryError` for a value that does not exist."""
    query = BoardQuery(
        rule=parse_rule(parameters.get("rule", ""), default=question_set.benchmark.default_rule),
        grouping=parameters.get("grouping", "") or DEFAULT_GROUPING,
        topic=topic_key(parameters.get("topic", "")),
        kind=parameters.get("kind", ""),
        sort=parameters.get("sort", "") or "accuracy",
        direction=parameters.get("direction", "") or "descending",
        fallback=parse_fallback(parameters.get("fallback", "")),
    )
    for name, value, known in (
        ("kind", query.kind, ("", *KINDS)),
        ("sort", query.sort, tuple(SORTS)),
        ("direction", query.direction, DIRECTIONS),
    ):
        if value not in known:
            raise BadQueryError(f"There is no {name} “{value}”. There are: {', '.join(filter(None, known))}.")
    return query


def load_board(*, question_set: QuestionSet, query: BoardQuery, with_topics: bool = False) -> Board:
    """Return the board that answers `query`; estimates by topic only `with_topics`.

    Raise `BadQueryError` for a grouping or topic that the set does not have.
    """
    matrix = current_matrix(question_set=question_set, rule=query.rule)
    helped = helped_runs(question_set=question_set, rule=query.rule, matrix=matrix)
    is_closed = smallest_group(question_set) > 1
    if query.fallback == "off":
        matrix = without_fallback(matrix, helped)
    groupings = groupings_of(benchmark_id=question_set.benchmark_id)
    _check_grouping(query, groupings)
    topics = topics_of(
        benchmark_id=question_set.benchmark_id, grouping=query.grouping, question_ids=matrix.question_ids
    )
    topic = _topic(query, topics)
    found = _Found(
        question_set=question_set,
        matrix=matrix,
        systems=visible_systems(),
        cohorts=[cohort_of(matrix, minimum=people_rule().minimum_for_mean, how=how) for how in (COMPLETE, PARTIAL)],
        are_groups_hidden=is_closed and query.fallback == "off" and any(run.columns.size for run in helped.values()),
    )
    rows = found.rows(topic=topic, topics=topics, shown_topics=topics if with_topics else [], grouping=query.grouping)
    columns = topic.columns if topic else found.all_columns
    ordered = ranked((row for row in rows if query.kind in ("", row.kind)), is_small=columns.size < SMALL_TOPIC)
    computed = current_statistics(
        looked=Looked(question_set, query.rule, query.narrowed, columns),
        matrix=matrix,
        rows=[row for row in ordered if row.rank is not None],
        by_topic=found.by_topic,
    )
    return Board(
        question_set=question_set,
        query=query,
        rows=tuple(
            computed.on(row) if topic and is_closed else _with_fallback(computed.on(row), helped, columns)
            for row in ordered
        ),
        topics=tuple(topics),
        groupings=tuple(groupings),
        topic=topic,
        n_questions=len(topic.columns) if topic else len(matrix.root_ids),
        n_people=found.cohorts[0].n_people,
        n_people_finished=found.cohorts[0].n_finished,
        n_people_counted=sum(row.people.n for row in rows if row.people),
        n_absent=_absent(question_set, query, matrix, found.systems),
        matrix=matrix,
        chance=computed.chance,
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """What rows of a set are made of.

    `are_groups_hidden` where groups of systems are not shown: on a set that is not open, what an answer that only a
    fallback reader could read changes in groups that cross would tell which question it is of, and its verdict.
    """

    question_set: QuestionSet
    matrix: Matrix
    systems: dict[int, SystemFacts]
    cohorts: list[Cohort]
    are_groups_hidden: bool

    @property
    def all_columns(self) -> Columns:
        return np.arange(len(self.matrix.root_ids))

    def rows(self, *, topic: Topic | None, topics: list[Topic], shown_topics: list[Topic], grouping: str) -> list[Row]:
        hidden = _hidden(self.question_set, grouping)
        if self.are_groups_hidden:
            hidden = replace(hidden, of_systems=frozenset(each.slug for each in topics))
        return board_rows(
            self.matrix,
            self.cohorts,
            systems=self.systems,
            topic=topic,
            topics=topics,
            shown_topics=shown_topics,
            hidden=hidden,
            grouping=grouping,
        )

    def by_topic(self) -> ByTopic:
        """Return the rows of people with their estimates by topic, and those topics that are shown of systems."""
        topics = topics_of(
            benchmark_id=self.question_set.benchmark_id,
            grouping=DEFAULT_GROUPING,
            question_ids=self.matrix.question_ids,
        )
        hidden = _hidden(self.question_set, DEFAULT_GROUPING).of_systems
        people = replace(self, systems={}).rows(
            topic=None, topics=topics, shown_topics=topics, grouping=DEFAULT_GROUPING
        )
        return ByTopic(people, [each for each in topics if each.slug not in hidden and not self.are_groups_hidden])


def _with_fallback(row: Row, helped: Mapping[str, Helped], columns: Columns) -> Row:
    """Say how many answers rest on a fallback reader, where it is told how they ended."""
    run = helped.get(row.run_id)
    return row if run is None or not row.estimate.outcomes else replace(row, n_by_fallback=run.n(columns))


def _hidden(question_set: QuestionSet, grouping: str) -> Hidden:
    shown = shown_groups_of(question_set=question_set)
    return Hidden(
        of_systems=shown.hidden(set_id=question_set.pk, grouping=grouping, of_people=False),
        of_people=shown.hidden(set_id=question_set.pk, grouping=grouping, of_people=True),
        smallest_group=smallest_group(question_set),
    )


def check_query(*, question_set: QuestionSet, query: BoardQuery) -> None:
    """Raise `BadQueryError` for a grouping or topic that the set does not have; costs nothing without either."""
    if query.grouping != DEFAULT_GROUPING:
        _check_grouping(query, groupings_of(benchmark_id=question_set.benchmark_id))
    if query.topic and question_set.current_revision:
        question_ids = [column.question_id for column in columns_of(set_revision=question_set.current_revision)]
        _topic(
            query,
            topics_of(benchmark_id=question_set.benchmark_id, grouping=query.grouping, question_ids=question_ids),
        )


def _check_grouping(query: BoardQuery, groupings: list[GroupingChoice]) -> None:
    slugs = [grouping.slug for grouping in groupings]
    # A benchmark without any labels still has a board: `topic` is then simply empty.
    if query.grouping not in slugs and query.grouping != DEFAULT_GROUPING:
        raise BadQueryError(f"There is no grouping “{query.grouping}”. There are: {', '.join(slugs) or 'none'}.")


def _topic(query: BoardQuery, topics: list[Topic]) -> Topic | None:
    if not query.topic:
        return None
    for topic in topics:
        if topic.slug == query.topic:
            return topic
    known = ", ".join(topic.slug for topic in topics) or "none"
    raise BadQueryError(f"There is no topic “{query.topic}” in this set. There are: {known}.")


def _absent(question_set: QuestionSet, query: BoardQuery, matrix: Matrix, systems: dict[int, SystemFacts]) -> int:
    """Count the visible systems of the default view that the rule asked for does not have."""
    default = resolve_rule(question_set.benchmark.default_rule)
    if query.rule == default:
        return 0
    usual = current_matrix(question_set=question_set, rule=default)
    there = {entrant.id for entrant in matrix.entrants if entrant.run_id}
    return sum(e.id in systems and e.id not in there for e in usual.entrants if e.run_id)


def sorted_rows(rows: tuple[Row, ...], *, sort: str, direction: str) -> list[Row]:
    """Return rows by accuracy, name or number of questions answered; rows without a rank last both ways."""
    keys: dict[str, Any] = {
        "accuracy": lambda row: row.estimate.accuracy,
        "name": lambda row: row.name.casefold() if row.has_accuracy else None,
        "questions": lambda row: row.estimate.n_scored if row.has_accuracy else None,
    }
    return ranking.in_order(
        rows,
        key=keys[sort],
        tie_break=lambda row: (row.name.casefold(), row.slug),
        descending=direction == "descending",
    )
