"""What an error says of itself, however an endpoint wraps it: an object, a text, a list of them, one in another."""

import re
from collections.abc import Mapping
from typing import Any

from evaluations.providers.metadata import field_of, words_of

_WRAPPERS = ("error", "errors")
_FIELDS = ("code", "type", "status", "param", "message", "detail", "innererror")
_DEEPEST = 4
_FAILED = frozenset({"error", "fail", "failed", "failure"})
# What some servers fill an error's fields with that all went well.
_WENT_WELL = re.compile(r"(?i)\s*(?:0|200|ok(?:ay)?|success(?:ful(?:ly)?)?|succeeded|none|null|no error)[\s.!]*")
_WITHOUT_WORDS = "an error that it says nothing of"


def details_of(stated: Any, *, is_body: bool = False, deepest: int = _DEEPEST) -> Mapping[str, Any]:
    """Return the fields of an error, none of them empty or a success; {} where it says nothing, as with every reply of
    some servers.

    Of a list the first that says something counts. An error within an error only adds what that does not say itself;
    what stands around the error in a body (`is_body`) says less than the error.
    """
    first = _first(stated)
    if isinstance(first, str):
        return {"message": first.strip()} if _says_something(first) else {}
    if isinstance(first, int | float):
        return {"code": first} if _says_something(first) and first is not True else {}
    around = _fields(first)
    inner = next((value for name in _WRAPPERS if (value := _first(field_of(first, name)))), None)
    if isinstance(inner, str) and "message" in around:
        return {"code": inner.strip(), **around}
    within = details_of(inner, deepest=deepest - 1) if deepest else {}
    return {**around, **within} if is_body else {**within, **around}


def error_stated_in(part: Any, *, is_blank: bool = False, is_missing: bool = False) -> Mapping[str, Any]:
    """Return the fields of the error that a part of an answer states; {} where it states none.

    Beside a blank text (`is_blank`) a code is one, unless it says that all went well. Where nothing stands in the
    answer's place (`is_missing`), words of why are one as well.
    """
    place = _first(part)
    for name in _WRAPPERS:
        stated = field_of(place, name)
        if details := details_of(stated):
            return details
        if stated is True:
            return _fields(place) or {"message": _WITHOUT_WORDS}
    fields = _fields(place)
    if _says_failed(place):
        return fields or {"message": _WITHOUT_WORDS}
    says_why = is_missing and any(isinstance(fields.get(name), str) for name in ("message", "detail"))
    return fields if says_why or (is_blank and "code" in fields) else {}


def _says_failed(place: Any) -> bool:
    words = {words_of(place, name).lower() for name in ("object", "type", "status")}
    return bool(words & _FAILED) or field_of(place, "success") is False


def _fields(source: Any) -> Mapping[str, Any]:
    return {name: value for name in _FIELDS if _says_something(value := field_of(source, name))}


def _says_something(value: Any) -> bool:
    return bool(value) and not (isinstance(value, str | int) and _WENT_WELL.fullmatch(str(value)))


def _first(value: Any) -> Any:
    """Return the first of a list that is not empty, or what is no list as it is."""
    return next(filter(None, value), None) if isinstance(value, list) else value
