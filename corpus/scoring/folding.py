"""Lower case without moving a character, so that positions in the folded text are those of the text."""

# The one letter whose lower case is two characters long.
_DOTTED_CAPITAL_I = "\u0130"


def lowered(text: str) -> str:
    """Return `text` in lower case, as long as `text`."""
    return text.replace(_DOTTED_CAPITAL_I, "I").lower()
