"""OpenAI's responses interface, and servers that speak it."""

import time
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from openai.types.responses import Response

from evaluations.providers.base import Ask, Endpoint, FinishReason, ProviderError, RefusedError, Reply, RetryLaterError
from evaluations.providers.error_details import error_stated_in
from evaluations.providers.errors_inside import accepted, broken_off_error, error_or_note, is_ended_by_error
from evaluations.providers.http_errors import malformed_error
from evaluations.providers.metadata import (
    count_of,
    field_of,
    list_of,
    log_probabilities_of,
    text_of,
    trace_of,
    words_of,
)
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
        with accepted(_taken(answer, latency_ms), lacks="an output") as taken:
            return _reply(answer, taken, ask, self._endpoint.api_key)


def _input(ask: Ask) -> Any:
    if not ask.turns:
        return ask.prompt
    return [{"role": role, "content": text} for role, text in (("user", ask.prompt), *ask.turns)]


def _instructed(ask: Ask) -> dict[str, Any]:
    parameters = parameters_of(ask)
    return {"instructions": ask.system_prompt, **parameters} if ask.system_prompt else parameters


def _reply(answer: Any, taken: Reply, ask: Ask, key: str) -> Reply:
    status = words_of(answer, "status")
    if status in _NO_ANSWER_YET:
        raise RetryLaterError("unfinished", "The endpoint sent a response that is not finished.")
    output = list_of(answer, "output")
    messages, commentary = _messages(output)
    text, finish = _said(answer, messages)
    is_whole = finish is FinishReason.STOP and bool(text.strip())
    if status == "failed" or (not is_whole and _is_declined(answer)):
        raise _failure(answer, ask, key)
    note = error_or_note(
        answer, ask=ask, key=key, limits=LIMITS, text=text, is_whole=is_whole, is_missing=not output and not text
    )
    if not isinstance(field_of(answer, "output"), list) and not text:
        raise malformed_error("output")
    if is_ended_by_error(status):
        raise broken_off_error("The endpoint cancelled its response.")
    return replace(
        taken,
        text=text,
        finish_reason=finish,
        reasoning="\n\n".join(filter(None, (_reasoning(output), _text(commentary)))),
        log_probabilities=_log_probabilities(_parts(messages)),
        tool_trace=trace_of([item for item in output if item.type not in {"message", "reasoning"}]),
        note=note,
    )


def _taken(answer: Any, latency_ms: int) -> Reply:
    usage = field_of(answer, "usage")
    return Reply(
        text="",
        finish_reason=FinishReason.UNKNOWN,
        tokens_in=count_of(usage, "input_tokens"),
        tokens_out=count_of(usage, "output_tokens"),
        tokens_cached=count_of(field_of(usage, "input_tokens_details"), "cached_tokens"),
        tokens_reasoning=count_of(field_of(usage, "output_tokens_details"), "reasoning_tokens"),
        model_reported=words_of(answer, "model"),
        latency_ms=latency_ms,
    )


def _messages(output: list[Any]) -> tuple[list[Any], list[Any]]:
    """Return the messages that are the answer, and those on the way to it: all others, where one is called final."""
    messages = [item for item in output if item.type == "message"]
    final = [item for item in messages if words_of(item, "phase") == "final_answer"]
    return (final, [item for item in messages if item not in final]) if final else (messages, [])


def _text(messages: list[Any]) -> str:
    return "\n\n".join(filter(None, (text_of(item.content) for item in messages)))


def _parts(messages: list[Any]) -> list[Any]:
    return [part for item in messages for part in list_of(item, "content")]


def _said(answer: Any, messages: list[Any]) -> tuple[str, FinishReason]:
    """Return the text, or the refusal where there is nothing else, and why it ended."""
    # Some servers send only the text as a whole, which is no part of the interface.
    text = _text(messages) or words_of(field_of(answer, "model_extra"), "output_text")
    refusal = "".join(words_of(part, "refusal") for part in _parts(messages) if field_of(part, "type") == "refusal")
    if refusal and not text:
        return refusal, FinishReason.REFUSAL
    status = words_of(answer, "status")
    if status == "incomplete":
        reason = words_of(field_of(answer, "incomplete_details"), "reason")
        return text, _INCOMPLETE.get(reason, FinishReason.UNKNOWN)
    return text, FinishReason.STOP if status == "completed" and (text or _parts(messages)) else FinishReason.UNKNOWN


def _reasoning(output: list[Any]) -> str:
    """Return the reasoning itself where an open model shows it, else its summary."""
    items = [item for item in output if item.type == "reasoning"]
    parts = [part for item in items for part in list_of(item, "content") or list_of(item, "summary")]
    return "\n\n".join(text for part in parts if (text := words_of(part, "text")))


def _log_probabilities(parts: list[Any]) -> list[tuple[str, float | None]] | None:
    entries = [entry for part in parts for entry in list_of(part, "logprobs")]
    return log_probabilities_of(entries)


def _is_declined(answer: Any) -> bool:
    return str(error_stated_in(answer).get("code")) in _DECLINED


def _failure(answer: Any, ask: Ask, key: str) -> ProviderError:
    """Return the error for a response that failed after it was accepted."""
    if _is_declined(answer):
        said = heard(str(error_stated_in(answer).get("message") or ""), [key])
        return RefusedError("content_filter", said or "The endpoint declined the question.")
    error_or_note(answer, ask=ask, key=key, limits=LIMITS)
    return RetryLaterError("overload", "The endpoint failed and did not say why.")
