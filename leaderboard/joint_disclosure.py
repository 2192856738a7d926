"""Which groups of questions are shown on all the boards of a benchmark taken together. Pure.

Every total and every group shown is a sum over questions that anyone can add to and subtract from the others. What can
be worked out in that way are the vectors of the row space of "which result holds which question". The promise: none of
them, other than zero, rests on fewer than `minimum` questions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.intp]

_TOLERANCE = 1e-7
# Parts looked at together.
_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Joint:
    """Which groups are shown, and the questions of each part that the totals alone give away."""

    shown: Bools
    given_away: tuple[Integers, ...]


def joint_disclosure(*, totals: Bools, groups: Bools, is_kept: Bools, minimum: int) -> Joint:
    """Show groups, those `is_kept` before others and the largest first, unless something too small would follow.

    `totals` and `groups` have the shapes (sets, questions) and (groups, questions). Totals are always shown; where they
    alone give a part away, no group may divide that part, and the rest is protected as if it were known. Groups of the
    same questions are shown or hidden together.
    """
    rows, row_of = _distinct(groups)
    sizes = rows.sum(axis=1)
    # Groups of questions whose every verdict is public anyway have no column here.
    may_show = (sizes >= minimum) | (sizes == 0)
    given, may_show = _given_away(totals, rows, may_show, minimum)
    kept = np.zeros(len(rows), dtype=np.bool_)
    kept[row_of[is_kept]] = True
    ordered = np.lexsort((np.arange(len(rows)), -sizes, ~kept))
    ordered = ordered[may_show[ordered]]
    is_free = _outside(given, groups.shape[1])
    shown = np.zeros(len(rows), dtype=np.bool_)
    shown[ordered] = _accepted(totals[:, is_free], rows[ordered][:, is_free], minimum)
    return Joint(shown[row_of], given)


class RowSpace:
    """What can be worked out from the results shown so far, over parts (questions that no result tells apart).

    Let P be the projection on the row space. A vector that is zero outside some parts S lies in it only if (I - P)
    restricted to S is singular. It is not where in each of its rows the diagonal exceeds the sum of what stands beside
    it (Gershgorin); beside a part there is room for only so many others. For single questions (`minimum` 2) this is
    exact; above, it may hide a group too many and never one too few.
    """

    def __init__(self, sizes: Integers, *, minimum: int, n_results: int) -> None:
        self._small = np.flatnonzero(sizes < minimum)
        self._sizes = sizes[self._small]
        self._minimum = minimum
        self._room = np.minimum(minimum - 1 - self._sizes, max(len(self._small) - 1, 0))
        self._directions: Floats = np.zeros((n_results, len(sizes)))
        self._rank = 0
        self._own: Floats = np.zeros(len(self._small))
        # P on the small parts, kept as a whole: products of large matrices would wait for every core of the machine.
        n_beside = len(self._small) if self._room.max(initial=0) else 0
        self._projection: Floats = np.zeros((n_beside, n_beside))

    def added(self, row: Bools) -> bool:
        """Add a result unless something too small might follow; say whether it was added."""
        new = self._beyond(row)
        if new is None:
            return True
        if self._suspects(new[self._small], stop_at_first=True):
            return False
        self._take(new)
        return True

    def add(self, row: Bools) -> None:
        """Add a result that is shown in any case."""
        new = self._beyond(row)
        if new is not None:
            self._take(new)

    def too_small(self) -> Integers:
        """Return the parts of which, alone or with others, something too small might follow."""
        return self._small[self._suspects(np.zeros(len(self._small)), stop_at_first=False)]

    def _beyond(self, row: Bools) -> Floats | None:
        """Return what a result adds, as a direction of length one; None where it follows from the others."""
        known = self._directions[: self._rank]
        new = row.astype(np.float64)
        # Twice: once leaves rounding errors that would grow from row to row.
        for _ in range(2):
            new -= (known @ new) @ known
        length = float(np.linalg.norm(new))
        return None if length <= _TOLERANCE else np.asarray(new / length)

    def _take(self, new: Floats) -> None:
        self._directions[self._rank] = new
        self._rank += 1
        part = new[self._small]
        self._own += part**2
        if self._projection.size:
            self._projection += np.multiply.outer(part, part)

    def _suspects(self, part: Floats, *, stop_at_first: bool) -> list[int]:
        """Return which small parts would fail the test with one more direction, `part` on them.

        The most suspect are looked at first; one is enough to stop.
        """
        own = self._own + part**2
        # |P_ij| is at most the root of P_ii P_jj: most parts need no look at what stands beside them.
        roots = -np.sort(-np.sqrt(own))
        most = np.concatenate([[0.0], np.cumsum(roots)])[self._room]
        slack = 1.0 - own - np.sqrt(own) * most - _TOLERANCE
        doubtful = np.argsort(slack, kind="stable")[: np.count_nonzero(slack <= 0)]
        found: list[int] = []
        for start in range(0, len(doubtful), _AT_ONCE):
            chunk = doubtful[start : start + _AT_ONCE]
            fails = 1.0 - own[chunk] <= self._beside(chunk, part) + _TOLERANCE
            found += chunk[fails].tolist()
            if found and stop_at_first:
                break
        return found

    def _beside(self, chunk: Integers, part: Floats) -> Floats:
        """Return, for some small parts, the most that can stand beside each in |I - P|."""
        most = int(self._room[chunk].max(initial=0))
        if not most:
            return np.zeros(len(chunk))
        beside = np.abs(self._projection[chunk] + np.multiply.outer(part[chunk], part))
        beside[np.add.outer(self._sizes[chunk], self._sizes) >= self._minimum] = 0.0
        beside[np.arange(len(chunk)), chunk] = 0.0
        largest = -np.sort(np.partition(-beside, most - 1, axis=1)[:, :most], axis=1)
        sums = np.concatenate([np.zeros((len(chunk), 1)), np.cumsum(largest, axis=1)], axis=1)
        return np.asarray(sums[np.arange(len(chunk)), self._room[chunk]])


def _accepted(totals: Bools, rows: Bools, minimum: int) -> Bools:
    """Say of each row, taken in order, whether it can be shown beside the totals and the rows before it."""
    first, _, sizes = _parts(np.concatenate([totals, rows]))
    space = RowSpace(sizes, minimum=minimum, n_results=len(totals) + len(rows))
    for total in totals[:, first]:
        space.add(total)
    return np.array([space.added(row) for row in rows[:, first]], dtype=np.bool_)


def _given_away(totals: Bools, rows: Bools, may_show: Bools, minimum: int) -> tuple[tuple[Integers, ...], Bools]:
    """Return the parts that the totals alone may give away, and which rows may be shown without dividing them."""
    given: list[Integers] = []
    _, part_of, _ = _parts(totals)
    while True:
        is_free = np.flatnonzero(_outside(given, totals.shape[1]))
        first, _, sizes = _parts(np.concatenate([totals, rows[may_show]])[:, is_free])
        space = RowSpace(sizes, minimum=minimum, n_results=len(totals))
        for total in totals[:, is_free[first]]:
            space.add(total)
        found = {int(part_of[column]) for column in is_free[first[space.too_small()]]}
        if not found:
            return tuple(given), may_show
        for part in sorted(found):
            columns = np.flatnonzero(part_of == part)
            inside = rows[:, columns].sum(axis=1)
            may_show = may_show & ((inside == 0) | (inside == len(columns)))
            given.append(columns)


def _outside(given: Sequence[Integers], n: int) -> Bools:
    is_outside = np.ones(n, dtype=np.bool_)
    for columns in given:
        is_outside[columns] = False
    return is_outside


def _distinct(groups: Bools) -> tuple[Bools, Integers]:
    """Return the distinct rows, and for each group the index of its row."""
    if not len(groups):
        return groups, np.zeros(0, dtype=np.intp)
    first, row_of, _ = _parts(groups.T)
    return groups[first], row_of


def _parts(membership: Bools) -> tuple[Integers, Integers, Integers]:
    """Return, of the distinct columns, where each comes first, for each column which it is, and how many are alike."""
    # Eight rows to a byte, a question to a word: many times faster to compare than columns of booleans.
    packed = np.ascontiguousarray(np.packbits(membership, axis=0).T)
    words = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, part_of, sizes = np.unique(words, return_index=True, return_inverse=True, return_counts=True)
    return first, part_of.ravel(), sizes
