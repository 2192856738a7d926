"""OpenAI's responses interface, and servers that speak it."""

import time
from types import TracebackType
from typing import Any, Self

from openai.types.responses import Response

from evaluations.providers.base import Ask, Endpoint, FinishReason, ProviderError, RefusedError, Reply, RetryLaterError
from evaluations.providers.errors_inside import broken_off_error, error_inside
from evaluations.providers.http_errors import HttpFailure, error_of, malformed_error
from evaluations.providers.metadata import count_of, field_of, list_of, log_probabilities_of, trace_of, words_of
from evaluations.providers.openai_calls import answered, openai_client, parameters_of, sent
from evaluations.redaction import heard

LIMITS = ("max_output_tokens",)
_INCOMPLETE = {"max_output_tokens": FinishReason.LENGTH, "content_filter": FinishReason.CONTENT_FILTER}
# Why a response failed, in OpenAI's words: for these the question itself was declined.
_DECLINED = frozenset({"invalid_prompt", "bio_policy", "misalignment_policy_violation", "content_filter"})
_NO_ANSWER_YET = frozenset({"queued", "in_progress"})


class OpenAIResponses:
    """One client for many calls at once."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._client = openai_client(endpoint)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.close()

    async def ask(self, ask: Ask) -> Reply:
        """Ask one question once; see `Provider.ask`."""
        started = time.perf_counter()
        body = {"model": self._endpoint.model_id, "input": _input(ask), **_instructed(ask)}
        call = sent(self._client, "/responses", body, Response)
        answer = await answered(call, ask=ask, endpoint=self._endpoint, limits=LIMITS)
        latency_ms = round((time.perf_counter() - started) * 1000)
        try:
            return _reply(answer, latency_ms, ask, self._endpoint.api_key)
        except (AttributeError, IndexError, KeyError, TypeError):
            raise malformed_error("an output") from None


def _input(ask: Ask) -> Any:
    if not ask.turns:
        return ask.prompt
    return [{"role": role, "content": text} for role, text in (("user", ask.prompt), *ask.turns)]


def _instructed(ask: Ask) -> dict[str, Any]:
    parameters = parameters_of(ask)
    return {"instructions": ask.system_prompt, **parameters} if ask.system_prompt else parameters


def _reply(answer: Any, latency_ms: int, ask: Ask, key: str) -> Reply:
    status = words_of(answer, "status")
    if status == "failed" or words_of(answer.error, "code") in _DECLINED:
        raise _failure(answer, key)
    if status in _NO_ANSWER_YET:
        raise RetryLaterError("unfinished", "The endpoint sent a response that is not finished.")
    output = answer.output or []
    parts = [part for item in output if item.type == "message" for part in list_of(item, "content")]
    text, finish = _said(answer, parts)
    if error := error_inside(answer, ask=ask, key=key, limits=LIMITS, has_text=bool(text)):
        raise error
    if answer.output is None:
        raise malformed_error("output")
    if status == "cancelled":
        raise broken_off_error("The endpoint cancelled its response.")
    usage = answer.usage
    return Reply(
        text=text,
        finish_reason=finish,
        reasoning=_reasoning(output),
        tokens_in=count_of(usage, "input_tokens"),
        tokens_out=count_of(usage, "output_tokens"),
        tokens_cached=count_of(field_of(usage, "input_tokens_details"), "cached_tokens"),
        tokens_reasoning=count_of(field_of(usage, "output_tokens_details"), "reasoning_tokens"),
        log_probabilities=_log_probabilities(parts),
        model_reported=words_of(answer, "model"),
        latency_ms=latency_ms,
        tool_trace=trace_of([item for item in output if item.type not in {"message", "reasoning"}]),
    )


def _said(answer: Any, parts: list[Any]) -> tuple[str, FinishReason]:
    """Return the text, or the refusal where there is nothing else, and why it ended."""
    text = "".join(part.text or "" for part in parts if part.type == "output_text")
    refusal = "".join(part.refusal or "" for part in parts if part.type == "refusal")
    if refusal and not text:
        return refusal, FinishReason.REFUSAL
    if answer.status == "incomplete":
        return text, _INCOMPLETE.get(words_of(answer.incomplete_details, "reason"), FinishReason.UNKNOWN)
    return text, FinishReason.STOP if answer.status == "completed" and parts else FinishReason.UNKNOWN


def _reasoning(output: list[Any]) -> str:
    """Return the reasoning itself where an open model shows it, else its summary."""
    items = [item for item in output if item.type == "reasoning"]
    parts = [part for item in items for part in list_of(item, "content") or list_of(item, "summary")]
    return "\n\n".join(text for part in parts if (text := words_of(part, "text")))


def _log_probabilities(parts: list[Any]) -> list[tuple[str, float | None]] | None:
    entries = [entry for part in parts for entry in list_of(part, "logprobs")]
    return log_probabilities_of(entries)


def _failure(answer: Any, key: str) -> ProviderError:
    """Return the error for a response that failed after it was accepted."""
    inside = answer.error
    code, said = words_of(inside, "code"), heard(words_of(inside, "message"), [key])
    if code in _DECLINED:
        return RefusedError("content_filter", said or "The endpoint declined the question.")
    status = 429 if code == "rate_limit_exceeded" else 500
    return error_of(HttpFailure(status, {}, {"message": said, "code": code}, LIMITS), key)
