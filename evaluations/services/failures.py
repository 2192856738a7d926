"""Calls that gave no answer: tried again later, given up, or a reason to pause the whole run."""

import random
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Max

from corpus.scoring.types import Outcome
from corpus.services.results import results_changed
from evaluations.database_clock import database_now
from evaluations.models import Item, Run
from evaluations.providers.base import (
    LONGEST_WAIT_SECONDS,
    NeverRetryError,
    ProviderError,
    Reply,
    RetryLaterError,
    Scope,
)
from evaluations.services.attempts import attempt_of_call, keep_attempts
from evaluations.services.questions import Question, RunContext, Unready
from evaluations.services.reply_costs import failure_cost, whole_count
from evaluations.services.runs import pause_unless_decided
from evaluations.storable_text import clipped_error, storable

LONGEST_BACKOFF_SECONDS = 60.0
# 2 to this power times the shortest wait is more than the longest, and no float overflows.
_MOST_DOUBLINGS = 30
# So many questions given up since the last answer mean that the endpoint is down, not that the questions are odd.
_GIVEN_UP_BEFORE_PAUSE = 3
_JITTER = 0.25


class CutOffCall(NamedTuple):
    """A question that was on its way when its worker had to end, and what is known of it; see `cut_off_error`."""

    question: Question
    error: ProviderError


def record_failure(
    *, context: RunContext, question: Question | Unready, error: ProviderError, has_answers: bool
) -> bool:
    """Store a failed call under the question's claim; return False when the claim is no longer ours.

    `has_answers` says whether the run got an answer since it was queued: until then an unclear error, or a question
    that runs out of tries, pauses the run with a plain reason.
    """
    with transaction.atomic():
        if not _store(question, error, pauses=_pauses_run(error, has_answers)):
            return False
        _record(context, question, error, kind="error")
        if _pauses_run(error, has_answers) or _is_down(question, error, has_answers):
            _pause(context, error)
        # Last, as whoever changes a run's status does: in another order each would wait for the other.
        results_changed(benchmark_id=context.benchmark_id, system_id=context.system_id)
    return True


def cut_off_error(*, first: Reply | None, is_under_way: bool) -> ProviderError:
    """Return what is said of a question whose worker had to end: its first turn, where that was answered.

    `is_under_way` is False while the second turn still waited to be sent, so that only the first was paid.
    """
    error = ProviderError("cut_off" if is_under_way else "not_sent", "The worker had to end before the reply came.")
    error.earlier = first
    return error


def record_cut_off(*, context: RunContext, calls: Sequence[CutOffCall]) -> int:
    """Let questions wait again whose calls were cut off, and record each call with its cost; return how many waited.

    None of it counts as a try. A question whose claim is no longer ours is left as it is.
    """
    n_waiting = 0
    with transaction.atomic():
        for question, error in calls:
            if _leave(question.item, question.token, Item.Status.WAITING, error.code, error.message):
                _record(context, question, error, kind="cut_off")
                n_waiting += 1
    return n_waiting


def _record(context: RunContext, question: Question | Unready, error: ProviderError, *, kind: str) -> None:
    attempt = attempt_of_call(
        item_id=question.item.pk,
        token=question.token,
        kind=kind,
        **clipped_error(code=error.code, message=error.message),
        **_taken_by(error),
        cost=failure_cost(prices=context.prices, error=error),
    )
    keep_attempts([attempt])


def _taken_by(error: ProviderError) -> dict[str, Any]:
    """Return what is kept of a first turn that was answered before the second one failed, else of what a call took."""
    reply = error.earlier or error.taken
    if reply is None:
        return {}
    return {
        "completion": storable(reply.text),
        "tokens_in": whole_count(reply.tokens_in),
        "tokens_out": whole_count(reply.tokens_out),
    }


