"""On which sets that are not open it may be told how often a system is right at each level of confidence."""

import hashlib
from collections.abc import Mapping

import numpy as np
from django.core.cache import cache

from leaderboard.disclosure import SMALLEST_GROUP
from leaderboard.joint_disclosure import joint_disclosure
from leaderboard.selectors.boards import public_sets
from leaderboard.selectors.inputs import columns_of
from leaderboard.selectors.shown import ClosedResults, closed_results_of

_KEEP_SECONDS = 86_400


def sets_with_levels_told(*, benchmark_id: int, levels: Mapping[int, int]) -> frozenset[int]:
    """Return the sets (ids) on which the share right of every level of one run may be told.

    `levels` are the levels it stated by question (root). Who knows them, as of a published file, has in each level's
    count of right answers a sum over known questions. These sums, over all sets that are not open, are looked at beside
    everything that boards and snapshots show of a system (decision 10): a set is left out where one of its levels holds
    fewer questions than the minimum, or where so few could be worked out. Kept for each state of sets and levels.
    """
    shown = closed_results_of(benchmark_id=benchmark_id)
    stated = sorted(levels.items())
    key = f"levels-told:{hashlib.sha256(repr((shown.version, SMALLEST_GROUP, stated)).encode()).hexdigest()}"
    found: frozenset[int] | None = cache.get(key)
    if found is None:
        found = _worked_out(shown, levels, benchmark_id)
        cache.set(key, found, _KEEP_SECONDS)
    return found


def _worked_out(shown: ClosedResults, levels: Mapping[int, int], benchmark_id: int) -> frozenset[int]:
    column_of = {root_id: column for column, root_id in enumerate(shown.root_ids)}
    set_ids, sizes, rows = [], [], []
    for question_set in public_sets().filter(benchmark_id=benchmark_id, pk__in=shown.set_ids):
        if question_set.current_revision is None:
            continue
        roots = [column.root_id for column in columns_of(set_revision=question_set.current_revision)]
        for level in sorted({levels[root_id] for root_id in roots if root_id in levels}):
            members = [root_id for root_id in roots if levels.get(root_id) == level]
            row = np.zeros(len(column_of), dtype=np.bool_)
            row[[column_of[root_id] for root_id in members if root_id in column_of]] = True
            set_ids.append(question_set.pk)
            sizes.append(len(members))
            rows.append(row)
    if not rows:
        return frozenset()
    found = joint_disclosure(
        totals=shown.rows, groups=np.array(rows), is_kept=np.zeros(len(rows), dtype=np.bool_), minimum=SMALLEST_GROUP
    )
    is_told = found.shown & (np.array(sizes) >= SMALLEST_GROUP)
    hidden = {set_id for set_id, told in zip(set_ids, is_told, strict=True) if not told}
    return frozenset(set_ids) - hidden
