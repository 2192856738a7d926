"""Lower case without moving a character, so that positions in the folded text are those of the text."""

from collections.abc import Iterable

# The one letter whose lower case is two characters long.
_DOTTED_CAPITAL_I = "\u0130"


def lowered(text: str) -> str:
    """Return `text` in lower case, as long as `text`."""
    return text.replace(_DOTTED_CAPITAL_I, "I").lower()


def holds_any(folded: str, words: Iterable[str]) -> bool:
    """Tell whether any of `words` occurs in `folded`. A plain loop: this runs several times for every reply."""
    for word in words:  # noqa: SIM110
        if word in folded:
            return True
    return False
