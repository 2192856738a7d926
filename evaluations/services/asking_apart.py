"""The loop for what is asked about answers, apart from them: how sure the system is, what a reply means.

It waits for the endpoint's limits and sends as the asking loop does, through the same sender; what it asks, and where
replies go, is a desk's.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from django.conf import settings

from evaluations.providers import (
    Ask,
    NeverRetryError,
    Provider,
    ProviderError,
    RetryLaterError,
    Scope,
)
from evaluations.services.asking_loop import GATHER_SECONDS, STORED_AT_ONCE, never
from evaluations.services.call_results import is_failure
from evaluations.services.database_patience import in_database
from evaluations.services.failures import CutOffCall, backoff_seconds
from evaluations.services.questions import Question, RunContext
from evaluations.services.rate_limits import EndpointLimits
from evaluations.services.sending import Heard, Sender

BEAT_SECONDS = 1.0
# Calls that are under way when the process must end get this long; then others ask.
GRACE_SECONDS = 5.0
# What is due later is left to another job.
LONGEST_WAIT_SECONDS = 30.0
# So many given up without a reply in between mean that there is no more to be had now.
_OUT_OF_TRIES_BEFORE_END = 3
_REFUSED_BEFORE_END = 10


@dataclass(frozen=True, slots=True)
class ApartPace:
    """When to end, looked at about once a second in the database's thread.

    `may_go_on`: once it is False nothing more is asked, and what is in flight is waited for. `must_stop`: what is in
    flight gets a few seconds. `budget_problem` says why nothing more may be spent, None while something may.
    """

    may_go_on: Callable[[], bool] = lambda: True
    must_stop: Callable[[], bool] = never
    budget_problem: Callable[[], str | None] = lambda: None


@dataclass(frozen=True, slots=True)
class ApartTally:
    """What was done: replies kept or given up (`n_asked`), of those read and failed.

    `hopeless` says why no further call can succeed, `spent` why nothing more may be spent; "" where one may.
    """

    n_asked: int = 0
    n_read: int = 0
    n_failed: int = 0
    was_stopped: bool = False
    hopeless: str = ""
    spent: str = ""

    def plus(self, other: "ApartTally") -> "ApartTally":
        """Return both together."""
        return ApartTally(
            self.n_asked + other.n_asked,
            self.n_read + other.n_read,
            self.n_failed + other.n_failed,
            self.was_stopped or other.was_stopped,
            self.hopeless or other.hopeless,
            self.spent or other.spent,
        )


class Ending(NamedTuple):
    """What a call without a reply comes to: asked again after so many seconds, or given up (None)."""

    delay_seconds: float | None
    hopeless: str = ""


class Failures:
    """Decides what becomes of calls that failed, and when so many have that the rest is hopeless."""

    def __init__(self) -> None:
        self._n_out_of_tries = 0
        self._n_refused = 0

    def replied(self) -> None:
        """Take a reply into account."""
        self._n_out_of_tries = self._n_refused = 0

    def ending(self, error: ProviderError, *, tries: int, has_replies: bool) -> Ending:
        """Return what becomes of a call that failed after `tries` failures before it."""
        if isinstance(error, RetryLaterError):
            if tries + 1 < settings.EVALUATION_TRIES:
                return Ending(backoff_seconds(tries=tries, asked_seconds=error.delay_seconds))
            self._n_out_of_tries += 1
            is_down = self._n_out_of_tries >= (_OUT_OF_TRIES_BEFORE_END if has_replies else 1)
            return Ending(None, f"{error.message} This stayed so after {tries + 1} tries." if is_down else "")
        self._n_refused += 1
        is_lasting = isinstance(error, NeverRetryError) and error.scope is Scope.RUN
        return Ending(None, error.message if is_lasting or self._n_refused >= _REFUSED_BEFORE_END else "")


class Desk(Protocol):
    """Says what to ask and takes what was heard. Everything is called in the database's thread."""

    def has_replies(self) -> bool:
        """Say whether a reply came already; until then one is asked alone."""
        ...

    def claim(self, *, limit: int, only_first: bool) -> Sequence[Question]:
        """Claim what is to be asked now."""
        ...

    def renew(self, questions: Sequence[Question]) -> None:
        """Keep claims alive."""
        ...

    def take(self, heard: Sequence[Heard]) -> ApartTally:
        """Keep replies, and what became of failed calls."""
        ...

    def give_back(self, questions: Sequence[Question]) -> None:
        """Let others ask what was not sent."""
        ...

    def cut_off(self, calls: Sequence[CutOffCall]) -> None:
        """Let others ask what was on its way when the process had to end."""
        ...

    def seconds_until_due(self) -> float | None:
        """Return when there is something to claim, None where nothing is left."""
        ...