def give_back_or_give_up(
    *, item: Item, token: UUID, code: str, message: str, delay_seconds: float = 0, only_expired: bool = False
) -> bool:
    """Let a claimed item wait again, or fail it if this was its last try; False when `token` no longer holds it.

    With `only_expired` also False when the claim holds, as after a renewal since somebody looked.
    """
    if tries_of(item) + 1 >= settings.EVALUATION_TRIES:
        return _leave(item, token, Item.Status.FAILED, code, message, only_expired=only_expired)
    return _leave(
        item, token, Item.Status.WAITING, code, message, delay_seconds=delay_seconds, only_expired=only_expired
    )


def tries_of(item: Item) -> int:
    """Return how often the question failed since its run was last queued."""
    return item.other_attempts.filter(kind="error", created_at__gte=item.run.queued_at).count()


def backoff_seconds(*, tries: int, asked_seconds: float | None = None) -> float:
    """Return how long to wait after `tries` failures: doubled each time, spread by chance.

    It is never less than the system asked for, up to the longest wait there is.
    """
    doubled = float(settings.EVALUATION_RETRY_SECONDS) * 2.0 ** min(tries, _MOST_DOUBLINGS)
    waiting = max(min(doubled, LONGEST_BACKOFF_SECONDS), min(asked_seconds or 0.0, LONGEST_WAIT_SECONDS))
    return waiting * (1 + _JITTER * random.random())  # noqa: S311 -- no secret is made of it


def _store(question: Question | Unready, error: ProviderError, *, pauses: bool) -> bool:
    item, token = question.item, question.token
    if isinstance(error, RetryLaterError):
        delay = backoff_seconds(tries=tries_of(item), asked_seconds=error.delay_seconds)
        return give_back_or_give_up(item=item, token=token, code=error.code, message=error.message, delay_seconds=delay)
    status = Item.Status.WAITING if pauses else Item.Status.FAILED
    return _leave(item, token, status, error.code, error.message)


def _leave(
    item: Item,
    token: UUID,
    status: Item.Status,
    code: str,
    message: str,
    *,
    delay_seconds: float = 0,
    only_expired: bool = False,
) -> bool:
    waits = status == Item.Status.WAITING
    held = Item.objects.filter(pk=item.pk, lease_token=token, status=Item.Status.LEASED)
    if only_expired:
        held = held.filter(lease_until__lt=database_now())
    changed = held.update(
        status=status,
        outcome="" if waits else Outcome.ERROR.value,
        not_before=database_now() + timedelta(seconds=delay_seconds) if waits and delay_seconds else None,
        lease_token=None,
        lease_until=None,
        **clipped_error(code=code, message=message),
    )
    return bool(changed)


def _pauses_run(error: ProviderError, has_answers: bool) -> bool:
    if not isinstance(error, NeverRetryError):
        return False
    return error.scope is Scope.RUN or (error.scope is Scope.UNCLEAR and not has_answers)


def _is_down(question: Question | Unready, error: ProviderError, has_answers: bool) -> bool:
    """Say whether questions run out of tries one after the other without an answer in between."""
    if not isinstance(error, RetryLaterError):
        return False
    given_up = Item.objects.filter(run=question.item.run_id, status=Item.Status.FAILED)
    if not given_up.filter(pk=question.item.pk).exists():
        return False
    if not has_answers:
        return True
    last = Item.objects.filter(run=question.item.run_id).aggregate(last=Max("answered_at"))["last"]
    since = given_up.filter(other_attempts__kind="error", other_attempts__created_at__gt=last).distinct()
    return since.count() >= _GIVEN_UP_BEFORE_PAUSE


def _pause(context: RunContext, error: ProviderError) -> None:
    reason = error.message
    if isinstance(error, RetryLaterError):
        reason = f"{error.message} This stayed so after {settings.EVALUATION_TRIES} tries; resume the run later."
    pause_unless_decided(run_id=context.run_id, code=error.code, reason=reason)


def run_has_answers(run: Run) -> bool:
    """Say whether the run got an answer since it was last queued."""
    return run.items.filter(status=Item.Status.ANSWERED, answered_at__gte=run.queued_at).exists()
