"""Where our rule and the published one part over imported answers, and why: question by question, nothing stored."""

from collections.abc import Collection, Iterable, Sequence

from corpus.scoring.differences import Difference, cause_of
from corpus.scoring.published import READER as PUBLISHED_READER
from corpus.scoring.rules import judge, resolve_rule
from corpus.scoring.types import Reading
from corpus.services.rescoring import Reread
from corpus.services.rescoring.differences import (
    Compared,
    DifferenceLine,
    DifferenceReport,
    counted,
    in_short,
    is_different,
)
from corpus.services.verdicts import reading_from_row
from evaluations.models import Item, ItemReading, Run
from evaluations.services.rescoring import asked_of_item, items_reread


def published_differences(
    *, runs: Iterable[Run], rule: str, reader: str, question_ids: Collection[int] | None = None
) -> DifferenceReport:
    """Compare published verdicts of imported runs with those under `rule` and `reader` (`name@version`).

    Both are judged by our own keys, those in force. An answer without a published reading is left out.
    """
    against = resolve_rule("as-published")
    systems: dict[str, Compared] = {}
    lines: list[DifferenceLine] = []
    for run in runs:
        keys = dict(run.items.order_by().values_list("pk", "question_revision__question__key"))
        for chunk in items_reread(run=run, reader=reader, question_ids=question_ids):
            pairs = _both(chunk, rule, against)
            slug = run.system.slug
            systems[slug] = counted(systems.get(slug, Compared(0, 0, 0)), [pair for _, pair in pairs])
            lines += [_line(run, keys[pk], pk, pair) for pk, pair in pairs if is_different(pair)]
    return DifferenceReport(rule, reader, against, systems, tuple(lines))


def _both(chunk: Sequence[Reread], rule: str, against: str) -> list[tuple[int, Difference]]:
    """Return every answer that has a published reading under both rules."""
    rows = ItemReading.objects.filter(
        answer__in=[entry.answer.pk for entry in chunk], reader=PUBLISHED_READER, corrected_by=None
    )
    published = {row.answer_id: reading_from_row(row) for row in rows}
    return [
        (entry.answer.pk, _difference(entry, entry.reading, published[entry.answer.pk], rule, against))
        for entry in chunk
        if entry.reading is not None and entry.answer.pk in published
    ]


def _difference(entry: Reread, reading: Reading, published: Reading, rule: str, against: str) -> Difference:
    if not isinstance(entry.answer, Item):
        raise TypeError("Only imported items have published readings.")
    return Difference(
        text=entry.answer.completion,
        asked=asked_of_item(entry.answer, entry.key, frozen={}),
        target=entry.key.target,
        published=published,
        published_verdict=judge(reading=published, target=entry.key.target, rule=against),
        standard=reading,
        standard_verdict=judge(reading=reading, target=entry.key.target, rule=rule),
    )


def _line(run: Run, key: str, item_id: int, pair: Difference) -> DifferenceLine:
    return DifferenceLine(
        system=run.system.slug,
        run=str(run.pk),
        key=key,
        item=item_id,
        cause=cause_of(pair),
        published_outcome=pair.published_verdict.outcome.value,
        outcome=pair.standard_verdict.outcome.value,
        published_read=in_short(pair.published, pair.asked),
        read=in_short(pair.standard, pair.asked),
    )