class ApartLoop:
    """Asks what a desk has until nothing is left to ask soon, or the pace says stop."""

    def __init__(
        self,
        *,
        context: RunContext,
        provider: Provider,
        limits: EndpointLimits,
        desk: Desk,
        ask: Callable[[Question], Ask],
        pace: ApartPace,
    ) -> None:
        self._provider = provider
        self._desk = desk
        self._pace = pace
        self._sender = Sender(context=context, provider=provider, limits=limits, ask=ask)
        self._has_replies = False
        self._is_closing = False
        self._stops_at: float | None = None
        self._next_beat = 0.0
        self._last_renewal = time.monotonic()
        self._sender.send_until = self._last_renewal + settings.EVALUATION_LEASE_SECONDS
        self._tally = ApartTally()

    async def run(self) -> ApartTally:
        """Ask; return what was done. Claims that are still held at the end are given back, whatever happened."""
        cut_off: list[CutOffCall] = []
        try:
            async with self._provider:
                self._sender.start()
                try:
                    while await self._step():
                        pass
                    cut_off += await self._sender.cancel()
                    while heard := self._sender.take_heard(limit=STORED_AT_ONCE):
                        await self._take(heard)
                finally:
                    cut_off += await self._sender.cancel()
        finally:
            await self._give_back_unsent()
            if cut_off:
                await in_database(self._desk.cut_off, cut_off)
        return self._tally

    async def _step(self) -> bool:
        """Do one round; return False when it is over."""
        await self._beat_if_due()
        n_claimed = 0 if self._is_closing else await self._claim()
        if self._sender.is_busy:
            await self._collect()
            return self._stops_at is None or time.monotonic() < self._stops_at
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
        if must_stop and self._stops_at is None:
            self._stops_at = time.monotonic() + GRACE_SECONDS
            self._tally = self._tally.plus(ApartTally(was_stopped=True))
        if not may_go_on or must_stop:
            await self._close()

    def _beat(self) -> tuple[bool, bool]:
        """Renew claims; return (may ask on, must stop)."""
        now = time.monotonic()
        if now >= self._last_renewal + settings.EVALUATION_LEASE_SECONDS / 3:
            self._desk.renew(self._sender.held_questions())
            self._last_renewal = now
        spent = self._pace.budget_problem() or ""
        self._tally = self._tally.plus(ApartTally(spent=spent))
        return self._pace.may_go_on() and not spent, self._pace.must_stop()

    async def _claim(self) -> int:
        wanted = self._sender.n_wanted if self._has_replies else int(not self._sender.is_busy)
        if not wanted:
            return 0
        ready = await in_database(self._claimed, wanted)
        self._sender.add(ready)
        return len(ready)

    def _claimed(self, wanted: int) -> Sequence[Question]:
        self._has_replies = self._has_replies or self._desk.has_replies()
        return self._desk.claim(limit=wanted if self._has_replies else 1, only_first=not self._has_replies)

    async def _collect(self) -> None:
        """Wait for replies, at most until the next beat, and take those that came."""
        await self._sender.wait(seconds=self._next_beat - time.monotonic())
        if self._sender.n_in_flight:
            await asyncio.sleep(GATHER_SECONDS)
        if heard := self._sender.take_heard(limit=STORED_AT_ONCE):
            await self._take(heard)
            await self._sender.settle(heard)

    async def _take(self, heard: Sequence[Heard]) -> None:
        taken = await in_database(self._desk.take, heard)
        self._tally = self._tally.plus(taken)
        if taken.hopeless:
            await self._close()
        for each in heard:
            if is_failure(each.result):
                self._sender.failure_recorded()
        if not self._is_closing:
            self._sender.go_on()

    async def _close(self) -> None:
        """Ask no more."""
        self._is_closing = True
        await self._give_back_unsent()

    async def _wait_for_work(self) -> bool:
        """Sleep until something may be claimed; return False when nothing is soon."""
        due = await in_database(self._desk.seconds_until_due)
        if due is None or due > LONGEST_WAIT_SECONDS:
            return False
        await asyncio.sleep(min(BEAT_SECONDS, max(0.05, due)))
        return True

    async def _give_back_unsent(self) -> None:
        if unsent := self._sender.take_unsent():
            await in_database(self._desk.give_back, unsent)
