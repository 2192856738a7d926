"""What a board says beside its accuracies, worked out once for each state of its results and kept."""

import hashlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.core.cache import cache
from django.db import OperationalError

from corpus.models import QuestionSet
from corpus.selectors.changes import version_beside_systems
from leaderboard.boards import HUMAN, Columns, Macro, Row, Topic
from leaderboard.libraries import figure_libraries
from leaderboard.matrix import PERSON, RIGHT, Codes, Matrix
from leaderboard.models import BoardStatistics
from leaderboard.selectors.chance import chance_of_set
from leaderboard.selectors.shown import smallest_group
from leaderboard.standing import Contender, Standing, macro_of_system, standings
from leaderboard.statistics import ChanceLevel

logger = logging.getLogger(__name__)
_KEEP_SECONDS = 86_400
# Raised when what is worked out changes, so that nothing stored by older code is shown.
_FORMAT = 2


class ByTopic(NamedTuple):
    """The rows of people on a set with their estimates by topic, and the topics whose mean is the macro average."""

    people: Sequence[Row]
    topics: Sequence[Topic]


@dataclass(frozen=True, slots=True)
class Looked:
    """What a reader looks at: a set under a rule, and what narrows it ("" for all of it)."""

    question_set: QuestionSet
    rule: str
    narrowed: str
    columns: Columns

    @property
    def is_part(self) -> bool:
        """Whether these are not all the rows and questions of the set."""
        return bool(self.narrowed)


@dataclass(frozen=True, slots=True)
class Computed:
    """Standings and macro averages by slug, and the chance level of the set; the last two of the whole set only."""

    standings: Mapping[str, Standing]
    macros: Mapping[str, Macro]
    chance: ChanceLevel | None

    def on(self, row: Row) -> Row:
        """Return a row with where it stands."""
        standing = self.standings.get(row.slug)
        if standing is None:
            return row
        return replace(
            row,
            rank_low=standing.rank_low,
            rank_high=standing.rank_high,
            group=standing.block,
            letters=standing.letters,
            macro=self.macros.get(row.slug),
        )


def current_statistics(
    *, looked: Looked, matrix: Matrix, rows: Sequence[Row], by_topic: Callable[[], ByTopic]
) -> Computed:
    """Return the statistics of these rows (in rank order), worked out only if they have changed.

    They are kept in the process and, of a whole board, in the database. `by_topic` is asked only then.
    """
    made_from = _made_from(looked, matrix, rows)
    key = f"board-statistics:{made_from}"
    found: Computed | None = cache.get(key)
    if found is None:
        found = None if looked.is_part else _stored(looked, made_from)
        if found is None:
            found = _computed(looked, matrix, rows, by_topic)
            if not looked.is_part:
                _store(looked, made_from, found)
        cache.set(key, found, _KEEP_SECONDS)
    return found


def question_means(codes: Codes, columns: Columns) -> Any:
    """Return, for each of these questions, the mean over a system's repeats."""
    return (codes[:, columns] == RIGHT).mean(axis=0)


def compared_by_question(question_set: QuestionSet, row: Row) -> bool:
    """Say whether a row may be paired with others question by question: systems with an accuracy, but for one kind.

    Who sent completions in knows their verdicts; how often another differs from them would tell verdicts of that one.
    """
    if row.kind == HUMAN or not row.has_accuracy:
        return False
    return not row.is_submitted or smallest_group(question_set) == 1


def _made_from(looked: Looked, matrix: Matrix, rows: Sequence[Row]) -> str:
    """Return a name for everything the statistics depend on.

    Of systems these are the verdicts of those that have a rank: while another one is being asked, they stay.
    """
    question_set = looked.question_set
    benchmark = question_set.benchmark
    ranked = {row.run_id for row in rows if row.run_id}
    codes = hashlib.sha256()
    for entrant, block in matrix.blocks():
        if entrant.run_id in ranked:
            codes.update(f"{entrant.run_id} {block.shape} ".encode() + block.tobytes())
    made_from = (
        _FORMAT,
        figure_libraries(),
        question_set.pk,
        question_set.current_revision_id,
        question_set.policy,
        version_beside_systems(benchmark_id=benchmark.pk, until=benchmark.results_version),
        looked.rule,
        looked.narrowed,
        looked.columns.tobytes(),
        codes.hexdigest(),
        [(row.slug, row.estimate.accuracy, row.estimate.bounds) for row in rows],
    )
    return hashlib.sha256(repr(made_from).encode()).hexdigest()


