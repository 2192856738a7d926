"""Chat completions of OpenAI and of every server that speaks the same interface (vLLM, Ollama, llama.cpp, ...)."""

import time
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from openai.types.chat import ChatCompletion

from evaluations.providers.base import Ask, Endpoint, FinishReason, Reply
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

# OpenAI's newer models take the one, many compatible servers only the other.
LIMITS = ("max_completion_tokens", "max_tokens")
_FINISH = {
    "stop": FinishReason.STOP,
    "eos": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "model_length": FinishReason.LENGTH,
    "content_filter": FinishReason.CONTENT_FILTER,
    "refusal": FinishReason.REFUSAL,
}


class OpenAIChat:
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
        body = {"model": self._endpoint.model_id, "messages": _messages(ask), **parameters_of(ask)}
        call = sent(self._client, "/chat/completions", body, ChatCompletion)
        answer = await answered(call, ask=ask, endpoint=self._endpoint, limits=LIMITS)
        latency_ms = round((time.perf_counter() - started) * 1000)
        with accepted(_taken(answer, latency_ms), lacks="a message") as taken:
            return _reply(answer, taken, ask, self._endpoint.api_key)


def _messages(ask: Ask) -> list[dict[str, str]]:
    said_first = [("system", ask.system_prompt)] if ask.system_prompt else []
    return [{"role": role, "content": text} for role, text in (*said_first, ("user", ask.prompt), *ask.turns)]


def _reply(answer: Any, taken: Reply, ask: Ask, key: str) -> Reply:
    choices = list_of(answer, "choices")
    choice = choices[0] if choices else None
    text, reasoning, finish = _said(choice)
    is_whole = finish is FinishReason.STOP
    parts = (answer, choice, field_of(choice, "message"))
    note = error_or_note(*parts, ask=ask, key=key, limits=LIMITS, text=text, is_whole=is_whole, is_missing=not choices)
    if not isinstance(field_of(answer, "choices"), list) or None in choices:
        raise malformed_error("choices")
    if is_ended_by_error(words_of(choice, "finish_reason")):
        raise broken_off_error()
    return replace(
        taken,
        text=text,
        finish_reason=finish,
        reasoning=reasoning,
        log_probabilities=_log_probabilities(choices),
        tool_trace=trace_of(choice.message.tool_calls) if choice else "",
        note=note,
    )


def _taken(answer: Any, latency_ms: int) -> Reply:
    usage = field_of(answer, "usage")
    tokens_reasoning = count_of(field_of(usage, "completion_tokens_details"), "reasoning_tokens")
    return Reply(
        text="",
        finish_reason=FinishReason.UNKNOWN,
        tokens_in=count_of(usage, "prompt_tokens"),
        tokens_out=_tokens_out(usage, tokens_reasoning),
        tokens_cached=count_of(field_of(usage, "prompt_tokens_details"), "cached_tokens"),
        tokens_reasoning=tokens_reasoning,
        model_reported=words_of(answer, "model"),
        latency_ms=latency_ms,
    )


def _said(choice: Any) -> tuple[str, str, FinishReason]:
    message = field_of(choice, "message")
    finish = _FINISH.get(words_of(choice, "finish_reason"), FinishReason.UNKNOWN)
    if message is None:
        return "", "", finish
    extra = message.model_extra or {}
    reasoning = extra.get("reasoning_content") or extra.get("reasoning") or ""
    if message.refusal and not message.content:
        return str(message.refusal), str(reasoning), FinishReason.REFUSAL
    return text_of(message.content), str(reasoning), finish


def _tokens_out(usage: Any, reasoning: int | None) -> int | None:
    """Return all tokens received. Some servers count reasoning apart; the total then shows that it is not within."""
    received, sent, total = (count_of(usage, f"{kind}_tokens") for kind in ("completion", "prompt", "total"))
    if received is None or sent is None or not reasoning:
        return received
    return received + reasoning if total == sent + received + reasoning else received


def _log_probabilities(choices: Any) -> list[tuple[str, float | None]] | None:
    return log_probabilities_of(field_of(field_of(choices[0], "logprobs"), "content")) if choices else None
