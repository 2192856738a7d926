"""Store printed results, which boards show as references."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from corpus.models import QuestionSet
from corpus.services.results import results_changed
from leaderboard.importers.published_tables import PrintedTable
from leaderboard.models import PublishedResult

_FIELDS = (
    "paper",
    "table",
    "board",
    "system",
    "setting",
    "kind",
    "grouping",
    "topic",
    "measure",
    "value",
    "remark",
)


@dataclass(frozen=True, slots=True)
class PublishedImported:
    """How many figures there are now of these papers, whether any changed, and which boards are not here (yet)."""

    n_tables: int
    n_figures: int
    has_changed: bool
    boards_missing: tuple[str, ...]


def published_import(*, tables: Sequence[PrintedTable], is_dry_run: bool = False) -> PublishedImported:
    """Put these tables in the place of all that is stored of their papers; a dry run only says what would be."""
    rows = [
        PublishedResult(
            paper=table.paper,
            table=table.table,
            board=table.board,
            grouping=table.grouping,
            measure=table.measure,
            remark=table.remark,
            **figure._asdict(),
        )
        for table in tables
        for figure in table.figures
    ]
    papers = {table.paper for table in tables}
    boards = {table.board for table in tables} - {""}
    with transaction.atomic():
        stored = PublishedResult.objects.filter(paper__in=papers)
        before = list(stored.values_list(*_FIELDS))
        has_changed = before != [tuple(getattr(row, name) for name in _FIELDS) for row in rows]
        if has_changed and not is_dry_run:
            boards_before = set(stored.exclude(board="").values_list("board", flat=True))
            stored.delete()
            PublishedResult.objects.bulk_create(rows, batch_size=500)
            _tell_readers(boards | boards_before)
    here = set(QuestionSet.objects.filter(slug__in=boards).values_list("slug", flat=True))
    return PublishedImported(len(tables), len(rows), has_changed, tuple(sorted(boards - here)))


def _tell_readers(boards: set[str]) -> None:
    """Raise the results version where a board changes: pages may be kept by it."""
    found = QuestionSet.objects.filter(slug__in=boards).values_list("benchmark_id", flat=True)
    for benchmark_id in sorted(set(found)):
        results_changed(benchmark_id=benchmark_id)
