"""Which groups of questions the public sees results of. Pure."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

# Below these many questions a group has no public result: of a system unless the set is open, of people ever.
SMALLEST_GROUP = 2
SMALLEST_GROUP_OF_PEOPLE = 5

Columns = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]


def shown_groups(groups: Sequence[Columns], *, n: int, minimum: int) -> list[bool]:
    """Say for each group (its columns among `n` questions) whether its result can be shown beside the set's.

    A group of fewer than `minimum` questions is not shown. Neither is a larger one, smallest first, as long as adding
    and subtracting the results shown would give the result of fewer than `minimum` questions: those no group has, or
    those that only one of them has.
    """
    shown = [group.size >= minimum for group in groups]
    while any(shown):
        membership = _membership(groups, shown, n)
        part = _derivable_part(membership, minimum)
        if part is None:
            break
        around = [index for index, is_shown in enumerate(shown) if is_shown and membership[1 + index, part]]
        candidates = around or [index for index, is_shown in enumerate(shown) if is_shown]
        shown[min(candidates, key=lambda index: groups[index].size)] = False
    return shown


def _membership(groups: Sequence[Columns], shown: Sequence[bool], n: int) -> Bools:
    """Return, of shape (1 + groups, questions), which question the whole set and each shown group hold."""
    membership = np.zeros((1 + len(groups), n), dtype=np.bool_)
    membership[0] = True
    for row, (group, is_shown) in enumerate(zip(groups, shown, strict=True), start=1):
        membership[row, group] = is_shown
    return membership


def _derivable_part(membership: Bools, minimum: int) -> int | None:
    """Return a question of a part below `minimum` whose result follows from those shown, None where there is none.

    A part is the questions that are in the same groups. Its result follows when the part alone is a linear
    combination of the groups, that is when the projection on their row space leaves it as it is.
    """
    # Eight groups to a byte, a question to a word: many times faster to compare than columns of booleans.
    packed = np.ascontiguousarray(np.packbits(membership, axis=0).T)
    words = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, sizes = np.unique(words, return_index=True, return_counts=True)
    if sizes.min(initial=minimum) >= minimum:
        return None
    numbers = membership[:, first].astype(np.float64)
    own_share = np.diagonal(np.linalg.pinv(numbers) @ numbers)
    found = np.flatnonzero((sizes < minimum) & (own_share > 1 - 1e-9))
    return int(first[found[0]]) if found.size else None
