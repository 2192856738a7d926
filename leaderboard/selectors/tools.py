"""Under which conditions people answered the questions of a set."""

from collections import defaultdict
from collections.abc import Collection

from survey.models import StudyBlock


def tools_by_set(*, study_ids: Collection[int]) -> dict[int, frozenset[bool]]:
    """Return, by question set, whether tools were allowed in the parts of these studies that ask it. One query."""
    found: dict[int, set[bool]] = defaultdict(set)
    blocks = StudyBlock.objects.filter(study__in=study_ids).values_list(
        "set_revision__question_set_id", "tools_allowed"
    )
    for set_id, allowed in blocks:
        found[set_id].add(allowed)
    return {set_id: frozenset(allowed) for set_id, allowed in found.items()}
