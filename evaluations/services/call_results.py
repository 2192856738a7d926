"""How a call ended: with a reply, or with what went wrong. A call that was declined counts as an empty reply."""

from dataclasses import replace
from typing import TypeAlias, TypeGuard

from evaluations.providers import ProviderError, RefusedError, Reply
from evaluations.providers.base import FinishReason

CallResult: TypeAlias = Reply | ProviderError

# What stands for the reply where a system, or a filter before it, declined.
_DECLINED = Reply(text="", finish_reason=FinishReason.CONTENT_FILTER)


def is_failure(result: CallResult) -> TypeGuard[ProviderError]:
    """Say whether a call gave nothing to store as an answer."""
    return isinstance(result, ProviderError) and not isinstance(result, RefusedError)


def declined(error: RefusedError) -> Reply:
    """Return what stands for the reply, with what the call took where that is known."""
    return _DECLINED if error.taken is None else replace(error.taken, finish_reason=FinishReason.CONTENT_FILTER)


def reply_of(result: CallResult) -> Reply | None:
    """Return the reply, an empty one where the system declined, None for a failure."""
    if isinstance(result, RefusedError):
        return declined(result)
    return result if isinstance(result, Reply) else None
