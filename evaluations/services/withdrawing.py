"""Take a run off the public pages, for a reason that readers see, and put it back.

Nothing is deleted: its answers stay for staff, and published snapshots stay as they are. Both are one conditional
UPDATE, so that of two people who press at once one does it and the other is told.
"""

from typing import Any
from uuid import UUID

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction

from corpus.services.results import action_log, results_changed
from evaluations.database_clock import database_now
from evaluations.errors import ReasonMissingError, RunStateError
from evaluations.models import Run
from evaluations.storable_text import storable

REASON_LENGTH = 500


def run_withdraw(*, run_id: UUID, reason: str, actor: AbstractBaseUser | None = None) -> Run:
    """Take a run, in whatever state, off every board and page; what it is asked meanwhile is still stored.

    An older run of the system stands in its place where there is one. Raises ReasonMissingError without a reason,
    RunStateError for a run that is withdrawn already.
    """
    said = storable(" ".join(reason.split()))[:REASON_LENGTH]
    if not any(character.isprintable() and not character.isspace() for character in said):
        raise ReasonMissingError("Say why the run is withdrawn; readers of the system's page see the reason.")
    with transaction.atomic():
        moved = Run.objects.filter(pk=run_id, withdrawn_at=None).update(
            withdrawn_at=database_now(), withdrawal_reason=said
        )
        if not moved:
            raise RunStateError(f"Run {run_id} is withdrawn already.")
        return _told(run_id, "run.withdrawn", actor, {"reason": said})


def run_put_back(*, run_id: UUID, actor: AbstractBaseUser | None = None) -> Run:
    """Let a withdrawn run count again, as if it had never been away. Raises RunStateError unless it is withdrawn."""
    with transaction.atomic():
        withdrawn = Run.objects.filter(pk=run_id, withdrawn_at__isnull=False)
        reason = withdrawn.values_list("withdrawal_reason", flat=True).first()
        if not withdrawn.update(withdrawn_at=None, withdrawal_reason=""):
            raise RunStateError(f"Run {run_id} is not withdrawn.")
        return _told(run_id, "run.put_back", actor, {"was_withdrawn_because": reason})


def _told(run_id: UUID, code: str, actor: AbstractBaseUser | None, detail: dict[str, Any]) -> Run:
    run = Run.objects.select_related("set_revision__question_set").get(pk=run_id)
    action_log(code=code, target=run, actor=actor, detail=detail)
    results_changed(benchmark_id=run.set_revision.question_set.benchmark_id, system_id=run.system_id)
    return run
