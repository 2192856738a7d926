"""One job's worth of asking: start the run, ask for a while, close the run or hand the rest to another job."""

import logging
import time
from collections.abc import Callable
from functools import cache
from uuid import UUID

from asgiref.sync import async_to_sync
from django.conf import settings
from django.db import InterfaceError, OperationalError

from evaluations.errors import CannotBeAskedError
from evaluations.models import Run
from evaluations.redaction import heard
from evaluations.services.asking_loop import AskingLoop, Pace, Tally, never
from evaluations.services.claims import has_unasked
from evaluations.services.confidence import ask_confidence
from evaluations.services.confidence_claims import confidence_can_be_claimed, confidence_is_open
from evaluations.services.costs import BUDGET
from evaluations.services.fallback import read_with_fallback
from evaluations.services.fallback_claims import fallback_can_be_claimed
from evaluations.services.learning_provider import open_learning_provider
from evaluations.services.questions import RunContext, run_context
from evaluations.services.rate_limits import endpoint_limits
from evaluations.services.runs import finish_incomplete, pause_unless_decided, run_finish, run_heartbeat, run_start
from evaluations.services.stalled_runs import wake_stalled_runs
from evaluations.services.turns import run_whose_turn_it_is
from evaluations.stop_signals import noticed_stop_signals
from evaluations.tasks import wake_run

logger = logging.getLogger(__name__)

# A run that has the workers to itself need not change jobs, but no job lasts much longer than this.
LONGEST_JOB_SECONDS = 600.0


def ask_for_a_while(*, run_id: UUID, stop_requested: Callable[[], bool] = never) -> Tally:
    """Ask questions of a run until nothing is left, someone says stop, or it is another run's turn.

    Safe to call any number of times, at the same time, from any number of processes. If a worker was at the run just
    now, another run that has none is served in its place. What is left over is put on the queue again unless the run
    was paused or stopped.
    """
    served = run_whose_turn_it_is(run_id=run_id)
    tally = _work(served, stop_requested)
    left = next((each for each in (served, run_id) if _is_left(each)), None)
    if left is not None:
        wake_run(run_id=left, jobs=1)
    wake_stalled_runs()
    return tally


def ask_until_done(*, run_id: UUID, stop_requested: Callable[[], bool] = never) -> Tally:
    """Ask every question of a run in this process, without any queue; return when it ends or has to stop."""
    tally = Tally()
    while not stop_requested():
        part = _work(run_id, stop_requested)
        tally = tally.plus(part)
        if part.was_stopped or not _is_left(run_id):
            break
    return tally


def _work(run_id: UUID, stop_requested: Callable[[], bool]) -> Tally:
    if not run_start(run_id=run_id):
        return Tally()
    try:
        context = run_context(run_id=run_id)
    except CannotBeAskedError as error:
        _pause(run_id, "cannot_be_asked", str(error))
        return Tally()
    try:
        with noticed_stop_signals() as signalled:
            tally = _job(context, _pace(context, lambda: signalled() or stop_requested()))
    except (InterfaceError, OperationalError):
        raise
    except Exception as error:
        # Without this a fault of ours would leave the run "running" for ever, woken and failing again and again.
        said = heard(f"{type(error).__name__}: {error}", [context.endpoint.api_key])
        _pause(run_id, "internal", f"The worker failed ({said}); its log says more.")
        raise
    logger.info(
        "run %s: %d stored (%d slowly, at most %.0f ms after arrival), %d late, %d failed calls",
        run_id,
        tally.n_stored,
        tally.n_slow,
        1000 * tally.slowest_seconds,
        tally.n_late,
        tally.n_failed_calls,
    )
    return tally


def _job(context: RunContext, pace: Pace) -> Tally:
    """Ask the questions, then what is asked about the answers; close the run where nothing is left."""
    loop = AskingLoop(
        context=context,
        provider=open_learning_provider(context),
        limits=endpoint_limits(run_id=context.run_id),
        pace=pace,
    )
    tally = async_to_sync(loop.run)()
    # What a fallback reader has still to read keeps a run from its end in any case.
    is_over = not confidence_is_open(run=Run.objects.get(pk=context.run_id))
    if not tally.was_stopped and not has_unasked(run_id=context.run_id):
        is_over = _is_over_apart(context, pace)
        tally = tally.plus(Tally(was_stopped=pace.must_stop()))
    if is_over and run_finish(run_id=context.run_id) is None:
        # Another worker may have closed it as incomplete just before the reply that it lacked came here.
        finish_incomplete(run_id=context.run_id)
    return tally


def _is_over_apart(context: RunContext, pace: Pace) -> bool:
    """Ask what is asked about the answers, if the run does so; return False while some is still to be asked."""

    def may_go_on() -> bool:
        return not pace.is_turn_over() and run_heartbeat(run_id=context.run_id)

    read = read_with_fallback(run_id=context.run_id, may_go_on=may_go_on, must_stop=pace.must_stop)
    if read.spent and not read.is_over:
        _pause(context.run_id, BUDGET, read.spent)
        return False
    return ask_confidence(context=context, may_go_on=may_go_on, must_stop=pace.must_stop).is_over


def _pace(context: RunContext, must_stop: Callable[[], bool]) -> Pace:
    # From the first look on, so that every job asks something.
    started = cache(time.monotonic)

    def is_turn_over() -> bool:
        begun = started()
        passed = time.monotonic() - begun
        return passed > LONGEST_JOB_SECONDS or (passed > settings.EVALUATION_JOB_SECONDS and _others_wait(context))

    return Pace(must_stop=must_stop, is_turn_over=is_turn_over, others_wait=lambda: _others_wait(context))


def _others_wait(context: RunContext) -> bool:
    return Run.objects.filter(status__in=Run.ACTIVE).exclude(pk=context.run_id).exists()


def _is_left(run_id: UUID) -> bool:
    run = Run.objects.filter(pk=run_id, status__in=Run.ACTIVE).first()
    if run is None:
        return False
    return has_unasked(run_id=run_id) or fallback_can_be_claimed(run=run) or confidence_can_be_claimed(run=run)


def _pause(run_id: UUID, code: str, reason: str) -> None:
    if not pause_unless_decided(run_id=run_id, code=code, reason=reason):
        logger.info("run %s was paused or ended by someone else meanwhile", run_id)
