"""Take keys out of messages before anyone stores, logs or shows them."""

import re
from collections.abc import Iterable
from urllib.parse import quote

REMOVED = "[key removed]"
# A key shorter than this is a placeholder such as "none", which is no secret and may be a word of the message.
_SHORTEST_KEY = 6
# What providers echo of a key: whole, or its beginning and end with stars between.
_KEY_LIKE = re.compile(
    r"(?i)\b(?:sk|gsk|pk|rk|xai|hf|api|key)[-_][A-Za-z0-9*._-]{8,}|\bbearer\s+[A-Za-z0-9*._~+/=-]{6,}"
)


def redact(text: str, keys: Iterable[str] = ()) -> str:
    """Return `text` without the given keys (also percent-encoded) and without anything shaped like a key."""
    for key in keys:
        if len(key) >= _SHORTEST_KEY:
            text = text.replace(key, REMOVED).replace(quote(key, safe=""), REMOVED)
    return _KEY_LIKE.sub(REMOVED, text)
