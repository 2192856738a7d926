"""What a run freezes of the question of how sure its system is."""

from typing import Any

from corpus.scoring.confidence_levels import CONFIDENCE_READER
from evaluations.errors import CannotBeAskedError
from evaluations.models import System
from evaluations.prompts.confidence import CONFIDENCE_PROMPT
from evaluations.services.systems import is_baseline

CONFIDENCE_KEY = "confidence"


def confidence_facts(system: System) -> dict[str, Any]:
    """Return the words of the question and the reader of the level. Refuses a baseline, which is sure of nothing."""
    if is_baseline(system):
        raise CannotBeAskedError(f"{system.name} is a baseline; it cannot say how sure it is.")
    return {"prompt": CONFIDENCE_PROMPT, "reader": CONFIDENCE_READER}
