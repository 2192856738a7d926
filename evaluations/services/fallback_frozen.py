"""Which fallback reader a run says it uses. Frozen with the run, so that its numbers keep their meaning."""

from typing import Any

from evaluations.models import Run, System

FROZEN_KEY = "fallback"
READER_PREFIX = "fallback@1:"
NOTE = "fallback"


def fallback_facts(system: System) -> dict[str, Any]:
    """Return what a run freezes of the system that reads where our reader finds nothing."""
    return {
        "reader": fallback_reader(system),
        "system": system.slug,
        "provider": system.provider,
        "model_id": system.model_id,
        "base_url": system.base_url,
    }


def fallback_reader(system: System) -> str:
    """Return the name under which this system's readings are stored."""
    return f"{READER_PREFIX}{system.slug}"


def fallback_reader_of(run: Run) -> str:
    """Return the name of the run's fallback reader, "" where it uses none."""
    return str(run.frozen.get(FROZEN_KEY, {}).get("reader", ""))
