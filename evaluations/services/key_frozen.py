"""Which key goes where: the name of its variable is frozen with provider and address, and stays with them."""

from collections.abc import Mapping
from typing import Any

from evaluations.errors import CannotBeAskedError
from evaluations.models import System

KEY_VARIABLE = "api_key_variable"
_PLACE = {"provider": "provider", "base_url": "address"}


def key_variable_of(*, facts: Mapping[str, Any], system: System) -> str:
    """Return the name of the variable whose key goes to the frozen provider and address; "" where none does.

    What was frozen without a name uses the system's of today, which was set for the system's provider and address of
    today. Raises CannotBeAskedError where those are no longer the frozen ones.
    """
    if KEY_VARIABLE in facts:
        return str(facts[KEY_VARIABLE])
    changed = [words for name, words in _PLACE.items() if facts.get(name, "") != getattr(system, name)]
    if changed and system.api_key_variable:
        place = " and ".join(changed)
        raise CannotBeAskedError(
            f"{system.name[:60]} has another {place} today than when this was queued, so its key of today is not sent. "
            f"Set the {place} back and resume, or queue a new run."
        )
    return system.api_key_variable
