"""How often a run may ask each of its questions."""

from evaluations.errors import CannotBeAskedError

MOST_REPEATS = 100


def check_repeats(repeats: int) -> None:
    """Raise CannotBeAskedError for a number of repeats that no run may have."""
    if not 1 <= repeats <= MOST_REPEATS:
        raise CannotBeAskedError(f"Ask each question from 1 to {MOST_REPEATS} times, not {repeats}.")
