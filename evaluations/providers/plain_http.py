"""Any URL that takes a prompt and returns text: agents and systems that speak no vendor's interface."""

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

import httpx2

from evaluations.providers.base import (
    Ask,
    Endpoint,
    FinishReason,
    NeverRetryError,
    Reply,
    RetryLaterError,
    Scope,
)
from evaluations.providers.error_details import error_stated_in
from evaluations.providers.errors_inside import accepted, broken_off_error, error_or_note, is_ended_by_error
from evaluations.providers.http_errors import (
    HttpFailure,
    broken_json_error,
    connection_error,
    error_of,
    is_page,
    malformed_error,
    page_error,
)
from evaluations.providers.incoming import LARGEST_ANSWER_BYTES, too_large_error
from evaluations.providers.metadata import count_of, words_of
from evaluations.providers.plain_http_settings import (
    PlainHttpSettings,
    plain_http_problems,
    plain_http_settings,
    value_at,
)
from evaluations.providers.sockets import client_settings
from evaluations.redaction import heard

_SPEAKERS = {"assistant": "Your reply", "user": "Then"}
# What stands in a body that is an error; a model that answers in JSON says more.
_OF_AN_ERROR = frozenset(
    {"error", "errors", "object", "type", "code", "status", "success", "message", "detail", "param", "request_id"}
)
_FINISH = {
    "stop": FinishReason.STOP,
    "end_turn": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "content_filter": FinishReason.CONTENT_FILTER,
    "refusal": FinishReason.REFUSAL,
}


