"""What a protocol finds: the answer it read, or why not, and where."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from corpus.scoring.contents import Content
from corpus.scoring.lists import ALTERNATIVES
from corpus.scoring.tags import Located, are_alternatives
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


def united(text: str, group: Sequence[Located], found: Sequence[Found], asked: Asked) -> Found:
    """Return what places joined by commas and `and` state together: all their options, or their one number.

    Different options joined by `or` are none, but for a last place that holds all the others do.
    """
    contents = [each.content for each in found if isinstance(each.content, Content)]
    if len(found) == 1:
        return found[0]
    if len(contents) < len(found):
        return next(each for each in found if isinstance(each.content, Unread))
    if len({content.number for content in contents}) > 1:
        several = Unread("Several numbers side by side.", "several-numbers")
        return replace(found[-1], content=several, is_attempt=True)
    if len({content.option_keys for content in contents}) > 1 and are_alternatives(text, group):
        if all(set(content.option_keys) <= set(contents[-1].option_keys) for content in contents):
            return found[-1]
        return replace(found[-1], content=Unread("Alternatives, not one choice.", ALTERNATIVES), is_attempt=True)
    keys = {key for content in contents for key in content.option_keys}
    together = replace(contents[-1], option_keys=tuple(option.key for option in asked.shown if option.key in keys))
    return found_at(text, group[-1]._replace(start=group[0].start), together)
