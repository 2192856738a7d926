"""What a run's fallback reader did, and what the run is without it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet

from corpus.scoring.types import Outcome, ReadStatus
from evaluations.models import Item, ItemReading, Run

READER_PREFIX = "fallback@"


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
    reader = str(run.frozen.get("fallback", {}).get("reader", ""))
    if not reader:
        return None
    readings = ItemReading.objects.filter(answer__run=run, reader=reader, corrected_by=None)
    statuses = Counter(readings.values_list("status", flat=True))
    resting = Counter(resting_on_fallback(run.items.all()).values_list("outcome", flat=True))
    total = Counter(run.items.exclude(outcome="").values_list("outcome", flat=True))
    strict = total - resting + Counter({Outcome.UNPARSED.value: sum(resting.values())})
    unparsed = run.items.filter(status=Item.Status.ANSWERED, outcome=Outcome.UNPARSED.value)
    seen = ItemReading.objects.filter(answer=OuterRef("pk")).filter(Q(reader=reader) | Q(corrected_by__isnull=False))
    return FallbackCounts(
        reader=reader,
        n_asked=sum(statuses.values()),
        n_read=statuses[ReadStatus.READ.value],
        n_waiting=unparsed.filter(~Exists(seen)).count(),
        outcomes=_in_order(resting),
        strict=_in_order(strict),
        with_fallback=_in_order(total),
    )


def resting_on_fallback(items: QuerySet[Item]) -> QuerySet[Item]:
    """Return the items whose current verdict rests on a fallback's reading.

    Such an item was read by a fallback and by nobody else: no person corrected it, and no reader of ours finds an
    answer in it.
    """
    readings = ItemReading.objects.filter(answer=OuterRef("pk"))
    by_fallback = readings.filter(reader__startswith=READER_PREFIX, status=ReadStatus.READ.value, corrected_by=None)
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


def _in_order(counts: Counter[str]) -> dict[str, int]:
    return {outcome.value: counts[outcome.value] for outcome in Outcome if counts[outcome.value]}
