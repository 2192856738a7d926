"""What the SDKs' clients let in: no answer larger than ours to read, whatever it is compressed to."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing
from contextvars import ContextVar
from typing import Any

import httpx2

from evaluations.providers.base import NeverRetryError, Scope

LARGEST_ANSWER_BYTES = 8_000_000
_HAS_BEGUN: ContextVar[bool] = ContextVar("an answer has begun to come", default=False)


def watched_answers() -> Mapping[str, list[Callable[..., Any]]]:
    """Return `event_hooks` for a client: each answer is bounded, and noted for `has_begun`."""
    return {"response": [_bound]}


def has_begun() -> bool:
    """Say whether the request last sent by this task was answered: what fails from there on is not the request."""
    return _HAS_BEGUN.get()


def expect_answer() -> None:
    """Forget the answers to earlier requests of this task."""
    _HAS_BEGUN.set(False)


def too_large_error() -> NeverRetryError:
    """Return the error for an answer of more than `LARGEST_ANSWER_BYTES`, unpacked."""
    return NeverRetryError("too_large", "The endpoint's answer is larger than 8 MB.", Scope.QUESTION)


class _Bounded(httpx2.AsyncByteStream):
    """The body of an answer, unpacked, up to the largest one."""

    def __init__(self, packed: httpx2.Response) -> None:
        self._packed = packed

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async with aclosing(self._packed.aiter_bytes()) as parts:
            async for part in parts:
                size += len(part)
                if size > LARGEST_ANSWER_BYTES:
                    raise too_large_error()
                yield part

    async def aclose(self) -> None:
        await self._packed.aclose()


async def _bound(answer: httpx2.Response) -> None:
    _HAS_BEGUN.set(True)
    packed = httpx2.Response(answer.status_code, headers=answer.headers, stream=answer.stream)
    answer.stream = _Bounded(packed)
    answer.headers.pop("content-encoding", None)
