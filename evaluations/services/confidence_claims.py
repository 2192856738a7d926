"""Which answers of a run are still to be asked about: how sure its system is."""

from evaluations.models import Run
from evaluations.selectors.confidence import askable_items
from evaluations.services.apart_rows import CONFIDENCE, ask_failed_again, has_replies, open_items, seconds_until_due


def confidence_is_open(*, run: Run) -> bool:
    """Say whether the question is still to be asked of a run, or being asked; what failed makes no run wait."""
    return run.asks_confidence and open_items(apart=CONFIDENCE, items=askable_items(run)).exists()


def confidence_can_be_claimed(*, run: Run) -> bool:
    """Say whether a worker that looks now finds something to ask about a run's answers."""
    if not run.asks_confidence:
        return False
    is_first = not has_replies(apart=CONFIDENCE, run=run)
    return seconds_until_due(apart=CONFIDENCE, items=askable_items(run), only_first=is_first) == 0


def ask_confidence_again(*, run: Run) -> int:
    """Let the question be asked again where it failed; return of how many answers."""
    return ask_failed_again(apart=CONFIDENCE, items=askable_items(run)) if run.asks_confidence else 0
