"""Calls to one system: as many in flight as it takes, none before the endpoint's limits allow it.

The sender runs beside the asking loop on the same event loop: a place that falls free is taken by the next ready
question at once, also while the loop is storing replies.
"""

import asyncio
import logging
import math
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import cast

from evaluations.providers import (
    Ask,
    NeverRetryError,
    Provider,
    ProviderError,
    Reply,
    RetryLaterError,
    Scope,
)
from evaluations.redaction import heard
from evaluations.services.call_results import CallResult, is_failure
from evaluations.services.failures import CutOffCall, cut_off_error
from evaluations.services.questions import Question, RunContext, ask_of
from evaluations.services.rate_limits import EndpointLimits
from evaluations.services.reply_costs import whole_count
from evaluations.services.second_turn import ask_in_turns
from evaluations.services.token_guess import Grant, TokenGuess

logger = logging.getLogger(__name__)

# So long may claiming and storing take without a place falling idle; more questions than that are not held ready.
READ_AHEAD_SECONDS = 0.3


@dataclass(slots=True)
class _Asking:
    """A question on its way; `is_under_way` is False while its second turn waits to be sent."""

    question: Question
    grant: Grant
    first: Reply | None = None
    is_under_way: bool = True


@dataclass(frozen=True, slots=True)
class Heard:
    """How a question's last call ended and when (monotonic seconds); `first` is the reply of a turn before it."""

    question: Question
    result: CallResult
    at: float
    grant: Grant
    first: Reply | None = None


