"""Where our rule and the published one part over imported answers, and why: question by question, nothing stored."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from corpus.scoring.differences import Difference, cause_of
from corpus.scoring.published import READER as PUBLISHED_READER
from corpus.scoring.rules import judge, resolve_rule
from corpus.scoring.types import Asked, Outcome, Reading
from corpus.services.rescoring import Reread
from corpus.services.verdicts import reading_from_row
from evaluations.models import Item, ItemReading, Run
from evaluations.services.rescoring import asked_of_item, items_reread

RIGHT = Outcome.RIGHT.value


class DifferenceLine(NamedTuple):
    """One answer on which the rules part. `cause` is "" where no predicate explains it; no word of the reply."""

    system: str
    run: str
    key: str
    item: int
    cause: str
    published_outcome: str
    outcome: str
    published_read: str
    read: str


@dataclass(frozen=True, slots=True)
class Compared:
    """How many answers of a system both rules have judged, and how many are right under each."""

    n: int
    n_right_published: int
    n_right: int


@dataclass(frozen=True, slots=True)
class DifferenceReport:
    """Every difference between the published rule and another, with the totals of each system by its slug."""

    rule: str
    reader: str
    against: str
    systems: dict[str, Compared]
    lines: tuple[DifferenceLine, ...]

    @property
    def unexplained(self) -> tuple[DifferenceLine, ...]:
        """The differences no predicate explains."""
        return tuple(line for line in self.lines if not line.cause)

    def totals(self) -> dict[str, dict[str, int]]:
        """Return how many differences each cause has in each system that has any, causes and systems by name."""
        counted = Counter((line.cause, line.system) for line in self.lines)
        totals: dict[str, dict[str, int]] = {}
        for cause, system in sorted(counted):
            totals.setdefault(cause, {})[system] = counted[cause, system]
        return totals

    def shifts(self) -> dict[str, tuple[int, int]]:
        """Return, by cause, how many answers became right and how many stopped being right."""
        gained = Counter(line.cause for line in self.lines if line.outcome == RIGHT)
        lost = Counter(line.cause for line in self.lines if line.published_outcome == RIGHT)
        return {cause: (gained[cause], lost[cause]) for cause in self.totals()}


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
            systems[slug] = _counted(systems.get(slug, Compared(0, 0, 0)), pairs)
            lines += [_line(run, keys[pk], pk, pair) for pk, pair in pairs if _is_different(pair)]
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
        asked=asked_of_item(entry.answer, entry.key),
        target=entry.key.target,
        published=published,
        published_verdict=judge(reading=published, target=entry.key.target, rule=against),
        standard=reading,
        standard_verdict=judge(reading=reading, target=entry.key.target, rule=rule),
    )


def _counted(known: Compared, pairs: Sequence[tuple[int, Difference]]) -> Compared:
    return Compared(
        known.n + len(pairs),
        known.n_right_published + sum(pair.published_verdict.outcome is Outcome.RIGHT for _, pair in pairs),
        known.n_right + sum(pair.standard_verdict.outcome is Outcome.RIGHT for _, pair in pairs),
    )


def _is_different(pair: Difference) -> bool:
    return pair.published_verdict.outcome is not pair.standard_verdict.outcome


def _line(run: Run, key: str, item_id: int, pair: Difference) -> DifferenceLine:
    return DifferenceLine(
        system=run.system.slug,
        run=str(run.pk),
        key=key,
        item=item_id,
        cause=cause_of(pair),
        published_outcome=pair.published_verdict.outcome.value,
        outcome=pair.standard_verdict.outcome.value,
        published_read=_in_short(pair.published, pair.asked),
        read=_in_short(pair.standard, pair.asked),
    )


def _in_short(reading: Reading, asked: Asked) -> str:
    """Return what was read in letters or as a number; the status where nothing was."""
    letters = "".join(option.letter for option in asked.shown if option.key in reading.option_keys)
    number = "" if reading.number is None else f"{reading.number} {reading.unit}".strip()
    return letters or number or reading.status.value
