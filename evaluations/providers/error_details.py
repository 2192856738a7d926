"""What an error says of itself, however an endpoint wraps it: an object, a text, a list of them, one in another."""

from collections.abc import Mapping
from typing import Any

from evaluations.providers.metadata import field_of, words_of

_WRAPPERS = ("error", "errors")
_FIELDS = ("code", "type", "status", "param", "message", "detail", "innererror")
_DEEPEST = 4
_WITHOUT_WORDS = "an error that it says nothing of"


def details_of(stated: Any, *, is_body: bool = False, deepest: int = _DEEPEST) -> Mapping[str, Any]:
    """Return the fields of an error, none of them empty; {} where it says nothing, as with every reply of some servers.

    Of a list the first that says something counts. An error within an error only adds what that does not say itself;
    what stands around the error in a body (`is_body`) says less than the error.
    """
    first = _first(stated)
    if isinstance(first, str):
        return {"message": first.strip()} if first.strip() else {}
    if isinstance(first, int | float):
        return {"code": first} if first and first is not True else {}
    around = _fields(first)
    inner = next((value for name in _WRAPPERS if (value := _first(field_of(first, name)))), None)
    if isinstance(inner, str) and "message" in around:
        return {"code": inner.strip(), **around}
    within = details_of(inner, deepest=deepest - 1) if deepest else {}
    return {**around, **within} if is_body else {**within, **around}


def error_stated_in(part: Any) -> Mapping[str, Any]:
    """Return the fields of the error that a part of an answer states; {} where it states none."""
    place = _first(part)
    for name in _WRAPPERS:
        stated = field_of(place, name)
        if details := details_of(stated):
            return details
        if stated is True:
            return _fields(place) or {"message": _WITHOUT_WORDS}
    is_error = "error" in (words_of(place, "object"), words_of(place, "type"))
    return _fields(place) if is_error else {}


def _fields(source: Any) -> Mapping[str, Any]:
    return {name: value for name in _FIELDS if (value := field_of(source, name))}


def _first(value: Any) -> Any:
    """Return the first of a list that is not empty, or what is no list as it is."""
    return next(filter(None, value), None) if isinstance(value, list) else value
