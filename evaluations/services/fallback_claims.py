"""Which replies of a run are still to be put to its fallback reader, and what is to be said while they are not read."""

from typing import Any

from evaluations.models import AskedApart, ItemFallback, Run
from evaluations.selectors.fallback import unread_items
from evaluations.services.apart_rows import (
    FALLBACK,
    ask_failed_again,
    has_replies,
    open_items,
    seconds_until_due,
)
from evaluations.services.fallback_frozen import FROZEN_KEY, fallback_reader_of

# Stand as the reason of a run whose fallback reader has not read everything: it will, or it could not.
WAITS = "fallback_waits"
UNREAD = "fallback_unread"


def fallback_is_open(*, run: Run) -> bool:
    """Say whether replies are still to be put to the run's fallback reader, or are being put; failed ones are not."""
    return bool(fallback_reader_of(run)) and open_items(apart=FALLBACK, items=unread_items(run)).exists()


def fallback_can_be_claimed(*, run: Run) -> bool:
    """Say whether a worker that looks now finds a reply to put to the run's fallback reader."""
    if not fallback_reader_of(run):
        return False
    is_first = not has_replies(apart=FALLBACK, run=run)
    return seconds_until_due(apart=FALLBACK, items=unread_items(run), only_first=is_first) == 0


def ask_fallback_again(*, run: Run) -> int:
    """Let replies be put to the fallback reader again where that failed; return how many."""
    return ask_failed_again(apart=FALLBACK, items=unread_items(run))


def fallback_reason(*, run: Run) -> dict[str, Any]:
    """Return the code and words that a run shows of its fallback reader; {} where nothing is to be said.

    Both are empty where the run shows what no longer holds.
    """
    if not fallback_reader_of(run):
        return {}
    unread = unread_items(run)
    n_open = open_items(apart=FALLBACK, items=unread).count()
    failed = ItemFallback.objects.filter(item__in=unread).exclude(error_code__in=("", *AskedApart.OPEN))
    system = run.frozen.get(FROZEN_KEY, {}).get("system")
    if n_open:
        waiting = ItemFallback.objects.filter(item__in=unread, error_code=AskedApart.WAITS, tries__gt=0).first()
        words = f"{n_open} replies still wait for the fallback reader {system}; it is asked by itself."
        return _reason(WAITS, f"{words} {waiting.error_message if waiting else ''}".strip())
    if first := failed.first():
        words = f"{failed.count()} replies could not be put to the fallback reader {system} and stay unparsed: "
        again = f"Ask again: manage.py fallback_reader --run {run.pk}"
        return _reason(UNREAD, f"{words}{first.error_message[:200]} {again}")
    return _reason("", "") if run.error_code in {WAITS, UNREAD} else {}


def _reason(code: str, words: str) -> dict[str, Any]:
    return {"error_code": code, "error_message": words}
