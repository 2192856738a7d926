"""After the answers: how sure the system is of each, from 1 to 5. It never changes an answer.

Each answered question is asked about once, with question and reply before it. What is stored is not asked again, so
this can be called again after a stop or a failure; what fails makes no run incomplete.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

from asgiref.sync import async_to_sync
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from corpus.scoring.confidence_levels import read_confidence
from corpus.scoring.types import Asked, Kind
from evaluations.database_clock import database_now
from evaluations.models import Item, ItemConfidence, Run
from evaluations.providers import (
    Ask,
    NeverRetryError,
    Provider,
    ProviderError,
    RefusedError,
    Reply,
    RetryLaterError,
    Scope,
)
from evaluations.providers.base import FinishReason
from evaluations.redaction import heard
from evaluations.services.confidence_claims import (
    ASKING,
    claim_confidences,
    confidence_is_open,
    give_back_confidences,
    unasked_items,
)
from evaluations.services.confidence_frozen import CONFIDENCE_KEY
from evaluations.services.costs import budget_problem
from evaluations.services.database_patience import in_database
from evaluations.services.learning_provider import open_learning_provider
from evaluations.services.questions import RunContext
from evaluations.services.rate_limits import EndpointLimits, endpoint_limits
from evaluations.services.reply_costs import reply_cost, whole_count
from evaluations.storable_text import storable

logger = logging.getLogger(__name__)

TRIES = 3
# What would have to wait longer is asked at another time.
LONGEST_WAIT_SECONDS = 30.0
BEAT_SECONDS = 1.0
GRACE_SECONDS = 5.0
# So many failures one after the other mean that the endpoint is down: the rest is asked at another time.
MOST_FAILURES_IN_A_ROW = 10
_GUESS_OF_TOKENS_A_CHARACTER = 1 / 3


@dataclass(frozen=True, slots=True)
class ConfidenceTally:
    """How often a level was asked for, read, and not to be had; `is_over` is False while some are still to be asked."""

    n_asked: int = 0
    n_read: int = 0
    n_failed: int = 0
    is_over: bool = True


@dataclass(frozen=True, slots=True)
class Claimed:
    """An answered item with everything its system is told when it is asked how sure it is."""

    item_id: int
    ask: Ask


def ask_confidence(*, context: RunContext, may_go_on: Callable[[], bool] = lambda: True) -> ConfidenceTally:
    """Ask of every answer of a run how sure its system is, if the run does so; return what came of it.

    `may_go_on` is looked at about once a second; without it no further question is asked, and what is in flight has a
    few seconds to arrive. Never raises for the system's faults: those answers stay without a level.
    """
    run = Run.objects.get(pk=context.run_id)
    if not run.asks_confidence:
        return ConfidenceTally()
    asker = _Asker(context=context, prompt=run.frozen[CONFIDENCE_KEY]["prompt"], may_go_on=may_go_on)
    if asker.read_what_is_left(run):
        async_to_sync(asker.run)(endpoint_limits(run_id=run.pk))
    if asker.hopeless:
        logger.error("run %s: not asked how sure the system is: %s", run.pk, asker.hopeless)
    is_over = bool(asker.hopeless) or not confidence_is_open(run=run)
    return ConfidenceTally(asker.n_asked, asker.n_read, asker.n_failed, is_over)


def confidence_can_be_claimed(*, run: Run) -> bool:
    """Say whether a worker that looks now finds something to ask about a run's answers."""
    seconds = run.parameters.get("timeout_seconds") or settings.EVALUATION_CALL_SECONDS
    return confidence_is_open(run=run, lease=confidence_lease(timeout_seconds=float(seconds)))


def confidence_lease(*, timeout_seconds: float) -> timedelta:
    """Return how long a worker keeps a claim: the longest that all tries at one question can take."""
    return timedelta(seconds=TRIES * (timeout_seconds + LONGEST_WAIT_SECONDS) + 60)


