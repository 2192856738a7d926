"""Read what our reader could not, with another system, in runs that say so. It extracts; it never answers.

The strict reading and its score stay; a fallback's is stored beside them and is the current verdict of such a run.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from asgiref.sync import async_to_sync
from django.conf import settings

from corpus.scoring.rules import judge
from corpus.scoring.types import Asked, Reading, ReadStatus, Target
from corpus.selectors.later_keys import KeyInForce, keys_in_force
from corpus.selectors.targets import asked_from_prompt, target_of
from corpus.services.results import results_changed
from corpus.services.verdicts import reading_fields, score_fields
from evaluations.errors import CannotBeAskedError
from evaluations.models import Item, Run, System
from evaluations.prompts import DEFAULT_PROMPT_STYLE, Prepared, prompt_style
from evaluations.providers import OUR_PARAMETERS, Ask, Endpoint, Reply, open_provider
from evaluations.selectors.fallback import unread_items
from evaluations.services.apart_desk import RowDesk
from evaluations.services.apart_rows import FALLBACK, ApartClaim, give_up_open
from evaluations.services.asking_apart import ApartLoop, ApartPace, ApartTally, Desk
from evaluations.services.asking_loop import never
from evaluations.services.costs import Prices, budget_problem, prices_of
from evaluations.services.fallback_checks import checked_reading
from evaluations.services.fallback_claims import UNREAD, WAITS, fallback_is_open, fallback_reason
from evaluations.services.fallback_frozen import FROZEN_KEY
from evaluations.services.fallback_prompt import fallback_prompt
from evaluations.services.questions import Question, RunContext, checked_address, frozen_key
from evaluations.services.rate_limits import frozen_limits
from evaluations.storable_text import storable

logger = logging.getLogger(__name__)
_NO_RUN = UUID(int=0)


@dataclass(frozen=True, slots=True)
class FallbackTally:
    """How many replies were put to the fallback reader, how many it read, and how many calls failed for good.

    `is_over` is False while some are still to be put to it; `spent` says why the run's budget does not allow that.
    """

    n_asked: int = 0
    n_read: int = 0
    n_failed: int = 0
    is_over: bool = True
    spent: str = ""


@dataclass(frozen=True, slots=True)
class FallbackReader:
    """A fallback reader that can be asked: what was frozen of it, and how it is reached now."""

    facts: Mapping[str, Any]
    system: System
    context: RunContext

    @property
    def name(self) -> str:
        """The name under which its readings are stored."""
        return str(self.facts["reader"])


def read_with_fallback(
    *,
    run_id: UUID,
    may_go_on: Callable[[], bool] = lambda: True,
    must_stop: Callable[[], bool] = never,
) -> FallbackTally:
    """Put the unparsed replies of a run to its fallback reader, if it has one, each once; return what came of it.

    What was put to it before is left alone, and what another worker is putting to it is left to that one, so that this
    can be called any number of times, at once or after a stop. `may_go_on` and `must_stop`: see `ApartPace`. Nothing is
    asked once the run's budget is used up. Never raises for the other system's faults: those replies stay unparsed,
    and the run says so.
    """
    run = Run.objects.select_related("set_revision__question_set__benchmark").get(pk=run_id)
    if FROZEN_KEY not in run.frozen:
        return FallbackTally()
    done = ApartTally()
    if fallback_is_open(run=run):
        try:
            reader = fallback_reader(run.frozen[FROZEN_KEY])
            pace = ApartPace(may_go_on, must_stop, partial(budget_problem, run_id=run_id))
            done = ask_reader(reader=reader, desk=_FallbackDesk(reader=reader, run=run), pace=pace)
        except CannotBeAskedError as error:
            done = ApartTally(hopeless=str(error))
        if done.hopeless:
            logger.error("run %s: the fallback reader cannot be asked: %s", run_id, done.hopeless)
            give_up_open(apart=FALLBACK, items=unread_items(run), code=UNREAD, message=done.hopeless)
    _say(run)
    is_over = not fallback_is_open(run=run)
    return FallbackTally(done.n_asked, done.n_read, done.n_failed, is_over, done.spent)


def fallback_reader(facts: Mapping[str, Any]) -> FallbackReader:
    """Return a frozen fallback reader. Raises CannotBeAskedError without its system or its key; see `frozen_key`."""
    system = System.objects.filter(slug=facts["system"]).first()
    if system is None:
        raise CannotBeAskedError(f"The system {facts['system']} is no longer there.")
    seconds = float(facts["parameters"].get("timeout_seconds") or settings.EVALUATION_CALL_SECONDS)
    context = RunContext(
        run_id=_NO_RUN,
        benchmark_id=0,
        provider=facts["provider"],
        endpoint=Endpoint(
            model_id=facts["model_id"],
            base_url=checked_address(facts["base_url"]),
            api_key=frozen_key(facts=facts, system=system),
            timeout_seconds=seconds,
        ),
        style=prompt_style(DEFAULT_PROMPT_STYLE),
        parameters={name: value for name, value in facts["parameters"].items() if name not in OUR_PARAMETERS},
        seed=0,
        reader=facts["reader"],
        rule="",
        concurrency=max(1, min(system.concurrency, settings.EVALUATION_CONCURRENCY)),
        prices=prices_of(facts),
    )
    return FallbackReader(facts, system, context)


def ask_reader(*, reader: FallbackReader, desk: Desk, pace: ApartPace) -> ApartTally:
    """Put what a desk has to a fallback reader, within its limits, until nothing is left to ask soon."""
    loop = ApartLoop(
        context=reader.context,
        provider=open_provider(reader.context.provider, reader.context.endpoint),
        limits=frozen_limits(facts=reader.facts, system=reader.system),
        desk=desk,
        ask=partial(_ask, reader.context),
        pace=pace,
    )
    return async_to_sync(loop.run)()


def question_about(*, item: Item, token: UUID, asked: Asked) -> Question:
    """Return what a fallback reader is asked about an item's reply."""
    prompt = fallback_prompt(reply=item.completion, asked=asked)
    return Question(item, token, Prepared(prompt), asked, Target(asked.kind))


