"""The one text of some data, and its hash: what anyone can work out again from a file. Pure."""

import hashlib
import json
from typing import Any


def canonical(content: Any) -> str:
    """Return the one text of some JSON content: keys in order, no spaces, ASCII, no NaN."""
    return json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)


def digest(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()
