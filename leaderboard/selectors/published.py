"""Printed results as a reader sees them: tables of a paper, best first, without ranks."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby

from django.core.cache import cache
from django.utils.text import slugify

from corpus.models import QuestionSet
from leaderboard.boards import Topic
from leaderboard.importers.published_tables import ACCURACY
from leaderboard.models import PublishedResult
from leaderboard.papers import Paper, paper_of
from leaderboard.selectors.boards import topic_key

_KEEP_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A system as printed, and its figures by topic ("" for all questions), in the digits printed."""

    system: str
    setting: str
    kind: str
    figures: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A printed table, or a part of one: the columns shown, "" for all questions, and its rows."""

    paper: Paper
    table: str
    measure: str
    remark: str
    columns: tuple[str, ...]
    rows: tuple[PublishedRow, ...]


def published_of(
    *,
    question_set: QuestionSet,
    grouping: str = "",
    topic: Topic | None = None,
    topics: Sequence[Topic] = (),
    kind: str = "",
) -> list[PublishedTable]:
    """Return what is printed for a board: on all questions, or on one of the `topics` of a grouping.

    Kept for each results version, which an import raises; one query where it is not.
    """
    version = question_set.benchmark.results_version
    looked_at = (grouping, topic.slug, [(each.slug, each.label) for each in topics]) if topic else ()
    made_from = (question_set.pk, question_set.slug, version, looked_at, kind)
    key = f"published:{hashlib.sha256(repr(made_from).encode()).hexdigest()}"
    tables: list[PublishedTable] | None = cache.get(key)
    if tables is None:
        found = PublishedResult.objects.filter(board=question_set.slug)
        found = found.filter(grouping=grouping) if topic else found.filter(topic="")
        if kind:
            found = found.filter(kind=kind)
        tables = _tables(each for each in found if topic is None or is_of_topic(each.topic, topic, topics))
        cache.set(key, tables, _KEEP_SECONDS)
    return tables


def is_of_topic(printed: str, topic: Topic, topics: Sequence[Topic]) -> bool:
    """Say whether a printed column is of this topic of several: by its slug, else by its name if no other has that."""
    slug = topic_key(slugify(printed.replace("/", "-"), allow_unicode=True))
    by_slug = [each for each in topics if each.slug == slug]
    meant = by_slug or [each for each in topics if each.label == printed]
    return [each.slug for each in meant] == [topic.slug]


def published_by_topic(*, board: str, grouping: str) -> list[PublishedTable]:
    """Return the tables printed for a board whose topics are those of a grouping, with all columns. One query."""
    return _tables(PublishedResult.objects.filter(board=board, grouping=grouping))


def all_published() -> list[PublishedTable]:
    """Return every printed table. One query."""
    return _tables(PublishedResult.objects.all())


def printed_share(value: str, measure: str) -> str:
    """Write a printed figure: an accuracy in percent with the digits it was printed with, anything else as it is."""
    return f"{Decimal(value).scaleb(2):f}%" if measure == ACCURACY else value


def _tables(found: Iterable[PublishedResult]) -> list[PublishedTable]:
    tables = []
    for (slug, name), group in groupby(found, key=lambda figure: (figure.paper, figure.table)):
        figures = list(group)
        paper = paper_of(slug)
        if paper is not None:
            first = figures[0]
            columns = tuple(dict.fromkeys(figure.topic for figure in figures))
            rows = _rows(figures, columns)
            tables.append(PublishedTable(paper, name, first.measure, first.remark, columns, rows))
    return tables


def _rows(figures: Sequence[PublishedResult], columns: Sequence[str]) -> tuple[PublishedRow, ...]:
    """Return the rows, the best in the first column first; where lower is better they stay as printed."""
    rows: dict[tuple[str, str], dict[str, str]] = {}
    kinds: dict[tuple[str, str], str] = {}
    for figure in figures:
        system = (figure.system, figure.setting)
        kinds[system] = figure.kind
        rows.setdefault(system, {})[figure.topic] = figure.value
    made = [PublishedRow(*system, kinds[system], values) for system, values in rows.items()]
    if figures[0].measure == ACCURACY:
        made.sort(key=lambda row: (-Decimal(row.figures.get(columns[0], "-1")), row.system.casefold(), row.setting))
    return tuple(made)
