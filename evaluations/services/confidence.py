"""After the answers: how sure the system is of each, from 1 to 5. It never changes an answer.

Each answered question is asked about once, with question and reply before it. What is stored is not asked again, so
this can be called again after a stop or a failure; what fails makes no run incomplete.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from asgiref.sync import async_to_sync
from django.db import transaction

from corpus.scoring.confidence_levels import read_confidence
from corpus.scoring.types import Asked, Kind, Target
from corpus.services.results import results_changed
from evaluations.models import Item, Run
from evaluations.prompts import Prepared
from evaluations.providers import Ask, Reply
from evaluations.selectors.confidence import askable_items
from evaluations.services.apart_desk import RowDesk
from evaluations.services.apart_rows import CONFIDENCE, ApartClaim, give_up_open
from evaluations.services.asking_apart import ApartLoop, ApartPace, ApartTally
from evaluations.services.asking_loop import never
from evaluations.services.confidence_claims import confidence_is_open
from evaluations.services.confidence_frozen import CONFIDENCE_KEY
from evaluations.services.costs import BUDGET, budget_problem
from evaluations.services.learning_provider import open_learning_provider
from evaluations.services.questions import Question, RunContext
from evaluations.services.rate_limits import endpoint_limits
from evaluations.services.sending import Heard
from evaluations.storable_text import storable

logger = logging.getLogger(__name__)

# Of answers that were not asked about since asking was given up for all of them.
UNASKED = "not_asked"


@dataclass(frozen=True, slots=True)
class ConfidenceTally:
    """How often a level was asked for, read, and not to be had; `is_over` is False while some are still to be asked."""

    n_asked: int = 0
    n_read: int = 0
    n_failed: int = 0
    is_over: bool = True


def ask_confidence(
    *,
    context: RunContext,
    may_go_on: Callable[[], bool] = lambda: True,
    must_stop: Callable[[], bool] = never,
) -> ConfidenceTally:
    """Ask of every answer of a run how sure its system is, if the run does so; return what came of it.

    `may_go_on` and `must_stop` are looked at about once a second; see `ApartPace`. Nothing is asked once the run's
    budget is used up. Never raises for the system's faults: those answers stay without a level.
    """
    run = Run.objects.get(pk=context.run_id)
    if not confidence_is_open(run=run):
        return ConfidenceTally()
    prompt = run.frozen[CONFIDENCE_KEY]["prompt"]
    loop = ApartLoop(
        context=context,
        provider=open_learning_provider(context),
        limits=endpoint_limits(run_id=run.pk),
        desk=_ConfidenceDesk(context=context, run=run, prompt=prompt),
        ask=partial(_ask_about, context, prompt),
        pace=ApartPace(may_go_on, must_stop, partial(budget_problem, run_id=run.pk)),
    )
    done = async_to_sync(loop.run)()
    n_failed = done.n_failed
    if reason := done.hopeless or done.spent:
        logger.error("run %s: not asked further how sure the system is: %s", run.pk, reason)
        code = BUDGET if done.spent else UNASKED
        with transaction.atomic():
            n_failed += give_up_open(
                apart=CONFIDENCE, items=askable_items(run), code=code, message=reason, prompt=prompt
            )
            results_changed(benchmark_id=context.benchmark_id, system_id=run.system_id)
    is_over = not confidence_is_open(run=run)
    if is_over:
        # The last one may have been given up for a worker that was lost, without a reply.
        results_changed(benchmark_id=context.benchmark_id, system_id=run.system_id)
    return ConfidenceTally(done.n_asked, done.n_read, n_failed, is_over=is_over)


class _ConfidenceDesk(RowDesk):
    """The answers of one run."""

    def __init__(self, *, context: RunContext, run: Run, prompt: str) -> None:
        super().__init__(apart=CONFIDENCE, run=run, items=partial(askable_items, run), prices=context.prices)
        self._prompt = prompt
        self._benchmark_id = context.benchmark_id
        self._system_id = run.system_id

    def take(self, heard: Sequence[Heard]) -> ApartTally:
        """See `Desk`. What readers are shown of it depends on every level, and on whether any is left to ask."""
        with transaction.atomic():
            tally = super().take(heard)
            if tally.n_asked:
                results_changed(benchmark_id=self._benchmark_id, system_id=self._system_id)
        return tally

    def row_fields(self) -> Mapping[str, Any]:
        return {"prompt": self._prompt}

    def questions(self, claims: Sequence[ApartClaim]) -> list[Question]:
        tokens = {claim.item_id: claim.token for claim in claims}
        items = Item.objects.filter(pk__in=tokens).order_by("position", "repeat")
        return [
            Question(item, tokens[item.pk], Prepared(_all_words(item)), Asked(Kind.TEXT), Target(Kind.TEXT))
            for item in items
        ]

    def reply_fields(self, reply: Reply) -> Mapping[str, Any]:
        return {"level": _level(reply)}

    def kept(self, replies: Sequence[tuple[Question, Reply]]) -> int:
        levels = [(question.item.pk, _level(reply)) for question, reply in replies]
        for item_id, level in levels:
            Item.objects.filter(pk=item_id).update(confidence=level)
        return sum(level is not None for _, level in levels)


def _ask_about(context: RunContext, prompt: str, question: Question) -> Ask:
    item, said_first = question.item, context.system_prompt
    # Where the endpoint took no system prompt, the prompt as it was sent begins with it.
    is_in_prompt = bool(said_first) and item.prompt.startswith(f"{said_first}\n\n")
    turns = (*((role, text) for role, text in item.turns), ("assistant", item.completion), ("user", prompt))
    return Ask(
        prompt=item.prompt,
        asked=question.asked,
        parameters=context.parameters,
        seed=context.seed,
        repeat=item.repeat,
        system_prompt="" if is_in_prompt else said_first,
        turns=turns,
    )


def _all_words(item: Item) -> str:
    """Return all that is said again before the question, for a guess of its tokens."""
    return "\n".join((item.prompt, *(text for _, text in item.turns), item.completion))


def _level(reply: Reply) -> int | None:
    return read_confidence(storable(reply.text)).level
