"""What a run's fallback reader did, and what the run is without it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet

from corpus.scoring.types import Outcome, ReadStatus
from evaluations.models import Item, ItemReading, Run

# Of any version and any system.
_FALLBACK_READERS = "fallback@"


@dataclass(frozen=True, slots=True)
class FallbackCounts:
    """The use of a run's fallback reader.

    `n_asked` replies were put to it, it found an answer in `n_read`, and `n_waiting` are unparsed and not put to it
    yet. `outcomes` are the verdicts that rest on it; `strict` and `with_fallback` count the outcomes of all items of
    the run without and with it.
    """

    reader: str
    n_asked: int
    n_read: int
    n_waiting: int
    outcomes: Mapping[str, int]
    strict: Mapping[str, int]
    with_fallback: Mapping[str, int]


def fallback_counts(*, run: Run) -> FallbackCounts | None:
    """Return what the fallback reader of a run did; None for a run without one."""
    reader = _reader_of(run)
    if not reader:
        return None
    readings = ItemReading.objects.filter(answer__run=run, reader=reader, corrected_by=None)
    statuses = Counter(readings.values_list("status", flat=True))
    resting = Counter(resting_on_fallback(run.items.all()).values_list("outcome", flat=True))
    total = Counter(run.items.exclude(outcome="").values_list("outcome", flat=True))
    strict = total - resting + Counter({Outcome.UNPARSED.value: sum(resting.values())})
    return FallbackCounts(
        reader=reader,
        n_asked=sum(statuses.values()),
        n_read=statuses[ReadStatus.READ.value],
        n_waiting=unread_items(run).count(),
        outcomes=_in_order(resting),
        strict=_in_order(strict),
        with_fallback=_in_order(total),
    )


def unread_items(run: Run) -> QuerySet[Item]:
    """Return the items whose current verdict is `unparsed` and that the run's fallback reader has not read.

    Replies that were cut off, refused, empty or given up are none of them, and neither is what a person has read. None
    for a run without a fallback reader.
    """
    reader = _reader_of(run)
    if not reader:
        return run.items.none()
    readings = ItemReading.objects.filter(answer=OuterRef("pk"))
    return run.items.filter(
        ~Exists(readings.filter(reader=reader)),
        ~Exists(readings.filter(corrected_by__isnull=False)),
        status=Item.Status.ANSWERED,
        outcome=ReadStatus.UNPARSED.value,
    )


def resting_on_fallback(items: QuerySet[Item]) -> QuerySet[Item]:
    """Return the items whose current verdict rests on a fallback's reading.

    Such an item was read by a fallback and by nobody else: no person corrected it, and no reader of ours finds an
    answer in it.
    """
    readings = ItemReading.objects.filter(answer=OuterRef("pk"))
    by_fallback = readings.filter(reader__startswith=_FALLBACK_READERS, status=ReadStatus.READ.value, corrected_by=None)
    by_person = readings.filter(corrected_by__isnull=False)
    newest_of_ours = (
        readings.filter(corrected_by=None, reader__startswith="standard@").order_by("-pk").values("status")[:1]
    )
    return (
        items.filter(Exists(by_fallback), ~Exists(by_person))
        .annotate(strict_status=newest_of_ours)
        .filter(strict_status=ReadStatus.UNPARSED.value)
        .exclude(outcome=Outcome.UNPARSED.value)
        .order_by()
    )


def _reader_of(run: Run) -> str:
    return str(run.frozen.get("fallback", {}).get("reader", ""))


def _in_order(counts: Counter[str]) -> dict[str, int]:
    return {outcome.value: counts[outcome.value] for outcome in Outcome if counts[outcome.value]}
