"""HTTP answers that are no reply, put into our three kinds of error; the same for every provider that speaks HTTP."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2

from evaluations.providers.base import (
    LONGEST_WAIT_SECONDS,
    Ask,
    NeverRetryError,
    ProviderError,
    RefusedError,
    RetryLaterError,
    Scope,
)
from evaluations.providers.error_details import details_of
from evaluations.providers.lessons import SYSTEM_PROMPT, Lesson, Sent, lesson_of
from evaluations.redaction import heard

_PARAMETER_LENGTH = 60
_OF_THE_QUESTION = ("messages", "input")
_YEAR_SECONDS = 365 * 86_400
_RETRIED_STATUS = frozenset({408, 409, 425, 429})
# The endpoint, or a proxy before it, stopped waiting: what it waited for may have been made, and paid.
_TIMED_OUT_STATUS = frozenset({408, 504, 524})
_QUOTA_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "billing_error"})
_FILTER_CODES = frozenset({"content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation"})
_PARAMETER_CODES = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter", "model_not_found"})
_TOO_LONG = re.compile(r"(?i)context[ _](?:length|window)|prompt is too long|too many (?:input )?tokens")
_NO_MONEY = re.compile(r"(?i)credit balance|insufficient (?:quota|credits?|funds|balance)|exceeded your current quota")
_BY_THE_MINUTE = re.compile(
    r"(?i)\bper[ _-]?(?:second|minute)\b|\b(?:retry|try again) in [\d.]+ ?(?:m?s|sec(?:ond)?s?)\b"
)
_PAGE = re.compile(r"(?i)<(?:!doctype|html|head|body)\b")
_WEEKDAY = re.compile(r"(?i)(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?")
_SECONDS = re.compile(r"(?i)\s*s(?:ec(?:ond)?s?)?$")
_ABOUT_WHAT_WAS_SENT = frozenset({400, 413, 422})
_A_TEXT = "a text that is no JSON"
_OF_THE_RUN = {
    401: ("bad_key", "The endpoint does not accept the key"),
    402: ("quota", "The account has no money left"),
    403: ("forbidden", "The key is not allowed to use this model"),
    404: ("not_found", "The endpoint does not know this model or address"),
    405: ("not_found", "The address is not that of this interface"),
}


@dataclass(frozen=True, slots=True)
class HttpFailure:
    """An answer with a status other than 200: the decoded body, or its text where it is no JSON.

    `limits` are the names under which the interface may take a limit of tokens, the usual one first; `ask` is what was
    sent, None where nothing says.
    """

    status: int
    headers: Mapping[str, str]
    body: Any
    limits: tuple[str, ...] = ()
    ask: Ask | None = None


def error_of(failure: HttpFailure, key: str, now: datetime | None = None) -> ProviderError:
    """Return the error to raise. Its message holds what the endpoint said, shortened and without the key."""
    details = _details(failure.body)
    said = heard(_text(details, "message") or _text(details, "detail"), [key])
    codes = {_text(details, "code"), _text(details, "type"), _text(_inner(details), "code")}
    told = said if _may_be_told(failure) else _A_TEXT
    sentence = f"HTTP {failure.status}: {told}" if said else f"HTTP {failure.status}"
    if codes & _QUOTA_CODES or (_NO_MONEY.search(said) and not _is_short_limit(failure, said, now)):
        return NeverRetryError("quota", f"The account's quota is used up ({sentence}).", Scope.RUN)
    if failure.status in _RETRIED_STATUS or failure.status >= 500:
        return _retry(failure, sentence, now)
    if codes & _FILTER_CODES:
        return RefusedError("content_filter", sentence)
    if failure.status in _OF_THE_RUN:
        code, meaning = _OF_THE_RUN[failure.status]
        return NeverRetryError(code, f"{meaning} ({sentence}).", Scope.RUN)
    if 300 <= failure.status < 400:
        return NeverRetryError(
            "redirect", f"The address leads elsewhere; correct the system, queue a new run ({sentence}).", Scope.RUN
        )
    parameter = heard(_text(details, "param"), [key], length=_PARAMETER_LENGTH)
    lesson = lesson_of(said=said, param=parameter, codes=codes, limits=failure.limits, sent=_sent(failure.ask))
    return _bad_request(failure.status, parameter, codes, sentence, lesson)


def is_page(text: str) -> bool:
    """Say whether an answer begins as a web page does."""
    return bool(_PAGE.match(text.lstrip("\ufeff \t\r\n")))


def page_error() -> RetryLaterError:
    """Return the error for a web page where JSON was expected (a login page, a proxy's notice)."""
    return RetryLaterError("not_json", "The endpoint answered with a web page instead of JSON; check its address.")


def text_error(text: str) -> RetryLaterError:
    """Return the error for a text, be it empty, where a JSON object was expected."""
    if is_page(text):
        return page_error()
    return malformed_error("a JSON object: it is a text" if text.strip() else "a body: it is empty")


def broken_json_error() -> RetryLaterError:
    """Return the error for an answer that breaks off or is no JSON."""
    return RetryLaterError("broken_json", "The endpoint's answer was not valid JSON.")


def malformed_error(what: str) -> RetryLaterError:
    """Return the error for JSON that is not shaped as the interface promises."""
    return RetryLaterError("malformed", f"The endpoint's answer lacks {what}.")


def connection_error(*, address: str, cause: BaseException | None) -> ProviderError:
    """Return the error for a connection that broke, or that never came about (`unreachable`): then nothing was sent.

    One of ours, which an SDK takes for a broken connection, comes back as it was.
    """
    if isinstance(cause, ProviderError):
        return cause
    kind = type(cause).__name__ if cause else "connection lost"
    code = "unreachable" if isinstance(cause, httpx2.ConnectError) else "connection"
    return RetryLaterError(code, f"The endpoint {address} cannot be reached ({kind}).")


def retry_after_seconds(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return how long a server asks to wait: `retry-after-ms`, or `Retry-After` as seconds, as a date or a moment.

    Of several that came, by a server and a proxy, and were joined on the way, the longest counts.
    """
    now = now or datetime.now(tz=UTC)
    lowered = {name.lower(): value for name, value in headers.items()}
    milliseconds = _longest(lowered.get("retry-after-ms", ""), now, unit=0.001)
    return _longest(lowered.get("retry-after", ""), now) if milliseconds is None else milliseconds


def _is_short_limit(failure: HttpFailure, said: str, now: datetime | None) -> bool:
    """Say whether a limit ends by itself soon; some interfaces call that one, too, a quota that is exceeded."""
    if failure.status != 429:
        return False
    delay = retry_after_seconds(failure.headers, now)
    return bool(_BY_THE_MINUTE.search(said)) if delay is None else delay <= LONGEST_WAIT_SECONDS


def _retry(failure: HttpFailure, sentence: str, now: datetime | None) -> ProviderError:
    delay = retry_after_seconds(failure.headers, now)
    if delay is not None and delay > LONGEST_WAIT_SECONDS:
        asked = f"The endpoint asks to wait {_duration(delay)}; resume the run after that ({sentence})."
        return NeverRetryError("long_wait", asked, Scope.RUN)
    if failure.status == 429:
        return RetryLaterError("rate_limit", f"The endpoint asks to slow down ({sentence}).", delay)
    if failure.status in _TIMED_OUT_STATUS:
        return RetryLaterError("timeout", f"The endpoint did not answer in time ({sentence}).", delay)
    return RetryLaterError("overload", f"The endpoint failed ({sentence}).", delay)


def _bad_request(status: int, parameter: str, codes: set[str], sentence: str, lesson: Lesson | None) -> NeverRetryError:
    if "context_length_exceeded" in codes or _TOO_LONG.search(sentence) or status == 413:
        return NeverRetryError("too_long", f"The question does not fit ({sentence}).", Scope.QUESTION)
    is_parameter = bool(codes & _PARAMETER_CODES) or (parameter and not parameter.startswith(_OF_THE_QUESTION))
    if is_parameter or lesson:
        hint = f"parameter {parameter}: " if parameter else ""
        return NeverRetryError(
            "bad_parameter",
            f"The endpoint rejects a parameter; change the system, queue a new run ({hint}{sentence}).",
            Scope.RUN,
            lesson,
        )
    return NeverRetryError("bad_request", f"The endpoint rejects the request ({sentence}).", Scope.UNCLEAR)


def _sent(ask: Ask | None) -> Sent | None:
    if ask is None:
        return None
    texts = (ask.system_prompt, ask.prompt, *(text for _, text in ask.turns))
    return Sent({**ask.parameters, SYSTEM_PROMPT: ask.system_prompt or None}, texts)


def _details(body: Any) -> Mapping[str, Any]:
    """Return the part of an error body that says what is wrong."""
    return {"message": "a web page"} if isinstance(body, str) and _PAGE.search(body) else details_of(body, is_body=True)


def _may_be_told(failure: HttpFailure) -> bool:
    """Whether what was said may be repeated: by an interface, or about what was sent.

    Any other text may be a page of a machine that is reached from here only, and no answer to a question at all.
    """
    is_text = isinstance(failure.body, str) and not _PAGE.search(failure.body)
    return not is_text or failure.status in _ABOUT_WHAT_WAS_SENT


def _inner(details: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = details.get("innererror")
    return inner if isinstance(inner, Mapping) else {}


def _text(details: Mapping[str, Any], name: str) -> str:
    """Return a field as the server sent it: to compare with, never to repeat before `heard` has had it."""
    value = details.get(name)
    return "" if value is None else str(value)


def _duration(seconds: float) -> str:
    """Return a time as a person says it, rounded to minutes, hours or days."""
    if seconds > _YEAR_SECONDS:
        return "more than a year"
    if seconds < 2 * 3600:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.0f} hours" if seconds < 2 * 86_400 else f"{seconds / 86_400:.0f} days"


def _longest(header: str, now: datetime, unit: float = 1) -> float | None:
    """Return the longest of the waits that a header asks for, in seconds; None where one is none."""
    parts = [part.strip(' "') for part in header.split(",")]
    waits = [_wait(part, now, unit) for part in parts if not _WEEKDAY.fullmatch(part)]
    known = [wait for wait in waits if wait is not None]
    return max(known, default=None) if len(known) == len(waits) else None


def _wait(part: str, now: datetime, unit: float) -> float | None:
    """Return the seconds to wait of a number, with or without its unit, or of a date.

    A number that is within a year of the clock's own is a moment, as some servers give it: in seconds or milliseconds.
    """
    number = _number(_SECONDS.sub("", part))
    if number is None:
        until = _date(part)
        return None if until is None else max(0.0, (until - now).total_seconds())
    seconds = number * unit
    moments = (moment - now.timestamp() for moment in (seconds, seconds / 1000))
    return next((max(0.0, moment) for moment in moments if abs(moment) < _YEAR_SECONDS), seconds)


def _date(text: str) -> datetime | None:
    for reads in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            found = reads(text)
        except (ValueError, OverflowError):
            continue
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    return None


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None
