"""Read the answer of a reply that is one JSON object: `{"reasoning": "...", "answer": "C"}`."""

import json
import re
from contextlib import suppress

from corpus.scoring.types import Unread

MAX_LENGTH = 4_000
SEVERAL = "several-members"
_OBJECT = re.compile(r"(?:```(?:json)?\s*)?(?P<object>\{\s*\".*\})(?:\s*```)?", re.IGNORECASE | re.DOTALL)
_START = re.compile(r"\{\s{0,20}\"")
_DECODER = json.JSONDecoder()
_NUMBER = re.compile(r"\s*[-+−]?[0-9.,]{1,40}(?:[eE][-+]?[0-9]{1,4})?\s*")
_UNIT_NAME = re.compile(
    r"(?:(?:final|the|answer|result)[ _-]?)*units?(?:[ _-](?:of|for)[ _-](?:the[ _-])?answer)?", re.IGNORECASE
)
_ANSWER = re.compile(r"(?:(?:final|the|my|correct)[ _-]?)*answers?", re.IGNORECASE)


MAX_STARTS = 16


def start_of_last_object(text: str) -> int:
    """Return where the JSON object begins with which `text` ends, or the end of `text` where it ends with none."""
    body = text.rstrip()
    if not body.endswith("}"):
        return len(text)
    window = max(len(body) - MAX_LENGTH, 0)
    starts = [match.start() for match in _START.finditer(body, window)]
    for start in starts[-MAX_STARTS:]:
        with suppress(ValueError, RecursionError):
            if _DECODER.raw_decode(body, start)[1] == len(body):
                return start
    return len(text)


def answer_of_object(text: str) -> str | Unread | None:
    """Return what the only member called `answer` says, as written, a list with commas; None for any other text.

    An object of several members none or two of which are called so cannot be read: any of them may be meant.
    """
    match = _OBJECT.fullmatch(text) if len(text) <= MAX_LENGTH else None
    if match is None:
        return None
    try:
        members = json.loads(match["object"], object_pairs_hook=list, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        return None
    answers = [value for name, value in members if _ANSWER.fullmatch(name.strip())]
    if len(answers) == 1 and isinstance(answers[0], list) and (amount := _amount_of(answers[0])):
        return amount
    if not answers and (amount := _amount_of(members)):
        return amount
    if len(answers) == 1:
        written = _written(answers[0])
        return written and written + _unit_of(members, written)
    return None if len(members) < 2 else Unread("Which member of this object is the answer is not said.", SEVERAL)


def _amount_of(members: list[object]) -> str:
    """Return the number and the unit of an object that holds nothing else, "" for any other."""
    pairs = [member for member in members if isinstance(member, tuple)]
    numbers = [value for name, value in pairs if not _UNIT_NAME.fullmatch(name.strip())]
    if len(members) != 2 or len(pairs) != 2 or len(numbers) != 1 or not isinstance(numbers[0], str):
        return ""
    unit = _unit_of(pairs, numbers[0])
    return unit and numbers[0] + unit


def _unit_of(members: list[tuple[str, object]], written: str) -> str:
    """Return the unit that stands in a member of its own, for an answer that is nothing but a number."""
    units = [value for name, value in members if _UNIT_NAME.fullmatch(name.strip())]
    is_stated = len(units) == 1 and isinstance(units[0], str) and _NUMBER.fullmatch(written) is not None
    return f" {units[0]}" if is_stated else ""


def _written(value: object) -> str | None:
    parts = value if isinstance(value, list) else [value]
    texts = [part for part in parts if isinstance(part, str)]
    return ", ".join(texts) if len(texts) == len(parts) else None
