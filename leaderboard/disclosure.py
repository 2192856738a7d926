"""Which groups of questions the public sees results of. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

# Below these many questions a group has no public result: of a system unless the set is open, of people ever.
SMALLEST_GROUP = 2
SMALLEST_GROUP_OF_PEOPLE = 5

Columns = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Answered:
    """Who answered what, of shape (people, questions), and from how many people on a result is public."""

    by_person: Bools
    minimum: int


def has_enough_people(answered: Bools, *, minimum: int) -> bool:
    """Say whether a result rests on enough people: none of them gave more than one part in `minimum` of the answers.

    `answered` has the shape (people, questions). Where everybody answered everything, this asks for `minimum` people.
    """
    counts = np.count_nonzero(answered, axis=1)
    return bool(counts.size) and bool(counts.sum()) and bool(counts.max() * minimum <= counts.sum())


def shown_groups(groups: Sequence[Columns], *, n: int, minimum: int, answered: Answered | None = None) -> list[bool]:
    """Say for each group (its columns among `n` questions) whether its result can be shown beside the set's.

    A group of fewer than `minimum` questions is not shown. Neither is a larger one, smallest first, as long as adding
    and subtracting the results shown would give the result of fewer than `minimum` questions: those no group has, or
    those that only one of them has. With `answered`, where people answered different questions, a group that rests on
    too few of them (`has_enough_people`) is treated like one of too few questions.
    """
    shown = [
        group.size >= minimum
        and (answered is None or has_enough_people(answered.by_person[:, group], minimum=answered.minimum))
        for group in groups
    ]
    while any(shown):
        membership = _membership(groups, shown, n)
        part = _derivable_part(membership, minimum, answered)
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


def _derivable_part(membership: Bools, minimum: int, answered: Answered | None) -> int | None:
    """Return a question of a part too small whose result follows from those shown, None where there is none.

    A part is the questions that are in the same groups. Its result follows when the part alone is a linear
    combination of the groups, that is when the projection on their row space leaves it as it is.
    """
    # Eight groups to a byte, a question to a word: many times faster to compare than columns of booleans.
    packed = np.ascontiguousarray(np.packbits(membership, axis=0).T)
    words = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, part_of, sizes = np.unique(words, return_index=True, return_inverse=True, return_counts=True)
    is_small = sizes < minimum
    if answered is not None:
        is_small |= _rest_on_few(part_of, len(sizes), answered)
    if not is_small.any():
        return None
    numbers = membership[:, first].astype(np.float64)
    own_share = np.diagonal(np.linalg.pinv(numbers) @ numbers)
    found = np.flatnonzero(is_small & (own_share > 1 - 1e-9))
    return int(first[found[0]]) if found.size else None


def _rest_on_few(part_of: Columns, n_parts: int, answered: Answered) -> Bools:
    """Say for each part whether its result rests on too few people; nobody's answers are no result."""
    by_part = np.zeros((n_parts, len(answered.by_person)), dtype=np.intp)
    np.add.at(by_part, part_of, answered.by_person.T)
    return np.array([bool(counts.sum()) and counts.max() * answered.minimum > counts.sum() for counts in by_part])