def reading_of(*, reader: FallbackReader, question: Question, reply: Reply) -> Reading:
    """Return what a fallback reader's words come to, checked against the reply it was asked about."""
    return checked_reading(
        output=storable(reply.text), completion=question.item.completion, asked=question.asked, reader=reader.name
    )


class _FallbackDesk(RowDesk):
    """The replies of one run that our reader could not read."""

    def __init__(self, *, reader: FallbackReader, run: Run) -> None:
        super().__init__(
            apart=FALLBACK, run=run, items=partial(unread_items, run), prices=_prices(reader.context.prices, run)
        )
        self._reader = reader
        self._benchmark = run.set_revision.question_set.benchmark
        self._system_id = run.system_id

    def questions(self, claims: Sequence[ApartClaim]) -> list[Question]:
        tokens = {claim.item_id: claim.token for claim in claims}
        items = Item.objects.filter(pk__in=tokens).select_related("question_revision").order_by("position", "repeat")
        return [
            question_about(
                item=item,
                token=tokens[item.pk],
                asked=asked_from_prompt(item.question_revision, item.options_shown, ""),
            )
            for item in items
        ]

    def kept(self, replies: Sequence[tuple[Question, Reply]]) -> int:
        """Add readings and scores; the verdict of an item that is still unparsed becomes the fallback's."""
        results_changed(benchmark_id=self._benchmark.pk, system_id=self._system_id)
        readings = {
            question.item.pk: reading_of(reader=self._reader, question=question, reply=reply)
            for question, reply in replies
        }
        items = list(Item.objects.filter(pk__in=readings).order_by("pk"))
        keys = keys_in_force({item.question_revision_id for item in items})
        for item in items:
            _store_one(item, readings[item.pk], _key_on_row(item, keys), self._benchmark.default_rule)
        return sum(reading.status is ReadStatus.READ for reading in readings.values())


def _ask(context: RunContext, question: Question) -> Ask:
    return Ask(prompt=question.prepared.prompt, asked=question.asked, parameters=context.parameters)


def _prices(prices: Prices, run: Run) -> Prices:
    """Return the reader's prices, unknown where they cannot be added to what the run costs."""
    is_alike = prices.are_nothing or prices.currency == prices_of(run.frozen).currency
    return prices if is_alike else Prices()


def _say(run: Run) -> None:
    """Let the run say what its fallback reader has not read, unless it is paused or stopped for a reason of its own."""
    run.refresh_from_db(fields=["error_code"])
    sayable = Run.objects.filter(
        pk=run.pk,
        status__in=[Run.Status.RUNNING, Run.Status.FINISHED, Run.Status.INCOMPLETE],
        error_code__in=["", WAITS, UNREAD],
    )
    if reason := fallback_reason(run=run):
        sayable.update(**reason)


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