def _computed(looked: Looked, matrix: Matrix, rows: Sequence[Row], by_topic: Callable[[], ByTopic]) -> Computed:
    codes = {entrant.run_id: codes for entrant, codes in matrix.blocks() if entrant.type != PERSON}
    contenders = [
        Contender(
            slug=row.slug,
            interval=row.estimate.bounds,
            means=question_means(codes[row.run_id], looked.columns)
            if compared_by_question(looked.question_set, row)
            else None,
            repeats=row.repeats,
        )
        for row in rows
        if row.has_accuracy
    ]
    return Computed(
        standings(contenders),
        {} if looked.is_part else _macros(rows, by_topic(), codes),
        None if looked.is_part else _chance(looked.question_set),
    )


def _macros(rows: Sequence[Row], by_topic: ByTopic, codes: Mapping[str, Codes]) -> dict[str, Macro]:
    """Return the macro averages of these rows; none where fewer than two topics are shown."""
    if len(by_topic.topics) < 2:
        return {}
    people = {row.slug: row for row in by_topic.people}
    found = {row.slug: _macro(people.get(row.slug, row), by_topic.topics, codes) for row in rows if row.has_accuracy}
    return {slug: macro for slug, macro in found.items() if macro is not None}


def _macro(row: Row, topics: Sequence[Topic], codes: Mapping[str, Codes]) -> Macro | None:
    if row.kind != HUMAN:
        whole = codes[row.run_id]
        return macro_of_system((whole == RIGHT).mean(axis=0), topics, row.repeats)
    # Of people only what follows from the means by topic, and nothing where one of these is not shown.
    shares = [row.topics[topic.slug].accuracy for topic in topics]
    known = [float(share) for share in shares if share is not None]
    if len(known) < len(topics):
        return None
    return Macro(sum(known) / len(known), None, None, len(topics), min(topic.columns.size for topic in topics))


def _chance(question_set: QuestionSet) -> ChanceLevel | None:
    revision = question_set.current_revision
    if revision is None:
        return None
    level = chance_of_set(set_revision=revision)
    # Of fewer questions it would say which of them has several right options.
    return level if level.n_questions >= smallest_group(question_set) else None


def _stored(looked: Looked, made_from: str) -> Computed | None:
    row = BoardStatistics.objects.filter(
        set_revision_id=looked.question_set.current_revision_id, rule=looked.rule, made_from=made_from
    ).first()
    if row is None:
        return None
    content = row.content
    return Computed(
        standings={
            slug: Standing(low, high, block, tuple(letters))
            for slug, (low, high, block, letters) in content["standings"].items()
        },
        macros={slug: Macro(*parts) for slug, parts in content["macros"].items()},
        chance=ChanceLevel(*content["chance"]) if content["chance"] else None,
    )


def _store(looked: Looked, made_from: str, computed: Computed) -> None:
    content = {
        "standings": computed.standings,
        "macros": computed.macros,
        "chance": computed.chance,
    }
    question_set = looked.question_set
    try:
        BoardStatistics.objects.update_or_create(
            set_revision=question_set.current_revision,
            rule=looked.rule,
            defaults={
                "results_version": question_set.benchmark.results_version,
                "made_from": made_from,
                "content": content,
            },
        )
    except OperationalError as error:
        # An import holds the database: what was worked out is shown all the same.
        logger.warning("the statistics of %s under %s were not stored: %s", question_set.slug, looked.rule, error)
