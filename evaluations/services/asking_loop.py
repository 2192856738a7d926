"""The asking loop: claims questions, hands them to the sender, stores replies as they come.

Calls run on one event loop. The database is used from one thread only, the one that called `async_to_sync`; while it
stores a batch, further replies gather for the next one, so batches grow by themselves when there is much to store.
"""

import asyncio
import logging
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from django.conf import settings

from evaluations.models import Run
from evaluations.providers import NeverRetryError, Provider, ProviderError, RefusedError, Scope
from evaluations.services.answers import Arrived, store_answers
from evaluations.services.budgets import BudgetRoom
from evaluations.services.call_results import CallResult, is_failure, reply_of
from evaluations.services.claims import (
    Claim,
    Remaining,
    claim_items,
    free_expired_claims,
    release_claims,
    remaining,
    renew_claims,
)
from evaluations.services.database_patience import in_database
from evaluations.services.failures import CutOffCall, record_cut_off, record_failure, run_has_answers
from evaluations.services.questions import Question, RunContext, Unready, make_ready
from evaluations.services.rate_limits import EndpointLimits
from evaluations.services.runs import run_heartbeat
from evaluations.services.sending import Heard, Sender

logger = logging.getLogger(__name__)

BEAT_SECONDS = 1.0
# Replies that are under way when the process must end get this long; then their questions are given back.
GRACE_SECONDS = 5.0
# A run that asks no more waits so long for second turns that may not be sent yet: while the endpoint wants a pause, and
# while its limits of a minute are used up. Then their questions are given back.
HELD_SECONDS = 5.0
LIMITED_SECONDS = 65.0
# So long for any call: with the longest turn of a run this is well within the time that the queue gives a job.
LONGEST_CLOSING_SECONDS = 900.0
# A worker that finds nothing to claim waits so long before another run may have it.
IDLE_SECONDS = 2.0
# Replies that come this close together are stored in one transaction.
GATHER_SECONDS = 0.06
STORED_AT_ONCE = 100
# More are not made ready at once, so that replies do not wait for it.
CLAIMED_AT_ONCE = 50
# After every statement the database's thread waits so long for the interpreter, 5 ms unless told otherwise: with some
# twenty statements for a batch that alone would keep replies from being stored in time.
SWITCH_SECONDS = 0.001
# A reply is to be stored within this time of its arrival; how many took longer is logged.
STORED_WITHIN_SECONDS = 0.25


def never() -> bool:
    """Nobody asks to stop."""
    return False


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
    """What one job did: replies stored, replies too late, calls without a reply; whether it was told to stop.

    `n_slow` replies were stored later than `STORED_WITHIN_SECONDS` after they arrived, the slowest after
    `slowest_seconds`.
    """

    n_stored: int = 0
    n_late: int = 0
    n_failed_calls: int = 0
    was_stopped: bool = False
    n_slow: int = 0
    slowest_seconds: float = 0.0

    def plus(self, other: "Tally") -> "Tally":
        """Return both together."""
        return Tally(
            self.n_stored + other.n_stored,
            self.n_late + other.n_late,
            self.n_failed_calls + other.n_failed_calls,
            self.was_stopped or other.was_stopped,
            self.n_slow + other.n_slow,
            max(self.slowest_seconds, other.slowest_seconds),
        )


