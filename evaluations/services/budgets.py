"""A run's budget: the run pauses when it is used up, and goes on only with a higher one."""

from decimal import Decimal
from uuid import UUID

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.db.models import Q

from corpus.services.results import action_log
from evaluations.errors import RunStateError
from evaluations.models import Item, Run
from evaluations.services.costs import BUDGET, budget_look, budget_refusal
from evaluations.services.runs import pause_unless_decided, run_resume

RAISABLE = (*Run.ACTIVE, Run.Status.PAUSED, Run.Status.STOPPED, Run.Status.INCOMPLETE)


class BudgetRoom:
    """How many questions more a run's budget allows, as far as one worker knows.

    It is looked at at every beat of the asking loop, and between two beats where it was too small and a call has ended.
    """

    def __init__(self, run_id: UUID) -> None:
        self._run_id = run_id
        self._n_more: int | None = None
        self._has_news = True

    def pause_when_spent(self) -> bool:
        """Pause a run whose budget is used up, with a plain reason; return whether it may ask nothing more.

        A run with nothing left to ask is not paused for it.
        """
        reason = self._look()
        waiting = Item.objects.filter(run=self._run_id, status=Item.Status.WAITING)
        if reason is None or not waiting.exists():
            return False
        pause_unless_decided(run_id=self._run_id, code=BUDGET, reason=reason)
        return True

    def of(self, n_wanted: int) -> int:
        """Return how many questions of those that are wanted may be asked."""
        if self._n_more is not None and self._n_more < n_wanted and self._has_news:
            self._look()
        return n_wanted if self._n_more is None else min(n_wanted, self._n_more)

    def claimed(self, n: int) -> None:
        """Take it into account that so many are being asked."""
        if self._n_more is not None:
            self._n_more -= n

    def call_ended(self) -> None:
        """Take it into account that more is known of what calls cost."""
        self._has_news = True

    def _look(self) -> str | None:
        look = budget_look(run_id=self._run_id)
        self._n_more, self._has_news = look.n_more, False
        return look.problem


def run_budget_raise(*, run_id: UUID, budget: Decimal, actor: AbstractBaseUser | None = None) -> Run:
    """Give a run a higher budget, or its first one; a run that its budget had paused is queued again.

    Raises RunStateError for a budget that is not higher, for a run whose costs cannot be told, and for a run that has
    ended or whose results were not asked here.
    """
    with transaction.atomic():
        run = Run.objects.select_related("system").get(pk=run_id)
        if problem := budget_refusal(frozen=run.frozen, name=run.system.name, budget=budget):
            raise RunStateError(problem)
        is_lower = Q(budget=None) | Q(budget__lt=budget)
        raisable = Run.objects.filter(is_lower, pk=run_id, origin=Run.Origin.ASKED, status__in=RAISABLE)
        if not raisable.update(budget=budget):
            raise RunStateError(_why_not(run))
        detail = {"from": None if run.budget is None else str(run.budget), "to": str(budget)}
        action_log(code="run.budget_raised", target=run, actor=actor, detail=detail)
        if run.status == Run.Status.PAUSED and run.error_code == BUDGET:
            return run_resume(run_id=run_id, actor=actor)
    run.refresh_from_db()
    return run


def _why_not(run: Run) -> str:
    if run.origin != Run.Origin.ASKED or run.status not in RAISABLE:
        return f"The run is {run.get_status_display()}; it asks nothing more, so it needs no budget."
    return f"The budget is {run.budget} already; give a higher one."
