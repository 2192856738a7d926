"""The asking loop: claims questions, keeps as many in flight as the system takes, stores replies as they come.

Calls run on one event loop. The database is used from one thread only, the one that called `async_to_sync`; while it
stores a batch, further replies gather for the next one, so batches grow by themselves when there is much to store.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import ParamSpec, TypeAlias, TypeVar

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from django.utils import timezone

from evaluations.models import Run
from evaluations.providers import NeverRetryError, Provider, ProviderError, RefusedError, Reply, RetryLaterError, Scope
from evaluations.providers.base import LONGEST_WAIT_SECONDS, FinishReason
from evaluations.redaction import heard
from evaluations.services.answers import Arrived, store_answers
from evaluations.services.claims import (
    Claim,
    Remaining,
    claim_items,
    free_expired_claims,
    release_claims,
    remaining,
    renew_claims,
)
from evaluations.services.failures import record_failure, run_has_answers
from evaluations.services.questions import Question, RunContext, Unready, ask_of, make_ready
from evaluations.services.runs import run_heartbeat

logger = logging.getLogger(__name__)

BEAT_SECONDS = 1.0
# Replies that are under way when the process must end get this long; then their questions are given back.
GRACE_SECONDS = 5.0
# A worker that finds nothing to claim waits so long before another run may have it.
IDLE_SECONDS = 2.0
STORED_AT_ONCE = 100
DATABASE_PATIENCE_SECONDS = 60.0

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
CallResult: TypeAlias = Reply | ProviderError


@dataclass(frozen=True, slots=True)
class Pace:
    """When to stop: `must_stop` when the process ends, `is_turn_over` when the job is long enough.

    Called in the database's thread, about once a second.
    """

    must_stop: Callable[[], bool]
    is_turn_over: Callable[[], bool]
    others_wait: Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Tally:
    """What one job did: replies stored, replies too late, calls without a reply; whether it was told to stop."""

    n_stored: int = 0
    n_late: int = 0
    n_failed_calls: int = 0
    was_stopped: bool = False

    def plus(self, other: "Tally") -> "Tally":
        """Return both together."""
        return Tally(
            self.n_stored + other.n_stored,
            self.n_late + other.n_late,
            self.n_failed_calls + other.n_failed_calls,
            self.was_stopped or other.was_stopped,
        )


class AskingLoop:
    """Asks questions of one run until nothing is left, the run may not go on, or the pace says stop."""

    def __init__(self, *, context: RunContext, provider: Provider, pace: Pace) -> None:
        self._context = context
        self._provider = provider
        self._pace = pace
        self._in_flight: dict[asyncio.Task[CallResult], Question] = {}
        self._has_answers = False
        self._is_closing = False
        self._must_stop = False
        self._next_beat = 0.0
        self._next_renewal = time.monotonic() + settings.EVALUATION_LEASE_SECONDS / 3
        self._held_until = 0.0
        self._idle_since: float | None = None
        self._tally = Tally()

    async def run(self) -> Tally:
        """Ask; return what was done. Claims that are still held at the end are given back, whatever happened."""
        try:
            async with self._provider:
                while await self._step():
                    pass
        finally:
            await self._give_back()
        return self._tally

    async def _step(self) -> bool:
        """Do one round; return False when the job is over."""
        await self._beat_if_due()
        n_claimed = 0 if self._is_closing else await self._claim_and_send()
        if self._in_flight:
            self._idle_since = None
            await self._collect()
            return not self._must_stop
        if self._is_closing:
            return False
        return bool(n_claimed) or await self._wait_for_work()

    async def _beat_if_due(self) -> None:
        now = time.monotonic()
        if now < self._next_beat:
            return
        self._next_beat = now + BEAT_SECONDS
        may_go_on, must_stop = await in_database(self._beat, now)
        self._is_closing = self._is_closing or not may_go_on
        if must_stop and not self._must_stop:
            await self._last_replies()

    def _beat(self, now: float) -> tuple[bool, bool]:
        """Show a sign of life, free dead workers' questions, renew claims; return (may ask on, must stop)."""
        free_expired_claims(run_id=self._context.run_id)
        if now >= self._next_renewal:
            renew_claims(_claims(self._in_flight.values()))
            self._next_renewal = now + settings.EVALUATION_LEASE_SECONDS / 3
        may_go_on = run_heartbeat(run_id=self._context.run_id) and not self._pace.is_turn_over()
        return may_go_on, self._pace.must_stop()

    async def _claim_and_send(self) -> int:
        free = self._context.concurrency - len(self._in_flight)
        if free < 1 or time.monotonic() < self._held_until:
            return 0
        ready = await in_database(self._claimed, free)
        for question in ready:
            if isinstance(question, Question):
                self._in_flight[asyncio.create_task(self._ask(question))] = question
            else:
                await self._record(question, NeverRetryError("prompt", question.reason, Scope.QUESTION))
        return len(ready)

    def _claimed(self, free: int) -> list[Question | Unready]:
        """Claim questions and make them ready: one alone until the run has an answer, then as many as are free."""
        if not self._has_answers:
            self._has_answers = run_has_answers(Run.objects.get(pk=self._context.run_id))
        if self._has_answers:
            claims = claim_items(run_id=self._context.run_id, limit=free)
        else:
            claims = claim_items(run_id=self._context.run_id, limit=1, only_first=True)
        return make_ready(context=self._context, tokens={claim.item_id: claim.token for claim in claims})

    async def _ask(self, question: Question) -> CallResult:
        """Return the reply or what went wrong; raise nothing but a cancellation."""
        try:
            async with asyncio.timeout(self._context.endpoint.timeout_seconds):
                return await self._provider.ask(ask_of(context=self._context, question=question))
        except ProviderError as error:
            return error
        except TimeoutError:
            return RetryLaterError("timeout", "The system did not answer in time.")
        except Exception as error:  # noqa: BLE001 -- whatever an adapter does, the other questions go on
            said = heard(f"{type(error).__name__}: {error}", [self._context.endpoint.api_key])
            logger.error("item %s: the adapter failed with %s", question.item.pk, type(error).__name__)
            return NeverRetryError("unexpected", f"The adapter failed: {said}", Scope.UNCLEAR)

    async def _collect(self) -> None:
        """Wait for replies, at most until the next beat, and store those that came."""
        timeout = max(0.0, self._next_beat - time.monotonic())
        await asyncio.wait(self._in_flight, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        done = [task for task in self._in_flight if task.done()][:STORED_AT_ONCE]
        if not done:
            return
        outcomes = [(self._in_flight.pop(task), task.result()) for task in done]
        # New questions go out before the replies are stored, so that the system is not kept waiting.
        if not self._is_closing and self._has_answers:
            await self._claim_and_send()
        await self._store(outcomes)

    async def _store(self, outcomes: list[tuple[Question, CallResult]]) -> None:
        arrived = [each for each in (_arrived(question, outcome) for question, outcome in outcomes) if each]
        if arrived:
            stored = await in_database(store_answers, context=self._context, arrived=arrived)
            self._has_answers = self._has_answers or stored.n_stored > 0
            self._tally = self._tally.plus(Tally(stored.n_stored, stored.n_late))
        for question, outcome in outcomes:
            if isinstance(outcome, ProviderError) and not isinstance(outcome, RefusedError):
                await self._record(question, outcome)

    async def _record(self, question: Question | Unready, error: ProviderError) -> None:
        if isinstance(error, RetryLaterError) and error.delay_seconds and error.code == "rate_limit":
            self._held_until = max(self._held_until, time.monotonic() + min(error.delay_seconds, LONGEST_WAIT_SECONDS))
        self._tally = self._tally.plus(Tally(n_failed_calls=1))
        await in_database(
            record_failure,
            context=self._context,
            question=question,
            error=error,
            has_answers=self._has_answers,
        )
        # The failure may have paused the run: look before anything else is asked.
        self._next_beat = 0.0

    async def _wait_for_work(self) -> bool:
        """Sleep until something may be claimed; return False when all is done or another run should have the worker."""
        left = await in_database(remaining, run_id=self._context.run_id)
        if not left.n_waiting and not left.n_leased:
            return False
        now = time.monotonic()
        self._idle_since = self._idle_since or now
        if now - self._idle_since > IDLE_SECONDS and await in_database(self._pace.others_wait):
            return False
        await asyncio.sleep(_seconds_until_due(left))
        return True

    async def _last_replies(self) -> None:
        """Take what arrives within the grace period, then end."""
        self._is_closing = self._must_stop = True
        self._tally = self._tally.plus(Tally(was_stopped=True))
        until = time.monotonic() + GRACE_SECONDS
        while self._in_flight and time.monotonic() < until:
            self._next_beat = until
            await self._collect()

    async def _give_back(self) -> None:
        """Cancel what is in flight and let other workers claim it."""
        if not self._in_flight:
            return
        for task in self._in_flight:
            task.cancel()
        await asyncio.gather(*self._in_flight, return_exceptions=True)
        claims = _claims(self._in_flight.values())
        self._in_flight.clear()
        await in_database(release_claims, claims)


async def in_database(
    function: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
) -> Result:
    """Call `function` in the database's thread; while the database is away, keep trying for a minute."""
    give_up_at = time.monotonic() + DATABASE_PATIENCE_SECONDS
    pause = 0.2
    while True:
        try:
            return await sync_to_async(function, thread_sensitive=True)(*args, **kwargs)
        except (InterfaceError, OperationalError) as error:
            is_closed = await sync_to_async(_close_connection, thread_sensitive=True)()
            if not is_closed or time.monotonic() > give_up_at:
                raise
            logger.warning("the database is away (%s); trying again", type(error).__name__)
            await asyncio.sleep(pause)
            pause = min(2 * pause, 5.0)


def _close_connection() -> bool:
    """Close the connection so that the next query opens a new one; return False inside a caller's transaction."""
    if connection.in_atomic_block:
        return False
    connection.close()
    return True


def _arrived(question: Question, outcome: CallResult) -> Arrived | None:
    if isinstance(outcome, Reply):
        return Arrived(question, outcome)
    if isinstance(outcome, RefusedError):
        return Arrived(question, Reply(text="", finish_reason=FinishReason.CONTENT_FILTER), note=outcome.message)
    return None


def _claims(questions: Iterable[Question]) -> list[Claim]:
    return [Claim(question.item.pk, question.token) for question in questions]


def _seconds_until_due(left: Remaining) -> float:
    """Return how long to sleep: until the next item is due, at least a moment, at most a beat."""
    if left.next_due is None:
        return BEAT_SECONDS / 4
    return min(BEAT_SECONDS, max(0.05, (left.next_due - timezone.now()) / timedelta(seconds=1)))
