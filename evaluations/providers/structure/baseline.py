"""The provider: replies with what was computed, or that it does not know."""

import asyncio
import time
from types import TracebackType
from typing import Self

from evaluations.providers.base import Ask, Endpoint, FinishReason, Reply
from evaluations.providers.structure.answers import compute

# The words that the reader knows as an answer of their own, for people and systems alike.
DO_NOT_KNOW = "I do not know"


class StructureBaseline:
    """Computes by itself, without any call; its replies go through the same reader as everyone's."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._model_id = endpoint.model_id

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    async def ask(self, ask: Ask) -> Reply:
        """Answer from the prompt; the same prompt always gets the same answer, whatever seed and repeat are."""
        started = time.perf_counter()
        computed = await asyncio.to_thread(compute, ask.prompt, ask.asked)
        return Reply(
            text=f"[ANSWER]{computed.text}[/ANSWER]" if computed else DO_NOT_KNOW,
            finish_reason=FinishReason.STOP,
            reasoning=computed.how if computed else "",
            model_reported=self._model_id,
            latency_ms=round((time.perf_counter() - started) * 1000),
        )
