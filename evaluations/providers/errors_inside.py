"""Errors that come with a 200: in place of a reply, beside a whole or an empty one, or behind a part of one."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from evaluations.providers.base import Ask, ProviderError, Reply, RetryLaterError
from evaluations.providers.error_details import error_stated_in
from evaluations.providers.http_errors import HttpFailure, error_of, malformed_error

# What vendors say of a reply that did not come to its end, each in words of its own.
_BROKEN_OFF = re.compile(r"(?i)error|fail|abort|cancell?ed|time[ _-]?(?:d[ _-]?)?out|insufficient_system_resource")
# The status that comes with an error of this code or type where it does not come with a 200.
_STATUS_OF = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "invalid_api_key": 401,
    "InvalidApiKey": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
}


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
    *parts: Any,
    ask: Ask,
    key: str,
    limits: tuple[str, ...] = (),
    text: str = "",
    is_whole: bool = False,
    is_missing: bool = False,
) -> str:
    """Raise the error that the first of `parts`, of an answer with this text, states; return "" where none does.

    Beside a text that is whole it is returned as a sentence instead: the answer is there. One that is to be tried
    again is `broken_off` behind a text that is not, for that may be paid. `is_missing` says that nothing stands where
    the text should, not even an empty one.
    """
    is_blank = not text.strip()
    stated = (error_stated_in(part, is_blank=is_blank, is_missing=is_missing) for part in parts)
    details = next(filter(None, stated), None)
    if details is None:
        return ""
    error = error_of(HttpFailure(_status(details), {}, details, limits, ask), key)
    if is_blank:
        raise error
    if is_whole:
        return f"Beside this answer the endpoint stated an error: {error.message}"
    raise broken_off_error(error.message) if isinstance(error, RetryLaterError) else error


def is_ended_by_error(finish: str) -> bool:
    """Say whether a vendor's word for why a reply ended says that it did not come to its end."""
    return bool(_BROKEN_OFF.search(finish))


def broken_off_error(message: str = "The endpoint ended its reply with an error.") -> RetryLaterError:
    """Return the error for a reply that broke off, of which nobody knows whether it was paid."""
    return RetryLaterError("broken_off", message)


def _status(details: Mapping[str, Any]) -> int:
    """Return the status the error would have had, 500 where it does not say."""
    code, kind, status = (str(details.get(name)) for name in ("code", "type", "status"))
    for stated in (code, status):
        if stated.isdecimal() and len(stated) == 3 and 400 <= int(stated) < 600:
            return int(stated)
    return _STATUS_OF.get(code) or _STATUS_OF.get(kind, 500)
