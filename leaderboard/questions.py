"""The questions of a set as whoever may read them finds them: never a key, never a result of people."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from django.core.cache import cache
from django.core.paginator import Page, Paginator
from django.utils.safestring import SafeString

from corpus.markup.html import render_html
from corpus.markup.text import render_plain
from corpus.models import QuestionSet
from corpus.selectors.targets import asked_of
from leaderboard.boards import SystemFacts, Topic
from leaderboard.fallback import chosen_matrix
from leaderboard.matrix import RIGHT, Matrix
from leaderboard.queries import BadQueryError, whole_query
from leaderboard.scale import Scale, counted_systems, scale_of
from leaderboard.selectors.boards import GroupingChoice, groupings_of, topic_key, topics_of, visible_systems
from leaderboard.selectors.inputs import columns_of
from leaderboard.selectors.questions import labels_by_question, member_revision, questions_with, stems_of
from leaderboard.selectors.shown import DEFAULT_GROUPING, smallest_group
from survey.selectors.in_use import questions_in_use

ON_A_PAGE = 25
EXCERPT = 160
LONGEST_SEARCH = 200
DIFFICULTY = "difficulty"
MISSED = {"": "whoever is right", "missed": "that no system has right"}
ORDERS = {"set": "as in the set", "hardest": "fewest right first", "easiest": "most right first"}
_KEEP_SECONDS = 86_400
Floats = npt.NDArray[np.float64]


class QuestionShares(NamedTuple):
    """For each question of a set the share of systems that are right, how many there are, and how many are made up."""

    shares: Floats
    n_systems: int
    n_demo: int


@dataclass(frozen=True, slots=True)
class QuestionQuery:
    """A checked request; empty strings mean "all"."""

    rule: str
    grouping: str = DEFAULT_GROUPING
    topic: str = ""
    text: str = ""
    order: str = "set"
    missed: str = ""
    page: str = "1"
    fallback: str = "on"


@dataclass(frozen=True, slots=True)
class ListedQuestion:
    """A line of the list. `number` is its place in the set, `share` None without systems, `level` without a scale."""

    number: int
    question_id: int
    excerpt: str
    topics: tuple[str, ...]
    difficulty: str
    share: float | None
    n_systems: int
    n_demo: int
    level: "Level | None"


class Level(NamedTuple):
    """How hard a question is on the scale of its set, the error of that, and how sharply it parts the able from others.

    At an ability of `difficulty` a system is right with even chances.
    """

    difficulty: float
    error: float
    discrimination: float


@dataclass(frozen=True, slots=True)
class QuestionList:
    """What the list page shows: one page of the questions that are found, and what is said of all of them."""

    question_set: QuestionSet
    query: QuestionQuery
    groupings: tuple[GroupingChoice, ...]
    topics: tuple[Topic, ...]
    page: "Page[int]"
    lines: tuple[ListedQuestion, ...]
    n_questions: int
    n_in_use: int
    n_missed: int
    n_systems: int
    n_demo: int
    has_levels: bool


class Choice(NamedTuple):
    """An option as shown, with its letter there."""

    letter: str
    html: SafeString


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    """A question as people see it, its place in the set, and its neighbours among those that may be read."""

    number: int
    key: str
    stem: SafeString
    choices: tuple[Choice, ...]
    unit: str
    topics: tuple[str, ...]
    difficulty: str
    share: float | None
    level: Level | None
    n_systems: int
    n_demo: int
    before: int | None
    after: int | None


def is_public(question_set: QuestionSet) -> bool:
    """Say whether everybody may read the questions: where every verdict on them is public anyway."""
    return smallest_group(question_set) == 1


def question_shares(matrix: Matrix, systems: Mapping[int, SystemFacts]) -> QuestionShares:
    """Return, for each question, the share of systems that are right: the mean over systems of the mean over repeats.

    Systems count that answered the whole set, made-up ones too; baselines and hidden ones do not. People are not in it:
    on single questions nothing of them is public, on no set. The share is difficulty as it was found; it depends on
    which systems are there.
    """
    counted = counted_systems(matrix, systems)
    if not counted:
        return QuestionShares(np.full(len(matrix.root_ids), np.nan), 0, 0)
    shares = np.mean([(codes == RIGHT).mean(axis=0) for _, codes in counted], axis=0)
    return QuestionShares(shares, len(counted), sum(systems[entrant.id].is_demo for entrant, _ in counted))


def parse_question_query(parameters: Mapping[str, str], *, question_set: QuestionSet) -> QuestionQuery:
    """Check the parameters of an address. Raise `BadQueryError` for a value that does not exist."""
    order = parameters.get("order", "") or "set"
    if order not in ORDERS:
        raise BadQueryError(f"There is no order “{order}”. There are: {', '.join(ORDERS)}.")
    missed = parameters.get("missed", "")
    if missed not in MISSED:
        raise BadQueryError(f"“missed” is “{missed}”. Leave it out, or write: {', '.join(filter(None, MISSED))}.")
    whole = whole_query(
        question_set=question_set, rule=parameters.get("rule", ""), fallback=parameters.get("fallback", "")
    )
    return QuestionQuery(
        rule=whole.rule,
        fallback=whole.fallback,
        grouping=parameters.get("grouping", "") or DEFAULT_GROUPING,
        topic=topic_key(parameters.get("topic", "")),
        # No text holds the null character, and PostgreSQL refuses it.
        text=" ".join(parameters.get("q", "").replace("\0", " ").split())[:LONGEST_SEARCH],
        order=order,
        missed=missed,
        page=parameters.get("page", "") or "1",
    )


def question_list(*, question_set: QuestionSet, query: QuestionQuery) -> QuestionList:
    """Return a page of the questions that are found. Raise `BadQueryError` for a grouping or topic not there."""
    ids, hidden = _question_ids(question_set), _hidden(question_set)
    groupings = tuple(groupings_of(benchmark_id=question_set.benchmark_id))
    topics = topics_of(benchmark_id=question_set.benchmark_id, grouping=query.grouping, question_ids=ids)
    described = _described(question_set, query.rule, query.fallback)
    columns = _found_columns(question_set, query, _topic_columns(query, groupings, topics, len(ids)), described)
    page = Paginator(_ordered(columns, described.shares, query.order), ON_A_PAGE).get_page(query.page)
    readable = [column for column, question_id in enumerate(ids) if question_id not in hidden]
    return QuestionList(
        question_set=question_set,
        query=query,
        groupings=groupings,
        topics=tuple(topics),
        page=page,
        lines=tuple(_lines(question_set, query, ids, list(page.object_list), described)),
        n_questions=len(ids),
        n_in_use=len(ids) - len(readable),
        n_missed=int(np.count_nonzero(described.shares[readable] == 0)) if described.n_systems else 0,
        n_systems=described.n_systems,
        n_demo=described.n_demo,
        has_levels=described.scale is not None,
    )


def question_lines(*, question_set: QuestionSet, query: QuestionQuery) -> Iterator[ListedQuestion]:
    """Yield every question that is found, in the order asked for. Raise `BadQueryError` as `question_list` does."""
    ids = _question_ids(question_set)
    groupings = groupings_of(benchmark_id=question_set.benchmark_id)
    topics = topics_of(benchmark_id=question_set.benchmark_id, grouping=query.grouping, question_ids=ids)
    described = _described(question_set, query.rule, query.fallback)
    columns = _found_columns(question_set, query, _topic_columns(query, groupings, topics, len(ids)), described)
    return _lines(question_set, query, ids, _ordered(columns, described.shares, query.order), described)


def shown_question(
    *, question_set: QuestionSet, question_id: int, rule: str, fallback: str = "on"
) -> ShownQuestion | None:
    """Return a question of a set as people see it; None where it is not in the set or may not be read now."""
    ids = _question_ids(question_set)
    hidden = _hidden(question_set)
    if question_id not in ids or question_id in hidden:
        return None
    column = ids.index(question_id)
    revision = member_revision(set_revision_id=question_set.current_revision_id, question_id=question_id)
    # By their hashes: the order of the bank may tell which is right.
    asked = asked_of(revision, sorted(option.option_key for option in revision.options.all()))
    found = _described(question_set, rule, fallback)
    labels = labels_by_question(question_ids=[question_id], groupings=(DEFAULT_GROUPING, DIFFICULTY))
    readable = [each for each in ids if each not in hidden]
    place = readable.index(question_id)
    return ShownQuestion(
        number=column + 1,
        key=revision.question.key,
        stem=render_html(revision.stem, place="stem"),
        choices=tuple(
            Choice(shown.letter, render_html(shown.text, place=f"option-{shown.letter}", inline=True))
            for shown in asked.shown
        ),
        unit=asked.unit,
        topics=labels.get((question_id, DEFAULT_GROUPING), ()),
        difficulty=", ".join(labels.get((question_id, DIFFICULTY), ())),
        share=found.share(column),
        level=found.level(column),
        n_systems=found.n_systems,
        n_demo=found.n_demo,
        before=readable[place - 1] if place else None,
        after=readable[place + 1] if place + 1 < len(readable) else None,
    )


def _question_ids(question_set: QuestionSet) -> list[int]:
    revision = question_set.current_revision
    return [column.question_id for column in columns_of(set_revision=revision)] if revision else []


def _hidden(question_set: QuestionSet) -> set[int]:
    """Return the questions that may not be read now: of a public list those in use; staff read all."""
    return questions_in_use(benchmark_id=question_set.benchmark_id) if is_public(question_set) else set()


def _topic_columns(
    query: QuestionQuery, groupings: Sequence[GroupingChoice], topics: Sequence[Topic], n: int
) -> list[int]:
    slugs = [grouping.slug for grouping in groupings]
    if query.grouping not in (*slugs, DEFAULT_GROUPING):
        raise BadQueryError(f"There is no grouping “{query.grouping}”. There are: {', '.join(slugs) or 'none'}.")
    if not query.topic:
        return list(range(n))
    for topic in topics:
        if topic.slug == query.topic:
            return [int(column) for column in topic.columns]
    known = ", ".join(topic.slug for topic in topics) or "none"
    raise BadQueryError(f"There is no topic “{query.topic}” in this set. There are: {known}.")


def _ordered(columns: list[int], shares: Floats, order: str) -> list[int]:
    if order == "set" or np.isnan(shares).all():
        return columns
    sign = 1 if order == "hardest" else -1
    return sorted(columns, key=lambda column: (sign * shares[column], column))


def _lines(
    question_set: QuestionSet, query: QuestionQuery, ids: list[int], columns: Sequence[int], found: "_Described"
) -> Iterator[ListedQuestion]:
    shown = [ids[column] for column in columns]
    stems = stems_of(set_revision_id=question_set.current_revision_id, question_ids=shown)
    labels = labels_by_question(question_ids=shown, groupings=(query.grouping, DIFFICULTY))
    for column, question_id in zip(columns, shown, strict=True):
        yield ListedQuestion(
            number=column + 1,
            question_id=question_id,
            excerpt=_excerpt(stems[question_id]),
            topics=labels.get((question_id, query.grouping), ()),
            difficulty=", ".join(labels.get((question_id, DIFFICULTY), ())),
            share=found.share(column),
            n_systems=found.n_systems,
            n_demo=found.n_demo,
            level=found.level(column),
        )


def _excerpt(stem: str) -> str:
    text = render_plain(stem)
    return text if len(text) <= EXCERPT else f"{text[: EXCERPT - 1].rsplit(' ', 1)[0]}…"


@dataclass(frozen=True, slots=True)
class _Described:
    """What the systems of a set say of its questions."""

    shares: Floats
    n_systems: int
    n_demo: int
    scale: Scale | None

    def share(self, column: int) -> float | None:
        """The share of systems that are right."""
        return float(self.shares[column]) if self.n_systems else None

    def level(self, column: int) -> Level | None:
        """Where the question stands on the scale."""
        if self.scale is None:
            return None
        model = self.scale.model
        figures = (model.difficulty, model.difficulty_error, model.discrimination)
        return Level(*(float(figure[column]) for figure in figures))


def _described(question_set: QuestionSet, rule: str, fallback: str) -> _Described:
    found = _shares(question_set, rule, fallback)
    scale = scale_of(question_set=question_set, rule=rule, fallback=fallback)
    return _Described(*found, scale)


def _found_columns(
    question_set: QuestionSet, query: QuestionQuery, columns: Sequence[int], described: _Described
) -> list[int]:
    """Return those of these columns that may be read and are asked for."""
    ids, hidden = _question_ids(question_set), _hidden(question_set)
    found = [column for column in columns if ids[column] not in hidden]
    if query.missed:
        found = [column for column in found if described.share(column) == 0]
    if query.text:
        matching = questions_with(set_revision_id=question_set.current_revision_id, text=query.text)
        found = [column for column in found if ids[column] in matching]
    return found


def _shares(question_set: QuestionSet, rule: str, fallback: str) -> QuestionShares:
    """Return `question_shares`, worked out once for each state of the results and of the systems shown."""
    systems = visible_systems()
    made_from = (
        question_set.current_revision_id,
        question_set.benchmark.results_version,
        rule,
        fallback,
        sorted((pk, facts.kind, facts.is_demo) for pk, facts in systems.items()),
    )
    key = f"question-shares:{hashlib.sha256(repr(made_from).encode()).hexdigest()}"
    found: QuestionShares | None = cache.get(key)
    if found is None:
        found = question_shares(chosen_matrix(question_set=question_set, rule=rule, fallback=fallback), systems)
        cache.set(key, found, _KEEP_SECONDS)
    return found
