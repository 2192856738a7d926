"""Text from outside, made fit for every database."""

import re

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """Return text that every database takes, of the same length: no NUL, no half of a surrogate pair."""
    return _UNSTORABLE.sub(lambda found: "\N{SYMBOL FOR NULL}" if found[0] == "\x00" else "\ufffd", text)
