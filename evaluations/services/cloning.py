"""The same run once more."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction

from corpus.services.results import action_log
from evaluations.errors import CannotBeAskedError, RunStateError
from evaluations.models import Run, System
from evaluations.providers import provider_entry, provider_names
from evaluations.services.costs import PRICES_KEY, plain_number, prices_of
from evaluations.services.fallback_frozen import FROZEN_KEY
from evaluations.services.key_frozen import KEY_VARIABLE
from evaluations.services.runs import run_create

CLONE_OF = "clone_of"
# What a run froze of its system and a clone keeps, in words.
_OF_THE_RUN = {
    "provider": "provider",
    "model_id": "model",
    "system_prompt": "system prompt",
    "folds_system_prompt": "where the system prompt stands",
    "tools": "tools",
}
# A key goes only to the address it was set for, so both are of the same day; the prices are of that address.
_OF_TODAY = ("base_url", KEY_VARIABLE, PRICES_KEY)


def run_clone(*, run_id: UUID, actor: AbstractBaseUser | None = None) -> Run:
    """Queue a new run of the same system over the same questions, asked in the same way.

    What is asked, and of which model, is that of the run, whatever the system is set to today: provider, model, system
    prompt, tools, style, parameters and what was learned of them, seed, repeats, permuted options, stated confidence,
    fallback reader, budget. Of today are address, key, limits and prices, the fallback reader's as well: where it is
    asked and what that costs. Raises RunStateError for results that were not asked here, CannotBeAskedError where the
    provider is another today, since address and key of today are for that one, or a budget's currency is, and what
    `run_create` raises.
    """
    run = Run.objects.select_related("system", "set_revision__question_set__benchmark").get(pk=run_id)
    if run.origin != Run.Origin.ASKED:
        raise RunStateError(f"The results of {run.system.name} were not asked here; they cannot be queued again.")
    fallback = _fallback(run)
    _refuse_other_provider(run.frozen, run.system, "provider")
    _refuse_other_currency(run)
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
            fallback=fallback,
            requested_by=actor,
        )
        clone.parameters, clone.learned = run.parameters, run.learned
        clone.frozen = {**clone.frozen, **_frozen_of(run, clone), CLONE_OF: str(run.pk)}
        clone.save(update_fields=["parameters", "learned", "frozen"])
        action_log(code="run.cloned", target=run, actor=actor, detail={"run": str(clone.pk)})
    return clone


def changed_since(run: Run) -> list[str]:
    """Return in words what is set otherwise with the run's system today; a clone of the run is not asked so."""
    system = run.system
    entry = provider_entry(system.provider) if system.provider in provider_names() else None
    today = {**(entry.defaults if entry else {}), **system.parameters}
    changed = [
        words for name, words in _OF_THE_RUN.items() if name in run.frozen and run.frozen[name] != getattr(system, name)
    ]
    own = {name for name in {*today, *run.parameters} if today.get(name) != run.parameters.get(name)}
    return changed + [f"parameter {name}" for name in sorted(own)]


def _frozen_of(run: Run, clone: Run) -> dict[str, Any]:
    kept: dict[str, Any] = {name: run.frozen[name] for name in _OF_THE_RUN if name in run.frozen}
    if FROZEN_KEY in run.frozen:
        today = clone.frozen[FROZEN_KEY]
        kept[FROZEN_KEY] = run.frozen[FROZEN_KEY] | {name: today[name] for name in _OF_TODAY}
    return kept


def _fallback(run: Run) -> System | None:
    slug = run.frozen.get(FROZEN_KEY, {}).get("system")
    if not slug:
        return None
    system = System.objects.filter(slug=slug).first()
    if system is None:
        raise CannotBeAskedError(f"The fallback reader {slug} of that run is gone; queue a new run by hand.")
    _refuse_other_provider(run.frozen[FROZEN_KEY], system, "fallback reader's provider")
    return system


def _refuse_other_currency(run: Run) -> None:
    """A budget is in the currency of the run's prices, and the clone's prices are those of today."""
    before, today = prices_of(run.frozen).currency, run.system.price_currency
    if run.budget is not None and before != today:
        raise CannotBeAskedError(
            f"The run has a budget of {plain_number(run.budget)} {before}, and the system's prices are in {today} "
            f"today. Set the currency back to {before}, or queue a new run with a budget in {today}."
        )


def _refuse_other_provider(frozen: Mapping[str, Any], system: System, words: str) -> None:
    if frozen["provider"] != system.provider:
        raise CannotBeAskedError(
            f"The {words} was {frozen['provider']} and is {system.provider} today, and address and key of today are "
            f"for that one. Set {system.name} back to {frozen['provider']}, or queue a new run."
        )
