"""Strict reading of a JSON file: what a database or another parser would choke on is refused with its place."""

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from corpus.importers.types import RefusedError

JSON_INVALID = "json-invalid"
ENCODING = "encoding"
NUL_CHARACTER = "nul-character"
FIELD_REPEATED = "field-repeated"
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def text_of(content: bytes) -> str:
    """Return the bytes as text, untouched. Raise RefusedError when they are not UTF-8."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RefusedError(ENCODING, f"The file is not UTF-8 (byte {error.start + 1}). Save it as UTF-8.") from None


def parsed_json(text: str) -> Any:
    """Return the value of a JSON text; raise RefusedError with line and column when it is not one.

    Beyond the standard: repeated fields, NaN and Infinity, and characters a database cannot hold are refused.
    """
    try:
        value = json.loads(
            text.removeprefix("\ufeff"), object_pairs_hook=_object_without_repeats, parse_constant=_no_constant
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise RefusedError(JSON_INVALID, f"Not valid JSON at {place}: {_cause(error)}.") from None
    except RefusedError:
        raise
    except (ValueError, RecursionError) as error:
        raise RefusedError(JSON_INVALID, f"Not a JSON file this site can read: {error}.") from None
    _refuse_unstorable(value)
    return value


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
            raise RefusedError(FIELD_REPEATED, f'"{name}" is given twice in one object. Keep one of them.')
        result[name] = value
    return result


def _no_constant(name: str) -> NoReturn:
    raise RefusedError(JSON_INVALID, f"{name} is not a JSON value. Leave the field out or give a number.")


def _refuse_unstorable(value: Any) -> None:
    for place, text in _texts(value, ""):
        found = _UNSTORABLE.search(text)
        if found:
            code = f"U+{ord(found.group()):04X}"
            raise RefusedError(
                NUL_CHARACTER, f"{place or 'The file'} holds the character {code}, which cannot be stored."
            )


def _texts(value: Any, place: str) -> Iterator[tuple[str, str]]:
    """Give every text of a JSON value with its place, names of fields included."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield f"a field name in {place or 'the question'}", name
            yield from _texts(inner, f"{place}.{name}".lstrip("."))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _texts(inner, f"{place}[{index}]")
