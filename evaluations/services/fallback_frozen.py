"""Which fallback reader a run says it uses. Frozen with the run, so that its numbers keep their meaning."""

from typing import Any

from evaluations.errors import CannotBeAskedError
from evaluations.models import Run, System
from evaluations.providers import parameter_problems, provider_entry
from evaluations.services.costs import PRICES_KEY, price_facts
from evaluations.services.fallback_prompt import CHOICE_TEMPLATE, NUMBER_TEMPLATE
from evaluations.services.key_frozen import KEY_VARIABLE
from evaluations.services.learning import as_learned, learned_of
from evaluations.services.systems import can_read

FROZEN_KEY = "fallback"
READER_PREFIX = "fallback@1:"
NOTE = "fallback"


def fallback_facts(system: System) -> dict[str, Any]:
    """Return what a run freezes of the system that reads where our reader finds nothing.

    Refuses one that cannot read: a baseline, imported results, a model without a name.
    """
    if not can_read(system):
        raise CannotBeAskedError(f"{system.name} cannot read anything; choose a model that can be asked.")
    entry = provider_entry(system.provider)
    if entry.needs_model and not system.model_id:
        raise CannotBeAskedError(f"The system {system.slug} names no model; fill in its model id first.")
    parameters = as_learned({**entry.defaults, **system.parameters}, learned_of(system))
    problems = parameter_problems(parameters)
    if problems:
        raise CannotBeAskedError(" ".join(problems))
    return {
        "reader": f"{READER_PREFIX}{system.slug}",
        "system": system.slug,
        "provider": system.provider,
        "model_id": system.model_id,
        "base_url": system.base_url,
        KEY_VARIABLE: system.api_key_variable,
        "parameters": parameters,
        PRICES_KEY: price_facts(system),
        "prompts": {"choice": CHOICE_TEMPLATE, "number": NUMBER_TEMPLATE},
    }


def fallback_reader_of(run: Run) -> str:
    """Return the name of the run's fallback reader, "" where it uses none."""
    return str(run.frozen.get(FROZEN_KEY, {}).get("reader", ""))
