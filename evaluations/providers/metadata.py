"""What stands beside the text of a reply. Servers get it wrong; a wrong value is left out and never costs the text."""

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any

_MOST_DIGITS = 18
# A reply's first tokens tell how sure a model is of it; a reply of ten thousand would weigh more than all else stored.
MOST_LOG_PROBABILITIES = 1000
_TOKEN_LENGTH = 100
_TYPES_OF_TEXT = frozenset({None, "text", "output_text"})


def field_of(source: Any, name: str) -> Any:
    """Return a field of an SDK's object or of a mapping, None where there is none."""
    return source.get(name) if isinstance(source, Mapping) else getattr(source, name, None)


def count_of(source: Any, name: str) -> int | None:
    """Return a count, also where it came as text or as a float; None for everything else."""
    value = field_of(source, name)
    if isinstance(value, str) and value.isdecimal() and len(value) <= _MOST_DIGITS:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def words_of(source: Any, name: str) -> str:
    """Return a text, "" where there is none or something else."""
    value = field_of(source, name)
    return value if isinstance(value, str) else ""


def list_of(source: Any, name: str) -> list[Any]:
    """Return a list, [] where there is none or something else."""
    value = field_of(source, name)
    return value if isinstance(value, list) else []


def text_of(content: Any) -> str:
    """Return a message's text, which came whole or in parts: an SDK's objects, mappings or texts; "" for None.

    Parts of another type than text add nothing. Raise TypeError for what is none of these.
    """
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(_part_text(part) for part in (content if isinstance(content, list) else [content]))


def log_probabilities_of(entries: Any) -> list[tuple[str, float | None]] | None:
    """Return a list's tokens with their log-probabilities, the first `MOST_LOG_PROBABILITIES`; None for no such list.

    A log-probability that is no finite number is None: some servers send minus infinity.
    """
    if not isinstance(entries, list):
        return None
    found = [(_token_of(entry), _finite(field_of(entry, "logprob"))) for entry in entries[:MOST_LOG_PROBABILITIES]]
    return [(token, value) for token, value in found if token is not None] or None


def trace_of(steps: Any) -> str:
    """Return the JSON of what a reply says of tools, a list of an SDK's objects or of mappings; "" for nothing."""
    if not isinstance(steps, list) or not steps:
        return ""
    try:
        return json.dumps([_plain(step) for step in steps], ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return ""


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping) and not hasattr(part, "model_dump"):
        raise TypeError("no part of a message")
    return words_of(part, "text") if field_of(part, "type") in _TYPES_OF_TEXT else ""


def _plain(step: Any) -> Any:
    return step.model_dump(mode="json", exclude_none=True, warnings=False) if hasattr(step, "model_dump") else step


def _token_of(entry: Any) -> str | None:
    token = field_of(entry, "token")
    return token[:_TOKEN_LENGTH] if isinstance(token, str) else None


def _finite(value: Any) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if isfinite(number) else None
