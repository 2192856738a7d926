"""A question asked in two turns: the reply is sent back with a request to check it; the second reply is the answer."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from evaluations.providers import Ask, ProviderError, RefusedError, Reply, RetryLaterError
from evaluations.providers.base import FinishReason
from evaluations.services.call_results import declined
from evaluations.storable_text import storable

Send = Callable[[Ask], Awaitable[Reply]]


async def ask_in_turns(
    *, ask: Ask, follow_up: str | None, send: Send, before_second: Callable[[Reply], Awaitable[None]]
) -> Reply:
    """Return the reply to `ask`, or, where there is a `follow_up`, the reply to that with the first one in its `turns`.

    A first reply that is empty or was declined is not sent back: it is the answer. `before_second` is given the first
    reply and waited for before the second call, so that it keeps the endpoint's limits. Raises what `send` raises, but
    a refusal of the second turn is the answer, with the first kept, and an error of it carries the first as `earlier`.
    """
    first = await send(ask)
    if follow_up is None or not _can_be_sent_back(first):
        return first
    turns = (("assistant", storable(first.text)), ("user", follow_up))
    await before_second(first)
    try:
        second = await send(replace(ask, turns=(*ask.turns, *turns)))
    except TimeoutError:
        late = RetryLaterError("timeout", "The system did not answer in time.")
        late.earlier = first
        raise late from None
    except RefusedError as error:
        second = declined(error)
    except ProviderError as error:
        error.earlier = first
        raise
    return _together(first, second, turns)


def _can_be_sent_back(reply: Reply) -> bool:
    declined = {FinishReason.CONTENT_FILTER, FinishReason.REFUSAL}
    return bool(reply.text.strip()) and reply.finish_reason not in declined


def _together(first: Reply, second: Reply, turns: tuple[tuple[str, str], ...]) -> Reply:
    """Return the second reply with what both took; a count that one of them lacks is unknown."""
    return replace(
        second,
        reasoning="\n\n".join(each.reasoning for each in (first, second) if each.reasoning),
        tokens_in=_sum(first.tokens_in, second.tokens_in),
        tokens_out=_sum(first.tokens_out, second.tokens_out),
        tokens_cached=_sum(first.tokens_cached, second.tokens_cached),
        tokens_reasoning=_sum(first.tokens_reasoning, second.tokens_reasoning),
        latency_ms=first.latency_ms + second.latency_ms,
        model_reported=second.model_reported or first.model_reported,
        tool_trace=second.tool_trace or first.tool_trace,
        turns=turns,
        charged=(first, second),
        note=second.note or first.note,
    )


def _sum(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else first + second
