"""A wall around every adapter: nothing that comes from a server leaves it with the key that was sent there."""

import json
from collections.abc import Sequence
from dataclasses import replace
from types import TracebackType
from typing import Self

from evaluations.providers.base import Ask, NeverRetryError, Provider, ProviderError, Reply
from evaluations.providers.http_errors import broken_json_error
from evaluations.redaction import heard, redact, reply_without_key
from evaluations.storable_text import storable


class Guarded:
    """An adapter whose replies and errors hold no key, whatever the adapter itself takes care of."""

    def __init__(self, provider: Provider, key: str) -> None:
        self._provider = provider
        self._key = key

    async def __aenter__(self) -> Self:
        await self._provider.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._provider.__aexit__(kind, error, trace)

    async def ask(self, ask: Ask) -> Reply:
        """Ask one question once; see `Provider.ask`."""
        try:
            reply = await self._provider.ask(ask)
        except RecursionError:
            # An answer that nests without end, wherever an SDK gave up on it.
            raise broken_json_error() from None
        except ProviderError as error:
            error.message = storable(redact(error.message, [self._key]))
            error.args = (error.message,)
            if isinstance(error, NeverRetryError) and error.lesson:
                error.lesson = replace(error.lesson, message=storable(redact(error.lesson.message, [self._key])))
            raise
        return replace(
            reply,
            text=reply_without_key(reply.text, self._key),
            reasoning=reply_without_key(reply.reasoning, self._key),
            tool_trace=self._trace_without_key(reply.tool_trace),
            model_reported=heard(reply.model_reported, [self._key]),
            note=redact(reply.note, [self._key]),
            log_probabilities=self._tokens_without_key(reply),
        )

    def _tokens_without_key(self, reply: Reply) -> Sequence[tuple[str, float | None]] | None:
        """Leave out all tokens of a reply that holds the key: it may be spread over several of them."""
        tokens = reply.log_probabilities
        whole = "".join(token for token, _ in tokens or ())
        is_clean = all(reply_without_key(text, self._key) == text for text in (whole, reply.text))
        return tokens if is_clean else None

    def _trace_without_key(self, trace: str) -> str:
        """Remove the key as it is, and as it is written within a text of JSON."""
        within_json = json.dumps(self._key, ensure_ascii=False)[1:-1]
        return reply_without_key(reply_without_key(trace, self._key), within_json)
