"""Strict reading of a JSON file: what a database or another parser would choke on is refused with its place."""

import json
import re
from collections.abc import Iterator
from math import isinf
from typing import Any, NoReturn

from corpus.importers.types import RefusedError

JSON_INVALID = "json-invalid"
ENCODING = "encoding"
NUL_CHARACTER = "nul-character"
FIELD_REPEATED = "field-repeated"
DEEPEST = 100
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_EXPONENT = re.compile("[eE].*")
_TOO_DEEP = f"The JSON is nested deeper than this site can read. Use at most {DEEPEST} levels of brackets."


def text_of(content: bytes) -> str:
    """Return the bytes as text, untouched. Raise RefusedError when they are not UTF-8."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RefusedError(ENCODING, f"The file is not UTF-8 (byte {error.start + 1}). Save it as UTF-8.") from None


def parsed_json(text: str) -> Any:
    """Return the value of a JSON text; raise RefusedError with line and column when it is not one.

    Beyond the standard: repeated fields, NaN and Infinity, numbers and characters a database cannot hold, and nesting
    of more than `DEEPEST` levels are refused.
    """
    try:
        value = json.loads(
            text.removeprefix("\ufeff"),
            object_pairs_hook=_object_without_repeats,
            parse_constant=_no_constant,
            parse_float=_number_in_range,
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise RefusedError(JSON_INVALID, f"Not valid JSON at {place}: {_cause(error)}.") from None
    except RefusedError:
        raise
    except RecursionError:
        raise RefusedError(JSON_INVALID, _TOO_DEEP) from None
    except ValueError:
        raise RefusedError(JSON_INVALID, "A number has more digits than this site can read. Shorten it.") from None
    _refuse_unstorable(value)
    return value


def storable(text: str) -> str:
    """Return the text with every character a database cannot hold written as its escape."""
    return _UNSTORABLE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def _cause(error: json.JSONDecodeError) -> str:
    """Say what is wrong in words an author can act on."""
    if error.msg.startswith("Invalid control character"):
        return r"a raw line break, tab or control character inside a text (write \n or \t)"
    before = error.doc[: error.pos].rstrip()
    if before.endswith(",") and error.doc[error.pos : error.pos + 1] in ("]", "}"):
        return "a comma before a closing bracket (remove it)"
    return error.msg[:1].lower() + error.msg[1:]


def _object_without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, value in pairs:
        if name in result:
            raise RefusedError(
                FIELD_REPEATED, f'"{storable(name):.80}" is given twice in one object. Keep one of them.'
            )
        result[name] = value
    return result


def _no_constant(name: str) -> NoReturn:
    raise RefusedError(JSON_INVALID, f"{name} is not a JSON value. Leave the field out or give a number.")


def _number_in_range(text: str) -> float:
    """Return a number with a point or an exponent; refuse one a float would make infinite or, wrongly, zero."""
    value = float(text)
    if isinf(value):
        raise RefusedError(JSON_INVALID, f"The number {text:.40} is too large. Write it as text or leave it out.")
    if not value and _EXPONENT.sub("", text).strip("-0."):
        raise RefusedError(
            JSON_INVALID, f"The number {text:.40} is too close to zero. Write it as text or leave it out."
        )
    return value


def _refuse_unstorable(value: Any) -> None:
    for place, text in _texts(value, "", DEEPEST):
        found = _UNSTORABLE.search(text)
        if found:
            code = f"U+{ord(found.group()):04X}"
            raise RefusedError(
                NUL_CHARACTER, f"{place[:120] or 'The file'} holds the character {code}, which cannot be stored."
            )


def _texts(value: Any, place: str, levels: int) -> Iterator[tuple[str, str]]:
    """Give every text of a JSON value with its place, names of fields included; refuse more than `levels` of them."""
    if isinstance(value, dict | list) and not levels:
        raise RefusedError(JSON_INVALID, _TOO_DEEP)
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield f"a field name in {place or 'the question'}", name
            yield from _texts(inner, f"{place}.{name}".lstrip("."), levels - 1)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _texts(inner, f"{place}[{index}]", levels - 1)