class _Asker:
    """Asks about the answers of one run, as many at once as the system takes; each reply is stored as it arrives."""

    def __init__(self, *, context: RunContext, prompt: str, may_go_on: Callable[[], bool]) -> None:
        self._context = context
        self._prompt = prompt
        self._may_go_on = may_go_on
        self._token = uuid4()
        self._left: deque[int] = deque()
        self._since: datetime = database_now()
        self._in_flight: dict[asyncio.Task[None], int] = {}
        self._closing_since: float | None = None
        self._n_failures_in_a_row = 0
        self.hopeless = ""
        self.n_asked = self.n_read = self.n_failed = 0

    def read_what_is_left(self, run: Run) -> bool:
        """Note which items are to be asked about; return whether there are any."""
        self._left.extend(unasked_items(run=run))
        return bool(self._left)

    async def run(self, limits: EndpointLimits) -> None:
        """Ask until nothing is left or it may not go on; what is held at the end is given back, whatever happened."""
        next_beat = 0.0
        try:
            async with open_learning_provider(self._context) as provider:
                while await self._fill(provider, limits):
                    await asyncio.wait(self._in_flight, timeout=BEAT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                    self._collect()
                    if time.monotonic() >= next_beat:
                        next_beat = time.monotonic() + BEAT_SECONDS
                        await in_database(self._beat)
        finally:
            await self._give_back()
            await limits.aclose()

    def _beat(self) -> None:
        """Close when it may not go on, or when the run's budget is used up."""
        self.hopeless = self.hopeless or budget_problem(run_id=self._context.run_id) or ""
        if self.hopeless or not self._may_go_on():
            self._close()

    async def _fill(self, provider: Provider, limits: EndpointLimits) -> bool:
        """Put as many in flight as the system takes; return whether there is anything to wait for."""
        if self.hopeless:
            self._close()
        free = self._context.concurrency - len(self._in_flight)
        while self._closing_since is None and self._left and free > 0:
            ids = [self._left.popleft() for _ in range(min(free, len(self._left)))]
            for claimed in await in_database(self._claimed, ids):
                self._in_flight[asyncio.create_task(self._one(provider, limits, claimed))] = claimed.item_id
            free = self._context.concurrency - len(self._in_flight)
        is_late = self._closing_since is not None and time.monotonic() > self._closing_since + GRACE_SECONDS
        return bool(self._in_flight) and not is_late

    def _claimed(self, item_ids: list[int]) -> list[Claimed]:
        mine = claim_confidences(
            item_ids=item_ids,
            token=self._token,
            prompt=self._prompt,
            lease=confidence_lease(timeout_seconds=self._context.endpoint.timeout_seconds),
            since=self._since,
        )
        items = Item.objects.filter(pk__in=mine).order_by("position", "repeat")
        return [Claimed(item.pk, self._ask_about(item)) for item in items]

    def _ask_about(self, item: Item) -> Ask:
        said_first = self._context.system_prompt
        # Where the endpoint took no system prompt, the prompt as it was sent begins with it.
        is_in_prompt = bool(said_first) and item.prompt.startswith(f"{said_first}\n\n")
        turns = (*((role, text) for role, text in item.turns), ("assistant", item.completion), ("user", self._prompt))
        return Ask(
            prompt=item.prompt,
            asked=Asked(Kind.TEXT),
            parameters=self._context.parameters,
            seed=self._context.seed,
            repeat=item.repeat,
            system_prompt="" if is_in_prompt else said_first,
            turns=turns,
        )

    def _close(self) -> None:
        if self._closing_since is None:
            self._closing_since = time.monotonic()

    def _collect(self) -> None:
        """Forget what is done; raise what went wrong on our side."""
        for task in [task for task in self._in_flight if task.done()]:
            del self._in_flight[task]
            task.result()

    async def _one(self, provider: Provider, limits: EndpointLimits, claimed: Claimed) -> None:
        result = await self._result(provider, limits, claimed)
        if isinstance(result, Reply):
            self._n_failures_in_a_row = 0
            await in_database(self._store, claimed, result)
            return
        self._n_failures_in_a_row += 1
        if isinstance(result, NeverRetryError) and result.scope is Scope.RUN:
            self.hopeless = result.message
        elif self._n_failures_in_a_row >= MOST_FAILURES_IN_A_ROW:
            self.hopeless = f"{MOST_FAILURES_IN_A_ROW} failures one after the other; the last: {result.message}"
        await in_database(self._store_failure, claimed, result)

    async def _result(self, provider: Provider, limits: EndpointLimits, claimed: Claimed) -> Reply | ProviderError:
        """Return the reply, empty where the system declined, or why there is none after every try."""
        failure: ProviderError = RetryLaterError("not_asked", "It was not asked.")
        for attempt in range(TRIES):
            await _until_granted(limits, claimed.ask)
            try:
                async with asyncio.timeout(self._context.endpoint.timeout_seconds):
                    return await provider.ask(claimed.ask)
            except RefusedError:
                return Reply(text="", finish_reason=FinishReason.CONTENT_FILTER)
            except NeverRetryError as error:
                return error
            except ProviderError as error:
                failure = error
            except TimeoutError:
                failure = RetryLaterError("timeout", "The system did not answer in time.")
            except Exception as error:  # noqa: BLE001 -- whatever an adapter does, the answers are stored
                said = heard(f"{type(error).__name__}: {error}", [self._context.endpoint.api_key])
                return NeverRetryError("unexpected", f"The adapter failed: {said}", Scope.UNCLEAR)
            delay = failure.delay_seconds if isinstance(failure, RetryLaterError) else None
            if delay and delay > LONGEST_WAIT_SECONDS:
                break
            if attempt + 1 < TRIES:
                await asyncio.sleep(delay or settings.EVALUATION_RETRY_SECONDS * 2**attempt)
        return failure

    def _store(self, claimed: Claimed, reply: Reply) -> None:
        """Keep the reply and its level, unless the claim has gone to another worker meanwhile."""
        level = read_confidence(storable(reply.text)).level
        with transaction.atomic():
            is_stored = self._mine(claimed).update(
                completion=storable(reply.text),
                finish_reason=reply.finish_reason.value,
                level=level,
                tokens_in=whole_count(reply.tokens_in),
                tokens_out=whole_count(reply.tokens_out),
                cost=reply_cost(prices=self._context.prices, reply=reply),
                error_code="",
                error_message="",
            )
            if is_stored:
                Item.objects.filter(pk=claimed.item_id).update(confidence=level)
        self.n_asked += is_stored
        self.n_read += is_stored and level is not None

    def _store_failure(self, claimed: Claimed, error: ProviderError) -> None:
        failed = self._mine(claimed).update(error_code=error.code[:40], error_message=error.message[:500])
        self.n_asked += failed
        self.n_failed += failed

    def _mine(self, claimed: Claimed) -> QuerySet[ItemConfidence]:
        return ItemConfidence.objects.filter(item=claimed.item_id, error_code=ASKING, error_message=str(self._token))

    async def _give_back(self) -> None:
        """Cancel what is in flight and let others ask it."""
        if not self._in_flight:
            return
        for task in self._in_flight:
            task.cancel()
        await asyncio.gather(*self._in_flight, return_exceptions=True)
        ids = list(self._in_flight.values())
        self._in_flight.clear()
        await in_database(give_back_confidences, item_ids=ids, token=self._token)


async def _until_granted(limits: EndpointLimits, ask: Ask) -> None:
    n_characters = len(ask.prompt) + sum(len(text) for _, text in ask.turns)
    guess = max(1, round(n_characters * _GUESS_OF_TOKENS_A_CHARACTER))
    while not (taken := await limits.take([guess])).n_granted:
        await asyncio.sleep(taken.wait_seconds)