class AskingLoop:
    """Asks questions of one run until nothing is left, the run may not go on, or the pace says stop."""

    def __init__(self, *, context: RunContext, provider: Provider, limits: EndpointLimits, pace: Pace) -> None:
        self._context = context
        self._provider = provider
        self._pace = pace
        self._sender = Sender(context=context, provider=provider, limits=limits)
        self._budget = BudgetRoom(context.run_id)
        self._has_answers = False
        self._is_closing = False
        self._closing_since: float | None = None
        self._must_stop = False
        self._next_beat = 0.0
        self._last_renewal = time.monotonic()
        self._sender.send_until = self._last_renewal + settings.EVALUATION_LEASE_SECONDS
        self._idle_since: float | None = None
        self._tally = Tally()

    async def run(self) -> Tally:
        """Ask; return what was done. Claims that are still held at the end are given back, whatever happened."""
        cut_off: list[CutOffCall] = []
        switch_seconds = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_SECONDS)
        try:
            async with self._provider:
                self._sender.start()
                try:
                    while await self._step():
                        pass
                    cut_off += await self._sender.cancel()
                    await self._store_what_was_heard()
                finally:
                    cut_off += await self._sender.cancel()
        finally:
            sys.setswitchinterval(switch_seconds)
            await self._give_back_unsent()
            if cut_off:
                await in_database(record_cut_off, context=self._context, calls=cut_off)
        return self._tally

    async def _step(self) -> bool:
        """Do one round; return False when the job is over."""
        await self._beat_if_due()
        n_claimed = 0 if self._is_closing else await self._claim()
        if n_claimed == CLAIMED_AT_ONCE and not self._sender.seconds_since_heard():
            return True
        if self._sender.is_busy:
            self._idle_since = None
            await self._collect()
            return not (self._must_stop or self._has_waited_enough())
        if self._is_closing:
            return False
        return bool(n_claimed) or await self._wait_for_work()

    async def _beat_if_due(self) -> None:
        now = time.monotonic()
        if now < self._next_beat:
            return
        self._next_beat = now + BEAT_SECONDS
        may_go_on, must_stop = await in_database(self._beat)
        if time.monotonic() >= self._sender.send_until:
            # The database was out of reach for so long that others may be asking what is ready here.
            await self._give_back_unsent()
        self._sender.send_until = self._last_renewal + settings.EVALUATION_LEASE_SECONDS
        self._is_closing = self._is_closing or not may_go_on or must_stop
        if self._is_closing:
            self._closing_since = self._closing_since or now
            await self._give_back_unsent()
        else:
            self._sender.go_on()
        if must_stop and not self._must_stop:
            await self._last_replies()

    def _has_waited_enough(self) -> bool:
        """Say whether a run that asks no more need not wait for what is still in flight."""
        if self._closing_since is None:
            return False
        seconds = time.monotonic() - self._closing_since
        if not self._sender.waits_to_send_only:
            return seconds > LONGEST_CLOSING_SECONDS
        return seconds > (HELD_SECONDS if self._sender.is_paused_by_endpoint else LIMITED_SECONDS)

    def _beat(self) -> tuple[bool, bool]:
        """Show a sign of life, free dead workers' questions, renew claims; return (may ask on, must stop)."""
        free_expired_claims(run_id=self._context.run_id)
        now = time.monotonic()
        if now >= self._last_renewal + settings.EVALUATION_LEASE_SECONDS / 3:
            renew_claims(_claims(self._sender.held_questions()))
            self._last_renewal = now
        may_go_on = run_heartbeat(run_id=self._context.run_id) and not self._pace.is_turn_over()
        may_go_on = may_go_on and not self._budget.pause_when_spent()
        return may_go_on, self._pace.must_stop()

    async def _claim(self) -> int:
        """Claim what the sender has room for: one question alone until the run has an answer."""
        wanted = self._sender.n_wanted if self._has_answers else int(not self._sender.is_busy)
        if not wanted:
            return 0
        ready = await in_database(self._claimed, min(wanted, CLAIMED_AT_ONCE))
        self._sender.add(each for each in ready if isinstance(each, Question))
        for each in ready:
            if isinstance(each, Unready):
                await self._record(each, NeverRetryError("prompt", each.reason, Scope.QUESTION))
        return len(ready)

    def _claimed(self, wanted: int) -> list[Question | Unready]:
        if not self._has_answers:
            self._has_answers = run_has_answers(Run.objects.get(pk=self._context.run_id))
        if self._has_answers:
            claims = claim_items(run_id=self._context.run_id, limit=self._budget.of(wanted))
        else:
            claims = claim_items(run_id=self._context.run_id, limit=1, only_first=True)
        self._budget.claimed(len(claims))
        return make_ready(context=self._context, tokens={claim.item_id: claim.token for claim in claims})

    async def _collect(self) -> None:
        """Wait for replies, at most until the next beat, and store those that came."""
        await self._sender.wait(seconds=self._next_beat - time.monotonic())
        if self._sender.n_in_flight:
            await asyncio.sleep(max(0.0, GATHER_SECONDS - self._sender.seconds_since_heard()))
        heard = self._sender.take_heard(limit=STORED_AT_ONCE)
        if not heard:
            return
        # The system is not kept waiting for questions while replies are stored; but where enough are ready, they wait.
        if self._sender.is_short and not self._is_closing and self._has_answers:
            await self._claim()
        await self._store(heard)
        await self._sender.settle(heard)

    async def _store(self, heard: Sequence[Heard]) -> None:
        self._budget.call_ended()
        arrived = [each for each in (_arrived(one.question, one.result) for one in heard) if each]
        if arrived:
            stored = await in_database(store_answers, context=self._context, arrived=arrived)
            self._has_answers = self._has_answers or stored.n_stored > 0
            self._tally = self._tally.plus(_tally(heard, stored.n_stored, stored.n_late))
        for each in heard:
            if is_failure(each.result):
                await self._record(each.question, each.result)
                self._sender.failure_recorded()

    async def _record(self, question: Question | Unready, error: ProviderError) -> None:
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
        self._must_stop = True
        self._tally = self._tally.plus(Tally(was_stopped=True))
        until = time.monotonic() + GRACE_SECONDS
        while self._sender.is_busy and time.monotonic() < until:
            self._next_beat = until
            await self._collect()

    async def _store_what_was_heard(self) -> None:
        """Store what came while the last replies were being stored."""
        while heard := self._sender.take_heard(limit=STORED_AT_ONCE):
            await self._store(heard)

    async def _give_back_unsent(self) -> None:
        """Let other workers claim at once what was made ready but not sent."""
        unsent = self._sender.take_unsent()
        if unsent:
            await in_database(release_claims, _claims(unsent))


def _arrived(question: Question, result: CallResult) -> Arrived | None:
    reply = reply_of(result)
    if reply is None:
        return None
    return Arrived(question, reply, result.message if isinstance(result, RefusedError) else reply.note)


def _tally(heard: Iterable[Heard], n_stored: int, n_late: int) -> Tally:
    now = time.monotonic()
    seconds = [now - each.at for each in heard]
    n_slow = sum(each > STORED_WITHIN_SECONDS for each in seconds)
    return Tally(n_stored, n_late, n_slow=n_slow, slowest_seconds=max(seconds))


def _claims(questions: Iterable[Question]) -> list[Claim]:
    return [Claim(question.item.pk, question.token) for question in questions]


def _seconds_until_due(left: Remaining) -> float:
    """Return how long to sleep: until the next item is due, at least a moment, at most a beat."""
    if left.seconds_until_due is None:
        return BEAT_SECONDS / 4
    return min(BEAT_SECONDS, max(0.05, left.seconds_until_due))
