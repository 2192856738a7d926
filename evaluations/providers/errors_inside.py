"""Errors that come with a 200: in place of a reply, beside a whole or an empty one, or behind a part of one."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from evaluations.providers.base import Ask, ProviderError, Reply, RetryLaterError
from evaluations.providers.error_details import error_stated_in
from evaluations.providers.http_errors import HttpFailure, error_of, malformed_error

# What interfaces without a word of their own for it say of a reply that an error ended.
ENDED_BY_ERROR = "error"
# What vendors say of a reply that did not come to its end.
_BROKEN_OFF = frozenset({ENDED_BY_ERROR, "abort", "aborted", "cancelled", "canceled", "insufficient_system_resource"})
_RATE_LIMIT_CODES = frozenset({"rate_limit_exceeded", "rate_limit_error"})


@contextmanager
def accepted(taken: Reply, *, lacks: str) -> Iterator[Reply]:
    """Give what a call took that was answered with a 200; an error raised within carries it.

    What is not shaped as the interface promises is the error for an answer that `lacks` something.
    """
    try:
        try:
            yield taken
        except (AttributeError, IndexError, KeyError, TypeError):
            raise malformed_error(lacks) from None
    except ProviderError as error:
        error.taken = taken
        raise


def error_or_note(
    *parts: Any, ask: Ask, key: str, limits: tuple[str, ...] = (), text: str = "", is_whole: bool = False
) -> str:
    """Raise the error that the first of `parts`, of an answer with this text, states; return "" where none does.

    Beside a text that is whole it is returned as a sentence instead: the answer is there. One that is to be tried
    again is `broken_off` behind a text that is not, for that may be paid.
    """
    details = next((found for part in parts if (found := error_stated_in(part))), None)
    if details is None:
        return ""
    error = error_of(HttpFailure(_status(details), {}, details, limits, ask), key)
    if not text.strip():
        raise error
    if is_whole:
        return f"Beside this answer the endpoint stated an error: {error.message}"
    raise broken_off_error(error.message) if isinstance(error, RetryLaterError) else error


def is_ended_by_error(finish: str) -> bool:
    """Say whether a vendor's word for why a reply ended says that it did not come to its end."""
    return finish.lower() in _BROKEN_OFF


def broken_off_error(message: str = "The endpoint ended its reply with an error.") -> RetryLaterError:
    """Return the error for a reply that broke off, of which nobody knows whether it was paid."""
    return RetryLaterError("broken_off", message)


def _status(details: Mapping[str, Any]) -> int:
    """Return the status the error would have had, 500 where it does not say."""
    for stated in (str(details.get("code")), str(details.get("status"))):
        if stated.isdecimal() and len(stated) == 3 and 400 <= int(stated) < 600:
            return int(stated)
    return 429 if {str(details.get("code")), str(details.get("type"))} & _RATE_LIMIT_CODES else 500
