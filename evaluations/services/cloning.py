"""The same run once more."""

from uuid import UUID

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction

from corpus.services.results import action_log
from evaluations.errors import CannotBeAskedError, RunStateError
from evaluations.models import Run, System
from evaluations.services.fallback_frozen import FROZEN_KEY
from evaluations.services.runs import run_create


def run_clone(*, run_id: UUID, actor: AbstractBaseUser | None = None) -> Run:
    """Queue a new run of the same system over the same questions, asked in the same way.

    Style, parameters, seed, repeats, permuted options, stated confidence, fallback reader and budget are those of the
    run; what the system is today (address, model, prices, system prompt) is frozen anew. Raises RunStateError for
    results that were not asked here, and what `run_create` raises.
    """
    run = Run.objects.select_related("system", "set_revision__question_set__benchmark").get(pk=run_id)
    if run.origin != Run.Origin.ASKED:
        raise RunStateError(f"The results of {run.system.name} were not asked here; they cannot be queued again.")
    with transaction.atomic():
        clone = run_create(
            system=run.system,
            set_revision=run.set_revision,
            prompt_style=run.prompt_style,
            parameters=run.parameters,
            seed=run.seed,
            repeats=run.repeats,
            permutes_options=run.permutes_options,
            asks_confidence=run.asks_confidence,
            budget=run.budget,
            fallback=_fallback(run),
            requested_by=actor,
        )
        action_log(code="run.cloned", target=run, actor=actor, detail={"run": str(clone.pk)})
    return clone


def _fallback(run: Run) -> System | None:
    slug = run.frozen.get(FROZEN_KEY, {}).get("system")
    if not slug:
        return None
    system = System.objects.filter(slug=slug).first()
    if system is None:
        raise CannotBeAskedError(f"The fallback reader {slug} of that run is gone; queue a new run by hand.")
    return system
