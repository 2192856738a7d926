"""Take keys out of messages before anyone stores, logs or shows them."""

import base64
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote, unquote

REMOVED = "[key removed]"
# A key shorter than this is a placeholder such as "none", which is no secret and may be a word of the message.
_SHORTEST_KEY = 6
# What providers echo of a key: whole, or its beginning and end with stars between.
_KEY_LIKE = re.compile(
    r"(?i)\b(?:sk|gsk|pk|rk|xai|hf|api|key)[-_][A-Za-z0-9*._-]{8,}|\bbearer\s+[A-Za-z0-9*._~+/=-]{6,}"
)


# Narrower, for what a maintainer enters: no word of an address or a parameter may be taken for a key.
_ENTERED_KEY = re.compile(
    r"(?i)\b(?:sk|gsk|pk|rk)[-_][A-Za-z0-9._-]{6,}|\b(?:hf_|xai-)[A-Za-z0-9]{16,}|\bbearer\s+\S{4,}"
)


def looks_like_key(text: str) -> bool:
    """Say whether a text that somebody entered, percent-encoded or not, holds something shaped like a key."""
    return bool(_ENTERED_KEY.search(text) or _ENTERED_KEY.search(unquote(text)))


def redact(text: str, keys: Iterable[str] = ()) -> str:
    """Return `text` without the given keys (plain, percent-encoded, in base64) and without anything shaped like one."""
    for key in keys:
        if len(key) >= _SHORTEST_KEY:
            text = text.replace(key, REMOVED).replace(quote(key, safe=""), REMOVED)
            for part in _base64_parts(key.encode()):
                text = text.replace(part, REMOVED)
    return _KEY_LIKE.sub(REMOVED, text)


def _base64_parts(key: bytes) -> Iterator[str]:
    """Give what stands for `key` in any base64 text: as a whole, and, beside other bytes, as far as it is fixed."""
    for encode in (base64.standard_b64encode, base64.urlsafe_b64encode):
        yield encode(key).decode()
        for n_before in range(3):
            # Four characters stand for three bytes; those that also hold bits of a neighbour are not fixed.
            fixed = slice(-(-8 * n_before // 6), 8 * (n_before + len(key)) // 6)
            yield encode(bytes(n_before) + key).decode()[fixed]
