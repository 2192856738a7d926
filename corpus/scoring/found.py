"""What a protocol finds: the answer it read, or why not, and where."""

from collections.abc import Callable
from dataclasses import dataclass

from corpus.scoring.contents import Content
from corpus.scoring.tags import Located
from corpus.scoring.types import Asked, Unread


@dataclass(frozen=True, slots=True)
class Found:
    """What was found: the content read or why not, where, in which form, and whether it was written to its end.

    `is_attempt` is true where the reply tried to answer (a letter that no option has), so that it is no refusal.
    """

    content: Content | Unread
    form: str = ""
    span: tuple[int, int] | None = None
    is_complete: bool = False
    is_attempt: bool = False
    notes: tuple[str, ...] = ()


ReadProtocol = Callable[[str, Asked, bool], Found | None]


def found_at(text: str, located: Located, content: Content | Unread, *notes: str) -> Found:
    """Return what was read at `located`, the span without blanks at its edges."""
    inner = text[located.start : located.end]
    start = located.start + len(inner) - len(inner.lstrip())
    span = (start, max(start, located.start + len(inner.rstrip())))
    is_attempt = isinstance(content, Unread) and content.note != ""
    return Found(content, located.form, span, located.is_complete, is_attempt, notes)
