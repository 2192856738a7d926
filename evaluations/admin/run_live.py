"""The part of the run page that changes while a run is asked."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import urlencode

from corpus.answer_admin import may_see_keys
from corpus.scoring.types import Outcome
from corpus.selectors.actions import actions_on
from evaluations.admin.run_actions import legal_actions
from evaluations.models import Run
from evaluations.providers.lessons import TOKEN_LIMITS
from evaluations.selectors import run_progress
from evaluations.selectors.confidence import confidence_counts
from evaluations.selectors.costs import money
from evaluations.selectors.fallback import fallback_counts
from evaluations.selectors.fallback_accuracy import measured_by_run, words_of
from evaluations.selectors.missing_usage import estimated_cost
from evaluations.selectors.workers import WORKER_COMMAND, run_workers
from evaluations.services.costs import prices_of
from evaluations.services.learning import learned_list, parameters_sent
from evaluations.services.stalled_runs import is_silent

# How many times the limit is proposed for another run, and what stands for a limit nobody named.
_MORE = 4
_USUAL_LIMIT = 1024


def live_context(request: HttpRequest, run: Run) -> dict[str, Any]:
    """Return everything the live part shows."""
    progress = run_progress(run=run)
    currency = prices_of(run.frozen).currency
    return {
        "run": run,
        "progress": progress,
        "silent_since": _silent_since(run),
        "workers": run_workers(run_id=run.pk) if run.status in Run.ACTIVE else None,
        "worker_command": WORKER_COMMAND,
        "outcomes": _outcomes(request, run, progress.outcomes),
        "cut_off": _cut_off(request, run, progress.outcomes),
        "items_address": items_address(run.pk),
        "failed_address": items_address(run.pk, status__exact="failed"),
        "run_actions": legal_actions(run, request),
        "fallback": fallback_counts(run=run),
        "fallback_accuracy": [words_of(found) for found in measured_by_run(run_ids=[run.pk]).values()],
        "confidence": confidence_counts(run=run),
        "currency": currency,
        "estimated": estimated_cost(run=run) if progress.spent.n_unknown else None,
        "budget": "none" if run.budget is None else money(run.budget, currency),
        "learned": learned_list(run.learned),
        "sent": json.dumps(parameters_sent(run), ensure_ascii=False) if run.learned else "",
        "actions_done": actions_on(run),
    }


def _outcomes(request: HttpRequest, run: Run, counts: Mapping[str, int]) -> list[tuple[str, int, str]]:
    """Return the outcomes with the addresses of their items, for who may not see keys without."""
    if may_see_keys(request):
        return [(outcome, count, items_address(run.pk, outcome__exact=outcome)) for outcome, count in counts.items()]
    return [(outcome, count, "") for outcome, count in counts.items()] if may_see_outcomes(request, run) else []


class CutOff(NamedTuple):
    """Replies that the token limit cut off: how many, the limit (None: the endpoint's own), where to ask with more."""

    n: int
    limit: int | None
    address: str


def _cut_off(request: HttpRequest, run: Run, counts: Mapping[str, int]) -> CutOff | None:
    """Return what a run that has ended lost to its token limit; None where that is nothing, or not to be told."""
    n = counts.get(Outcome.TRUNCATED, 0)
    if not n or run.status in Run.ACTIVE or not may_see_outcomes(request, run):
        return None
    limits = {name: value for name, value in run.parameters.items() if name in TOKEN_LIMITS and isinstance(value, int)}
    name, limit = max(limits.items(), key=lambda entry: entry[1], default=(TOKEN_LIMITS[0], None))
    if not request.user.has_perm("evaluations.add_run"):
        return CutOff(n, limit, "")
    chosen = {
        "system": str(run.system_id),
        "question_set": str(run.set_revision.question_set_id),
        "prompt_style": run.prompt_style,
        "sweep": f"{name}={_MORE * (limit or _USUAL_LIMIT)}",
    }
    return CutOff(n, limit, f"{reverse('admin:evaluations_system_queue_run')}?{urlencode(chosen)}")


def may_see_outcomes(request: HttpRequest, run: Run) -> bool:
    """Say whether this person may see how many answers of a run are right.

    Who may not see keys may once the run is finished: while more answers can come in, as they can after a pause, a
    stop, or failures, each change tells one verdict.
    """
    return may_see_keys(request) or run.status == Run.Status.FINISHED


def items_address(run_id: object, **lookups: str) -> str:
    """Return the address of a run's items in the list, narrowed by `lookups`."""
    query = urlencode({"run__id__exact": str(run_id), **lookups})
    return f"{reverse('admin:evaluations_item_changelist')}?{query}"


def _silent_since(run: Run) -> datetime | None:
    """Return the last sign of life of an active run that gave none for a lease, else None."""
    return (run.heartbeat_at or run.queued_at) if is_silent(run) else None
