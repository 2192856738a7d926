"""Read what our reader could not, with another system, in runs that say so. It extracts; it never answers.

The strict reading and its score stay; a fallback's is stored beside them and is the current verdict of such a run.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from asgiref.sync import async_to_sync
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from corpus.scoring.rules import judge
from corpus.scoring.types import Asked, Reading, ReadStatus
from corpus.selectors.later_keys import KeyInForce, keys_in_force
from corpus.selectors.targets import asked_from_prompt, target_of
from corpus.services.results import results_changed
from corpus.services.verdicts import reading_fields, score_fields
from evaluations.errors import CannotBeAskedError
from evaluations.models import Item, ItemReading, Run, System
from evaluations.providers import (
    OUR_PARAMETERS,
    Ask,
    Endpoint,
    NeverRetryError,
    Provider,
    ProviderError,
    RefusedError,
    RetryLaterError,
    Scope,
    open_provider,
)
from evaluations.services.answers import storable
from evaluations.services.fallback_checks import checked_reading
from evaluations.services.fallback_frozen import FROZEN_KEY
from evaluations.services.fallback_prompt import fallback_prompt
from evaluations.services.questions import checked_address, key_from_environment
from evaluations.services.runs import run_heartbeat

logger = logging.getLogger(__name__)
AT_ONCE = 50
TRIES = 3
# A reply that would have to wait longer stays unparsed and is put to the reader at another time.
LONGEST_WAIT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class FallbackTally:
    """How many replies were put to the fallback reader, how many it read, and how many calls failed for good."""

    n_asked: int = 0
    n_read: int = 0
    n_failed: int = 0


@dataclass(frozen=True, slots=True)
class Unparsed:
    """A reply that our reader could not read."""

    item_id: int
    completion: str
    asked: Asked


@dataclass(frozen=True, slots=True)
class Extracted:
    """Checked readings by item id; `hopeless` says why no further call can succeed, "" where one may."""

    readings: Mapping[int, Reading]
    hopeless: str = ""


def read_with_fallback(*, run_id: UUID, must_stop: Callable[[], bool] = lambda: False) -> FallbackTally:
    """Put the unparsed replies of a run to its fallback reader, if it has one, each once; return what came of it.

    What was read before is left alone, so that this can be called again after a stop or a failure. Never raises for
    the other system's faults: those replies stay unparsed, and waiting.
    """
    run = Run.objects.select_related("set_revision__question_set__benchmark").get(pk=run_id)
    facts = run.frozen.get(FROZEN_KEY)
    if not facts:
        return FallbackTally()
    tally = FallbackTally()
    try:
        endpoint = endpoint_of(facts)
        for batch in _batches(run, facts["reader"]):
            if must_stop():
                break
            run_heartbeat(run_id=run_id)
            extracted = extract(facts=facts, endpoint=endpoint, replies=batch)
            _store(run, extracted.readings)
            tally = _added(tally, len(batch), extracted.readings)
            if extracted.hopeless:
                raise CannotBeAskedError(extracted.hopeless)
    except CannotBeAskedError as error:
        logger.error("run %s: the fallback reader %s cannot be asked: %s", run_id, facts["system"], error)
    return tally


def endpoint_of(facts: Mapping[str, Any]) -> Endpoint:
    """Return how a frozen fallback reader is reached. Raises CannotBeAskedError without its key."""
    system = System.objects.filter(slug=facts["system"]).first()
    if system is None:
        raise CannotBeAskedError(f"The system {facts['system']} is no longer there.")
    seconds = float(facts["parameters"].get("timeout_seconds") or settings.EVALUATION_CALL_SECONDS)
    return Endpoint(
        model_id=facts["model_id"],
        base_url=checked_address(facts["base_url"]),
        api_key=key_from_environment(system.api_key_variable),
        timeout_seconds=seconds,
    )


def extract(*, facts: Mapping[str, Any], endpoint: Endpoint, replies: Sequence[Unparsed]) -> Extracted:
    """Ask the fallback reader about replies, several at a time. A reply whose calls failed is left out."""
    return async_to_sync(_extract)(facts, endpoint, replies)


def waiting_items(run: Run, reader: str) -> QuerySet[Item]:
    """Return the items whose current verdict is `unparsed` and that this fallback reader has not seen.

    Replies that were cut off, refused, empty or given up are none of them, and neither is what a person has read.
    """
    readings = ItemReading.objects.filter(answer=OuterRef("pk"))
    return (
        run.items.filter(status=Item.Status.ANSWERED, outcome=ReadStatus.UNPARSED.value)
        .filter(~Exists(readings.filter(reader=reader)), ~Exists(readings.filter(corrected_by__isnull=False)))
        .order_by("pk")
    )


def _batches(run: Run, reader: str) -> Iterator[list[Unparsed]]:
    ids = list(waiting_items(run, reader).values_list("pk", flat=True))
    for start in range(0, len(ids), AT_ONCE):
        items = Item.objects.filter(pk__in=ids[start : start + AT_ONCE]).select_related("question_revision")
        yield [
            Unparsed(item.pk, item.completion, asked_from_prompt(item.question_revision, item.options_shown, ""))
            for item in items.order_by("pk")
        ]


async def _extract(facts: Mapping[str, Any], endpoint: Endpoint, replies: Sequence[Unparsed]) -> Extracted:
    room = asyncio.Semaphore(settings.EVALUATION_CONCURRENCY)
    async with open_provider(facts["provider"], endpoint) as provider:
        found = await asyncio.gather(*[_written(facts, endpoint, provider, room, reply) for reply in replies])
    readings = {
        reply.item_id: checked_reading(
            output=storable(output), completion=reply.completion, asked=reply.asked, reader=facts["reader"]
        )
        for reply, output in zip(replies, found, strict=True)
        if isinstance(output, str)
    }
    hopeless = [output.message for output in found if isinstance(output, NeverRetryError) and output.scope is Scope.RUN]
    return Extracted(readings, hopeless[0] if hopeless else "")


async def _written(
    facts: Mapping[str, Any], endpoint: Endpoint, provider: Provider, room: asyncio.Semaphore, reply: Unparsed
) -> str | ProviderError:
    """Return what the other system wrote, "" where it declined, or why it could not be asked."""
    ask = Ask(
        prompt=fallback_prompt(reply=reply.completion, asked=reply.asked),
        asked=reply.asked,
        parameters={name: value for name, value in facts["parameters"].items() if name not in OUR_PARAMETERS},
    )
    failure: ProviderError = RetryLaterError("not_asked", "It was not asked.")
    for attempt in range(TRIES):
        try:
            async with room, asyncio.timeout(endpoint.timeout_seconds):
                return (await provider.ask(ask)).text
        except RefusedError:
            return ""
        except NeverRetryError as error:
            return error
        except ProviderError as error:
            failure = error
        except TimeoutError:
            failure = RetryLaterError("timeout", "The system did not answer in time.")
        delay = failure.delay_seconds if isinstance(failure, RetryLaterError) else None
        if delay and delay > LONGEST_WAIT_SECONDS:
            break
        await asyncio.sleep(delay or settings.EVALUATION_RETRY_SECONDS * 2**attempt)
    return failure


def _store(run: Run, readings: Mapping[int, Reading]) -> None:
    """Add readings and scores; the verdict of an item that is still unparsed becomes the fallback's."""
    benchmark = run.set_revision.question_set.benchmark
    items = list(Item.objects.filter(pk__in=readings).order_by("pk"))
    keys = keys_in_force({item.question_revision_id for item in items})
    with transaction.atomic():
        results_changed(benchmark_id=benchmark.pk)
        for item in items:
            _store_one(item, readings[item.pk], _key_on_row(item, keys), benchmark.default_rule)


