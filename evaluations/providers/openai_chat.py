"""Chat completions of OpenAI and of every server that speaks the same interface (vLLM, Ollama, llama.cpp, ...)."""

import json
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

import openai

from evaluations.providers.base import Ask, Endpoint, FinishReason, NeverRetryError, Reply, RetryLaterError, Scope
from evaluations.providers.http_errors import (
    HttpFailure,
    broken_json_error,
    error_of,
    malformed_error,
    page_error,
)
from evaluations.providers.metadata import count_of, words_of
from evaluations.redaction import heard

DEFAULT_BASE_URL = "https://api.openai.com/v1"
_NO_KEY = "none"
_FINISH = {
    "stop": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "content_filter": FinishReason.CONTENT_FILTER,
    "refusal": FinishReason.REFUSAL,
}


class OpenAIChat:
    """One client for many calls at once. Redirects are not followed: a key must not travel to another host."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._client = openai.AsyncOpenAI(
            api_key=endpoint.api_key or _NO_KEY,
            base_url=endpoint.base_url or DEFAULT_BASE_URL,
            max_retries=0,
            timeout=endpoint.timeout_seconds,
            http_client=openai.DefaultAsyncHttpxClient(follow_redirects=False, timeout=endpoint.timeout_seconds),
        )

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
            raise page_error()
        try:
            return _reply(answer, latency_ms, self._endpoint.api_key)
        except (AttributeError, IndexError, KeyError, TypeError):
            raise malformed_error("a message") from None

    async def _create(self, ask: Ask) -> Any:
        parameters = {name: value for name, value in ask.parameters.items() if value is not None}
        try:
            return await self._client.chat.completions.create(
                model=self._endpoint.model_id,
                messages=[{"role": "user", "content": ask.prompt}],
                extra_body=parameters,
            )
        except openai.APIStatusError as error:
            failure = HttpFailure(error.status_code, error.response.headers, error.body or error.response.text)
            raise error_of(failure, self._endpoint.api_key) from None
        except openai.APITimeoutError:
            raise RetryLaterError("timeout", "The endpoint did not answer in time.") from None
        except openai.APIConnectionError as error:
            raise RetryLaterError("connection", self._connection_message(error)) from None
        except (json.JSONDecodeError, UnicodeDecodeError):
            raise broken_json_error() from None
        except (openai.OpenAIError, TypeError, ValueError) as error:
            said = heard(str(error), [self._endpoint.api_key])
            raise NeverRetryError("bad_parameter", f"The request cannot be made: {said}", Scope.RUN) from None

    def _connection_message(self, error: openai.APIConnectionError) -> str:
        cause = type(error.__cause__).__name__ if error.__cause__ else "connection lost"
        return f"The endpoint {self._endpoint.base_url or DEFAULT_BASE_URL} cannot be reached ({cause})."


def _reply(answer: Any, latency_ms: int, key: str) -> Reply:
    choices = answer.choices
    if choices is None:
        raise _error_inside(answer, key)
    text, reasoning, finish = _said(choices[0]) if choices else ("", "", FinishReason.UNKNOWN)
    return Reply(
        text=text,
        finish_reason=finish,
        reasoning=reasoning,
        tokens_in=count_of(answer.usage, "prompt_tokens"),
        tokens_out=count_of(answer.usage, "completion_tokens"),
        model_reported=words_of(answer, "model"),
        latency_ms=latency_ms,
    )


def _said(choice: Any) -> tuple[str, str, FinishReason]:
    message = choice.message
    extra = message.model_extra or {}
    reasoning = extra.get("reasoning_content") or extra.get("reasoning") or ""
    finish = _FINISH.get(words_of(choice, "finish_reason"), FinishReason.UNKNOWN)
    if message.refusal and not message.content:
        return str(message.refusal), str(reasoning), FinishReason.REFUSAL
    return _content_text(message.content), str(reasoning), finish


def _content_text(content: Any) -> str:
    """Return the text of a message; some servers send a list of parts instead of one text."""
    if content is None or isinstance(content, str):
        return content or ""
    parts = [part for part in content if isinstance(part, Mapping)]
    return "".join(str(part.get("text") or "") for part in parts if part.get("type", "text") == "text")


def _error_inside(answer: Any, key: str) -> Exception:
    """Return the error for a 200 without choices; routers send an error object in its place."""
    inside = (answer.model_extra or {}).get("error")
    if not isinstance(inside, Mapping):
        return malformed_error("choices")
    code = inside.get("code")
    return error_of(HttpFailure(code if isinstance(code, int) else 500, {}, inside), key)
