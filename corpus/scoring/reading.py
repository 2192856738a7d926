"""Read an answer: the same reader for a model's reply, a person's typed number and a person's ticked options."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from corpus.scoring.contents import Content, read_amount
from corpus.scoring.finding import find_answer
from corpus.scoring.found import Found
from corpus.scoring.statuses import is_broken_off, is_given_up, is_hedged, is_refusal
from corpus.scoring.types import Asked, Kind, Reading, ReadStatus
from corpus.scoring.visible import Visible, visible_text, with_line_breaks, without_struck

READER = "standard@1"
HEDGED = "hedged"
_REFUSING_REASONS = frozenset({"content_filter", "refusal"})
LONGEST_NOT_KNOWN = 40
_DO_NOT_KNOW = frozenset({"i do not know", "i don't know", "i dont know", "do not know", "don't know", "dont know"})


class UnknownReaderError(LookupError):
    """No reader of that name and version exists."""


def reader_names() -> tuple[str, ...]:
    """Return every reader as `name@version`."""
    return tuple(_READERS)


def read_answer(*, text: str, asked: Asked, finish_reason: str = "", reader: str = READER) -> Reading:
    """Read a model's reply to what it was asked.

    `finish_reason` is ours, normalised: "stop", "length", "content_filter", "refusal" or "" for unknown. The reader
    never guesses: a reply that does not state one answer plainly is not read. Raise `UnknownReaderError` for a
    reader that does not exist.
    """
    read = _READERS.get(reader)
    if read is None:
        raise UnknownReaderError(f"There is no reader {reader!r}. Registered: {', '.join(_READERS)}.")
    return read(text, asked, finish_reason)


def _read_standard(text: str, asked: Asked, finish_reason: str) -> Reading:
    visible = visible_text(text, asked.prompt, asked.said_first)
    if finish_reason in {"", "stop"} and _is_not_known(visible.text) and not _offers_not_known(asked):
        return Reading(ReadStatus.DO_NOT_KNOW, reader=READER, reason="The whole reply says that it is not known.")
    body = visible.text.lstrip(" ")
    body = body if asked.kind is Kind.TEXT else with_line_breaks(without_struck(body))
    is_endless = asked.kind is Kind.NUMBER and _is_endless(body)
    is_cut = finish_reason == "length" or visible.is_cut_in_thinking or is_endless
    found = find_answer(body, asked, is_cut=is_cut)
    found = _moved(found, len(visible.text) - len(body))
    if isinstance(found.content, Content):
        return _as_reading(found, found.content, visible.text, asked)
    if is_endless and not found.is_complete and finish_reason not in _REFUSING_REASONS:
        reason = "The reply ends in one digit over and over: its number was never finished."
        return Reading(ReadStatus.TRUNCATED, span=found.span, reader=READER, reason=reason)
    named = _status_without_answer(text, visible, found, finish_reason)
    status, reason = named or (ReadStatus.UNPARSED, found.content.reason)
    notes = (found.content.note,) if found.content.note and status is ReadStatus.UNPARSED else ()
    return Reading(status, span=found.span, notes=notes, reader=READER, reason=reason)


def _is_not_known(text: str) -> bool:
    """Say whether a text, as a whole, is "I do not know"."""
    said = text.strip()
    return len(said) <= LONGEST_NOT_KNOWN and said.strip(".!").replace("’", "'").casefold() in _DO_NOT_KNOW


def _offers_not_known(asked: Asked) -> bool:
    return any(_is_not_known(option.text) for option in asked.shown)


ENDLESS_DIGITS = 50


def _is_endless(text: str) -> bool:
    """Tell whether a text ends in a numeral that never ended: one digit, `ENDLESS_DIGITS` times or more."""
    return text[-1:].isdecimal() and text.endswith(text[-1] * ENDLESS_DIGITS)


def _moved(found: Found, offset: int) -> Found:
    """Return what was found with its span counted from the start of the raw text, not from behind an echo."""
    if not offset or found.span is None:
        return found
    return replace(found, span=(found.span[0] + offset, found.span[1] + offset))


def _as_reading(found: Found, content: Content, visible: str, asked: Asked) -> Reading:
    notes = (*found.notes, *content.notes)
    if is_hedged(visible):
        notes = (*notes, HEDGED)
    return Reading(
        ReadStatus.READ,
        option_keys=content.option_keys,
        number=content.number,
        unit=content.unit,
        span=found.span,
        notes=notes,
        reader=READER,
        reason=f"Read from the {found.form}.",
        text=visible[slice(*found.span)] if asked.kind is Kind.TEXT and found.span else "",
    )


def _status_without_answer(
    text: str, visible: Visible, found: Found, finish_reason: str
) -> tuple[ReadStatus, str] | None:
    """Say what a reply without a readable answer is; None where it is no more than unread."""
    if finish_reason in _REFUSING_REASONS:
        return ReadStatus.REFUSED, f"The provider ended the reply with {finish_reason}."
    if visible.is_cut_in_thinking:
        return ReadStatus.TRUNCATED, "A thinking block was never closed."
    if finish_reason == "length" and not found.is_complete:
        return ReadStatus.TRUNCATED, "The reply reached the token limit before its answer was complete."
    if not visible.text.strip():
        where = "The reply is empty." if not text.strip() else "There is nothing outside thinking and echoed prompt."
        return ReadStatus.EMPTY, where
    if is_given_up(visible.text):
        return ReadStatus.GAVE_UP, "The agent's own stop text."
    if not found.is_attempt and is_refusal(visible.text):
        return ReadStatus.REFUSED, "The reply declines to answer."
    if not (finish_reason or found.is_complete) and is_broken_off(text, visible.text):
        return ReadStatus.TRUNCATED, "The reply is long and breaks off; nothing says why it ended."
    return None


_READERS: dict[str, Callable[[str, Asked, str], Reading]] = {READER: _read_standard}


def read_typed_number(text: str, *, unit: str = "") -> Reading:
    """Read a number a person typed, in `unit` where the question asks for one.

    "I do not know" in so many words has its own status.
    """
    if not text.strip():
        return Reading(ReadStatus.EMPTY, reader=READER, reason="Nothing was typed.")
    if _is_not_known(text):
        return Reading(ReadStatus.DO_NOT_KNOW, reader=READER, reason="Typed as not known.")
    read = read_amount(text, Asked(Kind.NUMBER, unit=unit))
    if isinstance(read, Content):
        return _typed(text, read)
    notes = (read.note,) if read.note else ()
    return Reading(ReadStatus.UNPARSED, notes=notes, reader=READER, reason=read.reason)


def _typed(text: str, read: Content) -> Reading:
    start = len(text) - len(text.lstrip())
    span = (start, len(text.rstrip()))
    return Reading(
        ReadStatus.READ, number=read.number, unit=read.unit, span=span, notes=read.notes, reader=READER, reason="Typed."
    )


def read_chosen(keys: Sequence[str], asked: Asked) -> Reading:
    """Read the options a person ticked, by identity. A key that was not shown makes the answer unparsed."""
    shown = [option.key for option in asked.shown]
    unknown = set(keys).difference(shown)
    if unknown:
        return Reading(
            ReadStatus.UNPARSED, notes=("unknown-option",), reader=READER, reason="An option that was not shown."
        )
    if not keys:
        return Reading(ReadStatus.EMPTY, reader=READER, reason="No option was ticked.")
    chosen = tuple(key for key in shown if key in set(keys))
    return Reading(ReadStatus.READ, option_keys=chosen, reader=READER, reason="Ticked.")
