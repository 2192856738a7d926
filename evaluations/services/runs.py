"""A run's life: made and frozen, queued, asked, paused, resumed, stopped, finished.

Every change of status is one conditional UPDATE, so that of two people (or workers) who press at once one wins and
the other is told.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.db.models import Q

from corpus.models import QuestionSetRevision
from corpus.services.results import action_log, results_changed
from evaluations.database_clock import database_now
from evaluations.errors import CannotBeAskedError, NothingToAskError, RunAlreadyActiveError, RunStateError
from evaluations.models import Item, Run, System
from evaluations.prompts import DEFAULT_PROMPT_STYLE
from evaluations.repeats import check_repeats
from evaluations.services.confidence_claims import ask_confidence_again, confidence_is_open
from evaluations.services.confidence_frozen import CONFIDENCE_KEY, confidence_facts
from evaluations.services.costs import budget_problem, budget_refusal
from evaluations.services.fallback_claims import ask_fallback_again, fallback_is_open, fallback_reason
from evaluations.services.fallback_frozen import FROZEN_KEY, fallback_facts
from evaluations.services.freezing import frozen_facts
from evaluations.services.learning import learned_of
from evaluations.services.run_making import checked_parameters, is_second_active, items_create, run_insert
from evaluations.services.sweep_turns import SWEEP_KEY, TURN, TURN_REASON, SweepPlace, queue_next_in_turn
from evaluations.storable_text import clipped_error
from evaluations.tasks import wake_run

ENDED = (Run.Status.FINISHED, Run.Status.INCOMPLETE, Run.Status.STOPPED)
PAUSABLE = Run.ACTIVE
STOPPABLE = (*Run.ACTIVE, Run.Status.PAUSED)
RESUMABLE = (Run.Status.PAUSED, Run.Status.STOPPED, Run.Status.INCOMPLETE)


def run_create(
    *,
    system: System,
    set_revision: QuestionSetRevision,
    prompt_style: str = DEFAULT_PROMPT_STYLE,
    parameters: Mapping[str, Any] | None = None,
    seed: int = 0,
    repeats: int = 1,
    requested_by: AbstractBaseUser | None = None,
    wake: bool = True,
    fallback: System | None = None,
    budget: Decimal | None = None,
    permutes_options: bool = False,
    asks_confidence: bool = False,
    sweep: SweepPlace | None = None,
) -> Run:
    """Make a run of `system` over every question of `set_revision`, frozen, and wake workers for it on commit.

    `wake=False` leaves the asking to the caller. `parameters` go over the system's own, which go over the provider's
    defaults. `fallback` is a system that reads replies our reader cannot read (see `read_with_fallback`); without one
    they stay unparsed. `budget` is what the run may cost before it pauses. `permutes_options` shows the options in
    another order at every repeat, drawn from the seed; `asks_confidence` asks after the answers how sure the system is
    of each. A run with a place in a `sweep` other than the first waits for its turn. Raises CannotBeAskedError,
    NothingToAskError, or RunAlreadyActiveError while another run of the same system and set is queued or running.
    """
    check_repeats(repeats)
    waits = sweep is not None and sweep.position > 0
    merged = checked_parameters(system, parameters)
    run = Run(
        system=system,
        set_revision=set_revision,
        prompt_style=prompt_style,
        parameters=merged,
        seed=seed,
        repeats=repeats,
        requested_by=requested_by,  # type: ignore[misc]
        budget=budget,
        permutes_options=permutes_options,
        asks_confidence=asks_confidence,
        frozen=frozen_facts(system=system, set_revision=set_revision, style_name=prompt_style)
        | ({FROZEN_KEY: fallback_facts(fallback)} if fallback else {})
        | ({CONFIDENCE_KEY: confidence_facts(system)} if asks_confidence else {})
        | ({SWEEP_KEY: sweep.as_frozen()} if sweep else {}),
        sweep=sweep.sweep if sweep else None,
        status=Run.Status.PAUSED if waits else Run.Status.QUEUED,
        error_code=TURN if waits else "",
        error_message=TURN_REASON if waits else "",
        learned=learned_of(system),
    )
    if problem := budget_refusal(frozen=run.frozen, name=system.name, budget=budget):
        raise CannotBeAskedError(problem)
    with transaction.atomic():
        run_insert(run)
        n_items = items_create(run)
        # By the database's clock, like every other time of the run.
        Run.objects.filter(pk=run.pk).update(queued_at=database_now())
        log_code = "run.waits" if waits else "run.queued"
        action_log(code=log_code, target=run, actor=requested_by, detail={"items": n_items})
        results_changed(benchmark_id=set_revision.question_set.benchmark_id, system_id=run.system_id)
        if wake and not waits:
            transaction.on_commit(lambda: wake_run(run_id=run.pk))
    return run


def run_pause(*, run_id: UUID, actor: AbstractBaseUser | None = None, code: str = "", reason: str = "") -> Run:
    """Ask no further question; what is in flight is still stored. `reason` is shown as it is.

    Raises RunStateError unless the run is queued or running.
    """
    return _move(
        run_id=run_id,
        allowed=PAUSABLE,
        to=Run.Status.PAUSED,
        log_code="run.paused",
        actor=actor,
        changes=clipped_error(code=code, message=reason),
    )


def pause_unless_decided(*, run_id: UUID, code: str, reason: str) -> bool:
    """Pause a run that asks; return False where someone paused, stopped or finished it meanwhile: their word stands."""
    try:
        run_pause(run_id=run_id, code=code, reason=reason)
    except RunStateError:
        return False
    return True


def run_stop(*, run_id: UUID, actor: AbstractBaseUser | None = None) -> Run:
    """Give a run up; what is stored stays. Raises RunStateError unless it is queued, running or paused."""
    return _move(
        run_id=run_id,
        allowed=STOPPABLE,
        to=Run.Status.STOPPED,
        log_code="run.stopped",
        actor=actor,
        changes={"finished_at": database_now()},
    )


def run_resume(*, run_id: UUID, actor: AbstractBaseUser | None = None) -> Run:
    """Queue a paused, stopped or incomplete run again: only its failed and waiting questions are asked.

    A run whose every question has its answer, and every answer what is asked about it, is finished at once. Raises
    RunStateError for any other status, for results that were imported or submitted, and for a run with something to ask
    whose budget is used up; RunAlreadyActiveError when another run of the same system and set is queued or running.
    """
    made_elsewhere = Run.objects.filter(pk=run_id).exclude(origin=Run.Origin.ASKED)
    if origin := made_elsewhere.values_list("origin", flat=True).first():
        raise RunStateError(f"The results of run {run_id} were {origin}; they are not asked again.")
    with transaction.atomic():
        run = _move(
            run_id=run_id,
            allowed=RESUMABLE,
            to=Run.Status.QUEUED,
            log_code="run.resumed",
            actor=actor,
            changes={
                "error_code": "",
                "error_message": "",
                "finished_at": None,
                "queued_at": database_now(),
                # A worker's sign of life from before says nothing of one since.
                "heartbeat_at": None,
            },
        )
        _failed_wait_again(run)
        ask_fallback_again(run=run)
        ask_confidence_again(run=run)
        if not (
            run.items.filter(status__in=Item.UNFINISHED).exists()
            or fallback_is_open(run=run)
            or confidence_is_open(run=run)
        ):
            return _close_complete(run)
        if problem := budget_problem(run_id=run_id):
            raise RunStateError(problem)
        transaction.on_commit(lambda: wake_run(run_id=run.pk))
    return run


def run_start(*, run_id: UUID) -> bool:
    """Mark a queued run as running; return whether it may be worked on now (it may have been running already)."""
    now = database_now()
    Run.objects.filter(pk=run_id, status=Run.Status.QUEUED, started_at=None).update(started_at=now)
    started = Run.objects.filter(pk=run_id, status=Run.Status.QUEUED).update(
        status=Run.Status.RUNNING, heartbeat_at=now
    )
    return bool(started) or run_heartbeat(run_id=run_id)


def run_heartbeat(*, run_id: UUID) -> bool:
    """Note that a worker is at the run; return False when it must ask no further question."""
    return bool(Run.objects.filter(pk=run_id, status=Run.Status.RUNNING).update(heartbeat_at=database_now()))


def run_finish(*, run_id: UUID) -> Run.Status | None:
    """Close a running run that has nothing left to ask; return its final status, or None if it goes on.

    A run with a question that ended in an error, or whose answer could not be judged, is incomplete. What a fallback
    reader could not be asked is left unparsed, and the run says so.
    """
    run = Run.objects.get(pk=run_id)
    if run.items.filter(status__in=Item.UNFINISHED).exists() or fallback_is_open(run=run):
        return None
    status = Run.Status.INCOMPLETE if _lacks_answers(run) else Run.Status.FINISHED
    try:
        _move(
            run_id=run_id,
            allowed=(Run.Status.RUNNING,),
            to=status,
            log_code=f"run.{status.value}",
            actor=None,
            changes={"finished_at": database_now(), **fallback_reason(run=run)},
        )
    except RunStateError:
        return None
    return status


def finish_incomplete(*, run_id: UUID) -> bool:
    """Call an incomplete run finished that lacks nothing any more, as a reply came late; say whether it is.

    One that now has something to ask about that answer stays incomplete, until somebody resumes it.
    """
    run = Run.objects.get(pk=run_id)
    if run.status != Run.Status.INCOMPLETE or fallback_is_open(run=run) or confidence_is_open(run=run):
        return False
    if _lacks_answers(run):
        return False
    changes = {"finished_at": database_now(), **fallback_reason(run=run)}
    allowed, to = (Run.Status.INCOMPLETE,), Run.Status.FINISHED
    try:
        _move(run_id=run_id, allowed=allowed, to=to, log_code=f"run.{to.value}", actor=None, changes=changes)
    except RunStateError:
        # Somebody has resumed it meanwhile.
        return False
    return True


def _lacks_answers(run: Run) -> bool:
    return Item.objects.filter(run=run).filter(Q(status=Item.Status.FAILED) | Q(outcome="")).exists()


def _close_complete(run: Run) -> Run:
    """Close a run whose last replies came after it was paused; inside the transaction that queued it again."""
    if run.items.filter(outcome="").exists():
        raise NothingToAskError(
            f"Every question of run {run.pk} has its reply, but some could not be judged; rescore them."
        )
    run_start(run_id=run.pk)
    run_finish(run_id=run.pk)
    run.refresh_from_db()
    return run


def _failed_wait_again(run: Run) -> int:
    """Let failed items wait again, and all that wait be asked at once; return how many had failed."""
    run.items.filter(status=Item.Status.WAITING, not_before__isnull=False).update(not_before=None)
    return run.items.filter(status=Item.Status.FAILED).update(
        status=Item.Status.WAITING, outcome="", rule="", error_code="", error_message="", not_before=None
    )


def _move(
    *,
    run_id: UUID,
    allowed: tuple[Run.Status, ...],
    to: Run.Status,
    log_code: str,
    actor: AbstractBaseUser | None,
    changes: Mapping[str, Any],
) -> Run:
    """Change the status if it is one of `allowed`, log it, and tell readers of results."""
    try:
        with transaction.atomic():
            moved = Run.objects.filter(pk=run_id, status__in=allowed).update(status=to, **changes)
            run = Run.objects.select_related("set_revision__question_set").get(pk=run_id)
            if not moved:
                wanted = " or ".join(status.label for status in allowed)
                raise RunStateError(
                    f"Run {run_id} is {run.get_status_display()}; this can be done while it is {wanted}."
                )
            detail = {key: str(value) for key, value in changes.items() if key.startswith("error") and value}
            action_log(code=log_code, target=run, actor=actor, detail=detail)
            results_changed(benchmark_id=run.set_revision.question_set.benchmark_id, system_id=run.system_id)
            if to in ENDED:
                queue_next_in_turn(system_id=run.system_id, set_revision_id=run.set_revision_id)
            return run
    except IntegrityError as error:
        if not is_second_active(error):
            raise
        raise RunAlreadyActiveError(
            "Another run of this system over the same set is queued or running; wait until it ends, or stop it."
        ) from error