class Sender:
    """Sends what it is given; what was heard is kept until it is taken. `ask` puts a question into other words."""

    def __init__(
        self,
        *,
        context: RunContext,
        provider: Provider,
        limits: EndpointLimits,
        ask: Callable[[Question], Ask] | None = None,
    ) -> None:
        self._context = context
        # What is asked apart has its own words, and no second turn.
        self._ask = ask
        self._provider = provider
        self._limits = limits
        self._ready: deque[Question] = deque()
        self._in_flight: dict[asyncio.Task[None], _Asking] = {}
        self._heard: deque[Heard] = deque()
        self._news = asyncio.Event()
        self._may_send = asyncio.Event()
        self._is_held = False
        # Until then (monotonic seconds) every claim is certain to hold; later another worker may have the question.
        self.send_until = math.inf
        self._n_unrecorded = 0
        self._mean_seconds: float | None = None
        self._guess = TokenGuess(context.parameters)
        self._task: asyncio.Task[None] | None = None

    @property
    def is_busy(self) -> bool:
        """Say whether anything is ready, in flight or heard."""
        return bool(self._ready or self._in_flight or self._heard)

    @property
    def n_in_flight(self) -> int:
        """Return how many calls are on their way."""
        return len(self._in_flight)

    @property
    def waits_to_send_only(self) -> bool:
        """Say whether all that is left are second turns that the endpoint's limits do not let out yet."""
        waits = not any(each.is_under_way for each in self._in_flight.values())
        return bool(self._in_flight) and waits and not self._heard

    @property
    def is_paused_by_endpoint(self) -> bool:
        """Say whether the endpoint asked for a pause that is not over."""
        return self._limits.is_held

    @property
    def n_wanted(self) -> int:
        """Return how many more questions it takes: none while enough are ready, so that they are claimed together."""
        ahead = self._read_ahead()
        # Replies that wait to be stored count too: no more is asked than can be stored.
        n_room = self._n_free() + ahead - len(self._ready) - len(self._heard)
        is_low = len(self._ready) < self._n_free() or len(self._ready) <= ahead // 2
        return max(0, n_room) if is_low else 0

    @property
    def is_short(self) -> bool:
        """Say whether what is ready may be used up before replies are stored."""
        return len(self._ready) <= max(self._n_free(), self._read_ahead() // 4)

    def seconds_since_heard(self) -> float:
        """Return how long the oldest reply that was not taken yet has waited, 0 where there is none."""
        return time.monotonic() - self._heard[0].at if self._heard else 0.0

    def held_questions(self) -> list[Question]:
        """Return every question whose claim has to be kept alive."""
        in_flight = (each.question for each in self._in_flight.values())
        return [*self._ready, *in_flight, *(each.question for each in self._heard)]

    def start(self) -> None:
        """Begin to send."""
        self._task = asyncio.create_task(self._send())

    def add(self, questions: Iterable[Question]) -> None:
        """Send these too, in this order."""
        self._ready.extend(questions)
        self._may_send.set()

    def hold(self) -> None:
        """Send nothing until `go_on`."""
        self._is_held = True

    def go_on(self) -> None:
        """Send again."""
        self._is_held = False
        self._may_send.set()

    def failure_recorded(self) -> None:
        """Give the place of a call that failed to another: not before, for the failure may pause the run."""
        self._n_unrecorded -= 1
        self._may_send.set()

    def take_unsent(self) -> list[Question]:
        """Take back what was not sent yet."""
        unsent = list(self._ready)
        self._ready.clear()
        return unsent

    async def wait(self, *, seconds: float) -> None:
        """Return when something was heard, at the latest after so many seconds."""
        if self._task is not None and self._task.done():
            self._task.result()
        try:
            async with asyncio.timeout(max(0.0, seconds)):
                await self._news.wait()
        except TimeoutError:
            return

    def take_heard(self, *, limit: int) -> list[Heard]:
        """Take what was heard, the oldest first."""
        taken = [self._heard.popleft() for _ in range(min(limit, len(self._heard)))]
        if not self._heard:
            self._news.clear()
        return taken

    async def settle(self, calls: Iterable[Heard]) -> None:
        """Correct the tokens that were counted for calls by those they took."""
        if not self._limits.counts_tokens:
            return
        corrections: Counter[int] = Counter()
        for each in calls:
            tokens = _tokens_of_call(each)
            if tokens is not None:
                self._guess.learn(each.grant.words, *tokens)
                corrections[each.grant.bucket] += sum(tokens) - each.grant.n_tokens
        for bucket, n_tokens in corrections.items():
            await self._limits.correct(bucket=bucket, n_tokens=n_tokens)

    async def cancel(self) -> list[CutOffCall]:
        """End every call; return those that were cut off. A second time there is nothing to end."""
        tasks = [*self._in_flight, *([self._task] if self._task else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._limits.aclose()
        cut_off = [
            CutOffCall(each.question, cut_off_error(first=each.first, is_under_way=each.is_under_way))
            for each in self._in_flight.values()
        ]
        self._in_flight.clear()
        return cut_off

    async def _send(self) -> None:
        while True:
            await self._may_send.wait()
            self._may_send.clear()
            while self._n_sendable():
                guesses = [self._guess.of(question.prepared.prompt) for question in self._next()]
                taken = await self._limits.take(guesses)
                # Meanwhile the loop may have taken back what was ready, or someone may have said stop.
                for n_tokens in taken.counted[: self._n_sendable()]:
                    question = self._ready.popleft()
                    self._call(_Asking(question, Grant(question.prepared.prompt, n_tokens, taken.bucket)))
                if taken.n_granted < len(guesses):
                    await asyncio.sleep(taken.wait_seconds)

    def _n_sendable(self) -> int:
        if self._is_held or time.monotonic() >= self.send_until:
            return 0
        return max(0, min(len(self._ready), self._n_free()))

    def _n_free(self) -> int:
        return self._context.concurrency - len(self._in_flight) - self._n_unrecorded

    def _next(self) -> list[Question]:
        return [self._ready[index] for index in range(self._n_sendable())]

    def _call(self, asking: _Asking) -> None:
        self._in_flight[asyncio.create_task(self._one(asking))] = asking

    async def _one(self, asking: _Asking) -> None:
        started = time.monotonic()
        result = await self._asked(asking)
        if isinstance(result, RetryLaterError) and result.delay_seconds:
            await self._limits.hold(result.delay_seconds)
        if isinstance(result, NeverRetryError) and result.scope is not Scope.QUESTION:
            self.hold()
        now = time.monotonic()
        if isinstance(result, Reply):
            before = self._mean_seconds
            self._mean_seconds = now - started if before is None else 0.9 * before + 0.1 * (now - started)
        task = cast("asyncio.Task[None]", asyncio.current_task())
        # In one go: whoever looks finds the question in flight or heard, never neither.
        self._heard.append(Heard(asking.question, result, now, asking.grant, asking.first))
        self._n_unrecorded += is_failure(result)
        del self._in_flight[task]
        self._news.set()
        self._may_send.set()

    async def _asked(self, asking: _Asking) -> CallResult:
        """Return the reply or what went wrong; raise nothing but a cancellation."""
        question = asking.question
        try:
            return await ask_in_turns(
                ask=self._ask(question) if self._ask else ask_of(context=self._context, question=question),
                follow_up=None if self._ask else self._context.style.follow_up,
                send=self._sent,
                before_second=lambda first: self._until_granted_again(asking, first),
            )
        except ProviderError as error:
            return error
        except TimeoutError:
            return RetryLaterError("timeout", "The system did not answer in time.")
        except Exception as error:  # noqa: BLE001 -- whatever an adapter does, the other questions go on
            said = heard(f"{type(error).__name__}: {error}", [self._context.endpoint.api_key])
            logger.error("item %s: the adapter failed with %s", question.item.pk, type(error).__name__)
            return NeverRetryError("unexpected", f"The adapter failed: {said}", Scope.UNCLEAR)

    async def _sent(self, ask: Ask) -> Reply:
        """Send one call, which has its own time."""
        async with asyncio.timeout(self._context.endpoint.timeout_seconds):
            return await self._provider.ask(ask)

    async def _until_granted_again(self, asking: _Asking, first: Reply) -> None:
        """Keep and settle the first reply; wait until the endpoint's limits allow one more call for the question."""
        asking.first, asking.is_under_way = first, False
        await self.settle([Heard(asking.question, first, time.monotonic(), asking.grant)])
        words = f"{asking.grant.words}{first.text}{self._context.style.follow_up}"
        while not (taken := await self._limits.take([self._guess.of(words)])).n_granted:
            await asyncio.sleep(taken.wait_seconds)
        asking.grant = Grant(words, taken.counted[0], taken.bucket)
        asking.is_under_way = True

    def _read_ahead(self) -> int:
        if self._mean_seconds is None:
            return 0
        part = min(1.0, READ_AHEAD_SECONDS / max(self._mean_seconds, 0.001))
        return math.ceil(self._context.concurrency * part)


def _tokens_of_call(call: Heard) -> tuple[int, int] | None:
    """Return what the last call for a question took, in and out; None where that cannot be told."""
    if not isinstance(call.result, Reply):
        return None
    tokens_in, tokens_out = whole_count(call.result.tokens_in), whole_count(call.result.tokens_out)
    if tokens_in is None or tokens_out is None:
        return None
    if call.first is None:
        return tokens_in, tokens_out
    # The reply of a second turn tells what both took.
    return tokens_in - (call.first.tokens_in or 0), tokens_out - (call.first.tokens_out or 0)
