"""What stands beside the text of a reply. Servers get it wrong; a wrong value is left out and never costs the text."""

from collections.abc import Mapping
from typing import Any

_MOST_DIGITS = 18


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