class PlainHttp:
    """One client for many calls at once. Redirects are not followed: a key must not travel to another host."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._client = httpx2.AsyncClient(**client_settings(endpoint.timeout_seconds))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.aclose()

    async def ask(self, ask: Ask) -> Reply:
        """Ask one question once; see `Provider.ask`."""
        if not self._endpoint.base_url:
            raise NeverRetryError("bad_parameter", "This provider needs an address to ask.", Scope.RUN)
        if problems := plain_http_problems(ask.parameters):
            raise NeverRetryError("bad_parameter", heard(" ".join(problems), [self._endpoint.api_key]), Scope.RUN)
        settings = plain_http_settings(ask.parameters)
        started = time.perf_counter()
        raw = await self._post(settings, ask)
        latency_ms = round((time.perf_counter() - started) * 1000)
        return _reply(raw, settings, latency_ms, ask, self._endpoint.api_key)

    async def _post(self, settings: PlainHttpSettings, ask: Ask) -> bytes:
        """Return the body of an answer that succeeded."""
        try:
            async with asyncio.timeout(self._endpoint.timeout_seconds):
                return await self._received(settings, ask)
        except (httpx2.TimeoutException, TimeoutError):
            raise RetryLaterError("timeout", "The endpoint did not answer in time.") from None
        except (
            httpx2.LocalProtocolError,
            httpx2.UnsupportedProtocol,
            httpx2.InvalidURL,
            TypeError,
            ValueError,
        ) as error:
            said = heard(str(error), [self._endpoint.api_key])
            raise NeverRetryError("bad_parameter", f"The request cannot be made: {said}", Scope.RUN) from None
        except httpx2.DecodingError:
            raise broken_json_error() from None
        except httpx2.HTTPError as error:
            raise connection_error(address=self._endpoint.base_url, cause=error) from None

    async def _received(self, settings: PlainHttpSettings, ask: Ask) -> bytes:
        headers, body = self._headers(settings), _body(settings, ask, self._endpoint.model_id)
        raw = bytearray()
        async with self._client.stream("POST", self._endpoint.base_url, json=body, headers=headers) as response:
            async for part in response.aiter_bytes():
                raw += part
                if len(raw) > LARGEST_ANSWER_BYTES:
                    raise too_large_error()
        if not response.is_success:
            failure = HttpFailure(response.status_code, response.headers, _json_or_text(bytes(raw)), ask=ask)
            raise error_of(failure, self._endpoint.api_key) from None
        return bytes(raw)

    def _headers(self, settings: PlainHttpSettings) -> dict[str, str]:
        key = self._endpoint.api_key
        if not key:
            return {}
        return {settings.key_header: f"Bearer {key}" if settings.key_header.lower() == "authorization" else key}


def _body(settings: PlainHttpSettings, ask: Ask, model: str) -> Any:
    """Return what to send. An interface with one text gets all that is said as one, each turn under who says it."""
    turns = [f"{_SPEAKERS.get(role, role)}:\n{text}" for role, text in ask.turns]
    before = [] if settings.takes_system_prompt or not ask.system_prompt else [ask.system_prompt]
    prompt = "\n\n".join([*before, ask.prompt, *turns])
    return settings.body(prompt=prompt, model=model, system_prompt=ask.system_prompt)


def _json_or_text(raw: bytes) -> Any:
    text = raw.decode("utf-8", "replace")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _reply(raw: bytes, settings: PlainHttpSettings, latency_ms: int, ask: Ask, key: str) -> Reply:
    text = raw.decode("utf-8", "replace")
    if is_page(text):
        raise page_error()
    if not any(settings.paths.values()):
        return Reply(_text_unless_error(text, ask, key), FinishReason.UNKNOWN, latency_ms=latency_ms)
    try:
        body = json.loads(raw, parse_float=_AsWritten)
    except (ValueError, RecursionError):
        raise broken_json_error() from None
    at = {name: value_at(body, path)[1] if path else None for name, path in settings.paths.items()}
    with accepted(_taken(at, latency_ms), lacks="an object") as taken:
        text, note = _text_and_note(body, settings.paths["text"], ask, key) if settings.paths["text"] else (text, "")
        if is_ended_by_error(words_of(at, "finish")):
            raise broken_off_error()
    return replace(
        taken,
        text=text,
        finish_reason=_FINISH.get(words_of(at, "finish"), FinishReason.UNKNOWN),
        reasoning=words_of(at, "reasoning"),
        tool_trace="" if at["trace"] is None else json.dumps(at["trace"], ensure_ascii=False),
        note=note,
    )


def _taken(at: Mapping[str, Any], latency_ms: int) -> Reply:
    return Reply(
        text="",
        finish_reason=FinishReason.UNKNOWN,
        tokens_in=count_of(at, "tokens_in"),
        tokens_out=count_of(at, "tokens_out"),
        model_reported=words_of(at, "model"),
        latency_ms=latency_ms,
    )


def _text_unless_error(text: str, ask: Ask, key: str) -> str:
    """Return an answer that is a text as a whole, unless it is JSON that states an error and nothing else."""
    body = _json_or_text(text.encode()) if text.lstrip().startswith("{") else None
    if isinstance(body, dict) and body.keys() <= _OF_AN_ERROR and error_stated_in(body):
        with accepted(Reply("", FinishReason.UNKNOWN), lacks="a text"):
            error_or_note(body, ask=ask, key=key)
    return text


def _text_and_note(body: Any, path: str, ask: Ask, key: str) -> tuple[str, str]:
    """Return the text at the path. Where there is none, or an empty one, an error beside it is what was said."""
    text = _text(body, path)
    note = error_or_note(body, ask=ask, key=key, text=text or "", is_whole=True)
    if text is None:
        raise malformed_error(f"a text at {path}")
    return text, note


def _text(body: Any, path: str) -> str | None:
    """Return the text at the path: a number as written, "" for null; None for anything else, which is no text."""
    is_there, value = value_at(body, path)
    if is_there and (value is None or isinstance(value, str)):
        return value or ""
    if is_there and isinstance(value, int | float) and not isinstance(value, bool):
        return value.written if isinstance(value, _AsWritten) else json.dumps(value)
    return None


class _AsWritten(float):
    """A number that still knows how it was written: 1.50 is not 1.5, and 1e400 no infinity, to who reads it."""

    def __init__(self, written: str) -> None:
        self.written = written
