"""Answers that only a run's fallback reader could read."""

from collections.abc import Collection
from typing import NamedTuple

from evaluations.models import Run
from evaluations.selectors.board import ROOT, items_of
from evaluations.selectors.fallback import resting_on_fallback


class Place(NamedTuple):
    """One answer of a run: a question (root) asked once."""

    root_id: int
    repeat: int


def fallback_places(*, root_ids: Collection[int], run_ids: Collection[str]) -> dict[str, list[Place]]:
    """Return those of the runs that had a fallback reader, each with the answers whose verdict rests on it."""
    helped = list(Run.objects.filter(pk__in=run_ids, frozen__has_key="fallback").values_list("pk", flat=True))
    found: dict[str, list[Place]] = {str(pk): [] for pk in helped}
    if not helped:
        return found
    resting = resting_on_fallback(items_of(root_ids).filter(run_id__in=helped)).annotate(root_id=ROOT)
    for run_id, root_id, repeat in resting.values_list("run_id", "root_id", "repeat"):
        found[str(run_id)].append(Place(root_id, repeat))
    return found
