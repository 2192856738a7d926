"""Anthropic's messages interface, and servers that speak it."""

import json
import time
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

import anthropic

from evaluations.providers.base import Ask, Endpoint, FinishReason, NeverRetryError, Reply, RetryLaterError, Scope
from evaluations.providers.errors_inside import accepted, broken_off_error, error_or_note, is_ended_by_error
from evaluations.providers.http_errors import (
    HttpFailure,
    broken_json_error,
    connection_error,
    error_of,
    malformed_error,
    text_error,
)
from evaluations.providers.incoming import expect_answer, has_begun, watched_answers
from evaluations.providers.metadata import count_of, field_of, list_of, trace_of, words_of
from evaluations.providers.sockets import client_settings
from evaluations.redaction import heard

DEFAULT_BASE_URL = "https://api.anthropic.com"
LIMITS = ("max_tokens",)
_NO_KEY = "none"
_FINISH = {
    "end_turn": FinishReason.STOP,
    "stop_sequence": FinishReason.STOP,
    "max_tokens": FinishReason.LENGTH,
    "model_context_window_exceeded": FinishReason.LENGTH,
    "refusal": FinishReason.REFUSAL,
}


class AnthropicMessages:
    """One client for many calls at once. Redirects are not followed: a key must not travel to another host.

    Nor does anything of the worker's environment: the SDK would send one vendor's key to any address.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._base_url = (endpoint.base_url or DEFAULT_BASE_URL).rstrip("/").removesuffix("/v1")
        self._client = anthropic.AsyncAnthropic(
            api_key=endpoint.api_key or _NO_KEY,
            base_url=self._base_url,
            max_retries=0,
            timeout=endpoint.timeout_seconds,
            open_telemetry=False,
            http_client=anthropic.DefaultAsyncHttpxClient(
                **client_settings(endpoint.timeout_seconds), event_hooks=watched_answers()
            ),
        )
        self._client._custom_headers = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.close()

    async def ask(self, ask: Ask) -> Reply:
        """Ask one question once; see `Provider.ask`."""
        started = time.perf_counter()
        answer = await self._create(ask)
        latency_ms = round((time.perf_counter() - started) * 1000)
        if isinstance(answer, str):
            raise text_error(answer)
        with accepted(_taken(answer, latency_ms), lacks="content") as taken:
            return _reply(answer, taken, ask, self._endpoint.api_key)

    async def _create(self, ask: Ask) -> Any:
        # The SDK takes max_tokens as an argument and nothing else of what a model may accept: the rest goes beside it.
        parameters = {name: value for name, value in ask.parameters.items() if value is not None}
        if ask.system_prompt:
            parameters["system"] = ask.system_prompt
        max_tokens = parameters.pop("max_tokens", None)
        if not isinstance(max_tokens, int):
            raise NeverRetryError("bad_parameter", "This interface needs max_tokens, a whole number.", Scope.RUN)
        expect_answer()
        try:
            return await self._client.messages.create(
                model=self._endpoint.model_id,
                max_tokens=max_tokens,
                messages=_messages(ask),  # type: ignore[arg-type]
                extra_body=parameters,
                timeout=self._endpoint.timeout_seconds,
            )
        except anthropic.APIStatusError as error:
            body = error.body or error.response.text
            failure = HttpFailure(error.status_code, error.response.headers, body, LIMITS, ask)
            raise error_of(failure, self._endpoint.api_key) from None
        except anthropic.APITimeoutError:
            raise RetryLaterError("timeout", "The endpoint did not answer in time.") from None
        except anthropic.APIConnectionError as error:
            raise connection_error(address=self._base_url, cause=error.__cause__) from None
        except (json.JSONDecodeError, UnicodeDecodeError):
            raise broken_json_error() from None
        except (anthropic.AnthropicError, TypeError, ValueError) as error:
            if has_begun():
                raise broken_json_error() from None
            said = heard(str(error), [self._endpoint.api_key])
            raise NeverRetryError("bad_parameter", f"The request cannot be made: {said}", Scope.RUN) from None


def _messages(ask: Ask) -> list[dict[str, str]]:
    return [{"role": role, "content": text} for role, text in (("user", ask.prompt), *ask.turns)]


def _reply(answer: Any, taken: Reply, ask: Ask, key: str) -> Reply:
    blocks = list_of(answer, "content")
    text = "".join(block.text or "" for block in blocks if block.type == "text")
    stated = words_of(answer, "stop_reason")
    finish = _FINISH.get(stated, FinishReason.UNKNOWN)
    is_whole = finish is FinishReason.STOP
    note = error_or_note(answer, ask=ask, key=key, limits=LIMITS, text=text, is_whole=is_whole, is_missing=not blocks)
    if not isinstance(field_of(answer, "content"), list):
        raise malformed_error("content")
    if is_ended_by_error(stated):
        raise broken_off_error()
    return replace(
        taken,
        text=text,
        finish_reason=finish,
        reasoning="".join(block.thinking or "" for block in blocks if block.type == "thinking"),
        tool_trace=trace_of([block for block in blocks if "tool" in block.type]),
        note=note,
    )


def _taken(answer: Any, latency_ms: int) -> Reply:
    usage = field_of(answer, "usage")
    return Reply(
        text="",
        finish_reason=FinishReason.UNKNOWN,
        tokens_in=_tokens_in(usage),
        tokens_out=count_of(usage, "output_tokens"),
        tokens_cached=count_of(usage, "cache_read_input_tokens"),
        tokens_reasoning=count_of(field_of(usage, "output_tokens_details"), "thinking_tokens"),
        model_reported=words_of(answer, "model"),
        latency_ms=latency_ms,
    )


def _tokens_in(usage: Any) -> int | None:
    """Return all tokens that were read, those from and into the cache included."""
    fresh = count_of(usage, "input_tokens")
    cached = [count_of(usage, f"cache_{way}_input_tokens") or 0 for way in ("creation", "read")]
    return None if fresh is None else fresh + sum(cached)
