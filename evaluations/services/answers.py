"""Replies as they arrive: the raw text is stored first of all, then read and judged like everyone's answer."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import isfinite
from typing import Any

from django.db import DataError, IntegrityError, transaction

from corpus.scoring.types import Reading
from corpus.services.results import results_changed
from corpus.services.verdicts import Judged, store_verdicts_in_bulk
from evaluations.database_clock import database_now
from evaluations.models import Item, ItemAttempt, ItemReading, ItemScore
from evaluations.providers import NeverRetryError, Reply, Scope
from evaluations.services.attempts import attempt_of_call, is_not_lost, keep_attempts
from evaluations.services.claimed_writes import write_claimed
from evaluations.services.claims import Claim, claim_back
from evaluations.services.failures import record_failure
from evaluations.services.hints import truncation_hint
from evaluations.services.questions import Question, RunContext
from evaluations.services.reply_costs import reply_cost, whole_count
from evaluations.services.reply_reading import read_reply
from evaluations.services.runs import finish_incomplete
from evaluations.storable_text import clipped_error, storable

logger = logging.getLogger(__name__)

_TRACE_LENGTH = 100_000


@dataclass(frozen=True, slots=True)
class Arrived:
    """A question and its reply. `note` is a sentence beside the reply, such as why a filter stopped it."""

    question: Question
    reply: Reply
    note: str = ""


@dataclass(frozen=True, slots=True)
class Stored:
    """How many replies became answers, and how many came too late and were kept as extra attempts."""

    n_stored: int
    n_late: int


def store_answers(*, context: RunContext, arrived: Sequence[Arrived]) -> Stored:
    """Store replies, each under its claim, with readings and verdicts, in one transaction.

    A reply that no longer holds its claim is kept as a late attempt. One that cannot be stored does not keep the
    others from being stored. Raises only the database's own connection errors, with nothing of the batch stored.
    """
    try:
        return _store_together(context, sorted(arrived, key=lambda each: each.question.item.pk))
    except (DataError, IntegrityError, ValueError) as error:
        if len(arrived) > 1:
            parts = [store_answers(context=context, arrived=[each]) for each in arrived]
            return Stored(sum(part.n_stored for part in parts), sum(part.n_late for part in parts))
        _give_up_reply(context, arrived[0], error)
        return Stored(0, 0)


def _store_together(context: RunContext, arrived: Sequence[Arrived]) -> Stored:
    readings = {each.question.item.pk: _reading(context, each) for each in arrived}
    with transaction.atomic():
        written = _write(context, arrived)
        late = _late(each for each in arrived if each.question.item.pk not in written)
        taken_back = _take_back(context, late)
        written |= taken_back
        late = [each for each in late if each.question.item.pk not in taken_back]
        _keep_late(context, late)
        store_verdicts_in_bulk(
            judged=[
                Judged(each.question.item, reading, each.question.target, (context.rule,))
                for each in arrived
                if each.question.item.pk in written and (reading := readings[each.question.item.pk]) is not None
            ],
            reading_model=ItemReading,
            score_model=ItemScore,
            current_rule=context.rule,
        )
        results_changed(benchmark_id=context.benchmark_id, system_id=context.system_id)
        if taken_back:
            finish_incomplete(run_id=context.run_id)
    return Stored(len(arrived) - len(late), len(late))


def _write(context: RunContext, arrived: Sequence[Arrived]) -> set[int]:
    """Write replies to the items whose claims are held; return the ids of those."""
    now = database_now()
    return write_claimed(
        rows=[(each.question.item.pk, each.question.token, _fields(context, each, now)) for each in arrived]
    )


def _take_back(context: RunContext, late: Sequence[Arrived]) -> set[int]:
    """Write replies to items that failed since the worker that brings them was given up for lost; return their ids."""
    if not late:
        return set()
    ids = claim_back(Claim(each.question.item.pk, each.question.token) for each in late)
    taken = [each for each in late if each.question.item.pk in ids]
    for each in taken:
        is_not_lost(item_id=each.question.item.pk, token=each.question.token)
    return _write(context, taken) if taken else set()


def _reading(context: RunContext, each: Arrived) -> Reading | None:
    question = each.question
    return read_reply(
        text=each.reply.text,
        finish_reason=each.reply.finish_reason.value,
        asked=question.asked,
        target=question.target,
        reader=context.reader,
        rule=context.rule,
        name=f"item {question.item.pk}",
    )


def _fields(context: RunContext, each: Arrived, now: datetime) -> dict[str, Any]:
    """Return what a reply puts on its item."""
    reply = each.reply
    return {
        "status": Item.Status.ANSWERED,
        "prompt": storable(reply.prompt_sent or each.question.prepared.prompt),
        "options_shown": [list(option) for option in each.question.prepared.options_shown],
        "completion": storable(reply.text),
        "reasoning": _words(reply.reasoning),
        "finish_reason": reply.finish_reason.value,
        "model_reported": _words(reply.model_reported)[:200],
        "tokens_in": whole_count(reply.tokens_in),
        "tokens_out": whole_count(reply.tokens_out),
        "tokens_cached": whole_count(reply.tokens_cached),
        "tokens_reasoning": whole_count(reply.tokens_reasoning),
        "log_probabilities": _log_probabilities(reply),
        "turns": [[role, storable(text)] for role, text in reply.turns],
        "cost": reply_cost(prices=context.prices, reply=reply),
        "latency_ms": whole_count(reply.latency_ms),
        "source_flags": _facts(reply),
        "answered_at": now,
        "answered_token": each.question.token,
        "outcome": "",
        **clipped_error(code="", message=each.note or truncation_hint(context.parameters, reply)),
        "not_before": None,
        "lease_token": None,
        "lease_until": None,
    }


def _late(unwritten: Iterable[Arrived]) -> list[Arrived]:
    """Return the replies to calls whose question was given to another meanwhile.

    The others are answers already: the connection broke after they were stored, before that was said.
    """
    tokens = {each.question.item.pk: each for each in unwritten}
    if not tokens:
        return []
    answered = dict(Item.objects.filter(pk__in=tokens).values_list("pk", "answered_token"))
    return [each for item_id, each in tokens.items() if answered.get(item_id) != each.question.token]


def _keep_late(context: RunContext, late: Sequence[Arrived]) -> None:
    """Keep replies that came too late; calls whose worker had been given up for lost have their true cost now."""
    keep_attempts([_late_attempt(context, each) for each in late])
    for each in late:
        is_not_lost(item_id=each.question.item.pk, token=each.question.token)


def _late_attempt(context: RunContext, each: Arrived) -> ItemAttempt:
    """Return the record of a reply that came too late; it was paid like any other."""
    return attempt_of_call(
        item_id=each.question.item.pk,
        token=each.question.token,
        kind="late",
        completion=storable(each.reply.text),
        tokens_in=whole_count(each.reply.tokens_in),
        tokens_out=whole_count(each.reply.tokens_out),
        cost=reply_cost(prices=context.prices, reply=each.reply),
        **clipped_error(code="", message=each.note),
    )


def _give_up_reply(context: RunContext, each: Arrived, error: Exception) -> None:
    logger.error("item %s: the reply could not be stored (%s)", each.question.item.pk, type(error).__name__)
    record_failure(
        context=context,
        question=each.question,
        error=NeverRetryError("not_storable", f"The reply could not be stored: {error}", Scope.QUESTION),
        has_answers=True,
    )


def _facts(reply: Reply) -> dict[str, str]:
    """Return what a system reports beside its answer: the tools it used, shortened, where it says so."""
    trace = _words(reply.tool_trace)
    shortened = f"{trace[:_TRACE_LENGTH]} [shortened]" if len(trace) > _TRACE_LENGTH else trace
    return {"tool_trace": shortened} if trace else {}


def _log_probabilities(reply: Reply) -> list[list[Any]] | None:
    """Return [token, log-probability] pairs as the database takes them, None where the system gives none."""
    if reply.log_probabilities is None:
        return None
    return [
        [storable(token), value if value is not None and isfinite(value) else None]
        for token, value in reply.log_probabilities
    ]


def _words(value: object) -> str:
    return storable(value) if isinstance(value, str) else ""
