"""Errors that come with a 200: routers send them in place of a reply, beside an empty one or behind a part of one."""

from collections.abc import Mapping
from typing import Any

from evaluations.providers.base import Ask, ProviderError, RetryLaterError
from evaluations.providers.http_errors import HttpFailure, error_of
from evaluations.providers.metadata import field_of

# What interfaces without a word of their own for it say of a reply that an error ended.
ENDED_BY_ERROR = "error"
_FIELDS = ("code", "type", "param", "message", "detail")
_RATE_LIMIT_CODES = frozenset({"rate_limit_exceeded", "rate_limit_error"})


def error_inside(
    *places: Any, ask: Ask, key: str, limits: tuple[str, ...] = (), has_text: bool = False
) -> ProviderError | None:
    """Return the error that the first of `places`, parts of an answer, states as its `error`; None where none does.

    One that is to be tried again is `broken_off` with `has_text`, where a part of the reply came: that may be paid.
    """
    stated = (found for place in places if (found := _details(field_of(place, "error"))))
    details = next(stated, None)
    if details is None:
        return None
    error = error_of(HttpFailure(_status(details), {}, details, limits, ask), key)
    return broken_off_error(error.message) if has_text and isinstance(error, RetryLaterError) else error


def broken_off_error(message: str = "The endpoint ended its reply with an error.") -> RetryLaterError:
    """Return the error for a reply that broke off, of which nobody knows whether it was paid."""
    return RetryLaterError("broken_off", message)


def _details(stated: Any) -> Mapping[str, Any]:
    """Return what an error says, none of it empty; some servers send an empty one with every reply."""
    if isinstance(stated, str):
        return {"message": stated} if stated.strip() else {}
    return {name: value for name in _FIELDS if (value := field_of(stated, name))}


def _status(details: Mapping[str, Any]) -> int:
    """Return the status the error would have had, 500 where it does not say."""
    code = str(details.get("code"))
    if code.isdecimal() and len(code) == 3 and 400 <= int(code) < 600:
        return int(code)
    return 429 if {code, str(details.get("type"))} & _RATE_LIMIT_CODES else 500