def _key_on_row(item: Item, keys: Mapping[int, KeyInForce]) -> KeyInForce:
    """Return the key the item's verdict was made with: a corrected one only once that has been accepted."""
    key = keys[item.question_revision_id]
    return key if item.key_revision_id == key.revision_id else KeyInForce(key.revision, target_of(key.revision))


def _store_one(item: Item, reading: Reading, key: KeyInForce, rule: str) -> None:
    fields = reading_fields(reading)
    row, is_new = item.readings.get_or_create(reader=fields.pop("reader"), corrected_by=None, defaults=fields)
    if not is_new:
        return
    verdict = judge(reading=reading, target=key.target, rule=rule)
    item.scores.create(reading=row, key_revision_id=key.revision_id, **score_fields(verdict))
    if reading.status is ReadStatus.READ:
        still_unparsed = Item.objects.filter(pk=item.pk, outcome=ReadStatus.UNPARSED.value, rule=rule)
        still_unparsed.update(outcome=verdict.outcome.value, credit=verdict.credit)


def _added(tally: FallbackTally, n_asked: int, readings: Mapping[int, Reading]) -> FallbackTally:
    n_read = sum(reading.status is ReadStatus.READ for reading in readings.values())
    return FallbackTally(tally.n_asked + n_asked, tally.n_read + n_read, tally.n_failed + n_asked - len(readings))
