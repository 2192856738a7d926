"""What came of asking how sure a run's system is of its answers."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from evaluations.models import AskedApart, Item, ItemConfidence, Run


@dataclass(frozen=True, slots=True)
class ConfidenceCounts:
    """`levels` counts the answers of each level, 1 to 5; `n_unread` replies state none, `n_failed` could not be had.

    `why_failed` is the newest reason for that.

    `n_left` answered items are still to be asked about, or being asked.
    """

    levels: Mapping[int, int]
    n_unread: int
    n_failed: int
    n_left: int
    why_failed: str

    @property
    def n_replies(self) -> int:
        """How many replies are stored."""
        return sum(self.levels.values()) + self.n_unread


def askable_items(run: Run) -> QuerySet[Item]:
    """Return the answered items of a run; an empty reply holds no answer to be sure of."""
    return run.items.filter(status=Item.Status.ANSWERED, completion__regex=r"\S")


def confidence_counts(*, run: Run) -> ConfidenceCounts | None:
    """Return what a run's system said, from two queries, or three; None for a run that neither asks nor has any.

    Of an imported run nothing is left to ask.
    """
    rows = ItemConfidence.objects.filter(item__run=run).order_by().values_list("level", "error_code")
    levels: Counter[int] = Counter()
    n_unread = n_failed = 0
    for level, error_code, n in rows.annotate(n=Count("id")):
        if error_code:
            n_failed += n if error_code not in AskedApart.OPEN else 0
        elif level is None:
            n_unread += n
        else:
            levels[level] += n
    n_known = sum(levels.values()) + n_unread + n_failed
    if not run.asks_confidence and not n_known:
        return None
    n_left = max(0, askable_items(run).count() - n_known) if run.asks_confidence else 0
    failed = ItemConfidence.objects.filter(item__run=run).exclude(error_code__in=("", *AskedApart.OPEN))
    why = failed.order_by("-asked_at").values_list("error_message", flat=True).first() if n_failed else ""
    return ConfidenceCounts({level: levels[level] for level in range(1, 6)}, n_unread, n_failed, n_left, why or "")
