"""A person's own shares of right answers, told so that no single verdict follows from them. Pure.

While a study is open, nobody may learn which of their answers were right. Hiding small groups is not enough for that:
a share of 0 or 100 % tells every verdict in its group, and so does a sum that leaves only such a share. Therefore

- questions are divided into groups that do not overlap, each of at least `SMALLEST_OWN_GROUP`: smaller topics are put
  together until they are as many, and what is left over then goes with the last or the smallest of the groups;
- none and one right answer are told alike, and so are all and all but one;
- a group with an answer that is not judged yet is not told: once it is, the difference would be its verdict;
- the whole is told as the sum of what is told of the groups, so it adds nothing.

How questions are divided depends on the questions alone, never on the answers. Each group could then always have one
right answer more or less than the person has, in any of its questions, with all that is shown staying as it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

SMALLEST_OWN_GROUP = 5
REST = "rest"
REST_NAME = "Other questions"

Columns = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class OwnGroup:
    """A group of a person's questions: the columns of their answers that belong to it."""

    slug: str
    name: str
    columns: Columns


@dataclass(frozen=True, slots=True)
class OwnShare:
    """How many of `n` answers were right: from `low` to `high`, the same where it is told exactly."""

    n: int
    low: int
    high: int

    @property
    def words(self) -> str:
        """Such as `62.5%`, `at most 20.0%`, `at least 80.0%`, `60.0% to 64.0%`."""
        low, high = (f"{count / self.n * 100:.1f}%" for count in (self.low, self.high))
        if self.low == self.high:
            return low
        if self.low == 0:
            return f"at most {high}"
        return f"at least {low}" if self.high == self.n else f"{low} to {high}"


@dataclass(frozen=True, slots=True)
class GroupShare:
    """A group with its share."""

    slug: str
    name: str
    share: OwnShare


@dataclass(frozen=True, slots=True)
class OwnShares:
    """The shares of a person's groups and of all their answers; no total where too few questions were answered."""

    groups: tuple[GroupShare, ...]
    total: OwnShare | None


def exact_shares(is_right: npt.NDArray[np.bool_], groups: Sequence[OwnGroup]) -> OwnShares:
    """Return the shares as they are, for whoever may see every single verdict."""
    shares = tuple(_exact(is_right, group) for group in groups if group.columns.size)
    n_right = int(np.count_nonzero(is_right))
    return OwnShares(shares, OwnShare(is_right.size, n_right, n_right) if is_right.size else None)


def protected_shares(
    is_right: npt.NDArray[np.bool_], groups: Sequence[OwnGroup], *, is_judged: npt.NDArray[np.bool_] | None = None
) -> OwnShares:
    """Return shares from which no single verdict follows: of groups that do not overlap, coarse at both ends.

    A group with an answer that is not judged is left out, and the total with it.
    """
    divisions = divided(groups, n=is_right.size)
    told = [group for group in divisions if is_judged is None or is_judged[group.columns].all()]
    shares = []
    for group in told:
        exact = _exact(is_right, group)
        shares.append(GroupShare(exact.slug, exact.name, _coarse(exact.share)))
    if len(shares) < len(divisions) or not shares:
        return OwnShares(tuple(shares), None)
    total = OwnShare(is_right.size, sum(row.share.low for row in shares), sum(row.share.high for row in shares))
    return OwnShares(tuple(shares), total)


def divided(groups: Sequence[OwnGroup], *, n: int) -> list[OwnGroup]:
    """Divide `n` questions into groups of at least `SMALLEST_OWN_GROUP` that do not overlap, largest first.

    What is in none of them comes last, by small topics put together. Empty where there are fewer questions in all.
    """
    is_free = np.ones(n, dtype=np.bool_)
    taken: list[OwnGroup] = []
    for group in sorted(groups, key=lambda group: (-group.columns.size, group.slug)):
        if group.columns.size >= SMALLEST_OWN_GROUP and is_free[group.columns].all():
            is_free[group.columns] = False
            taken.append(group)
    while taken and 0 < np.count_nonzero(is_free) < SMALLEST_OWN_GROUP:
        is_free[taken.pop().columns] = True
    if np.count_nonzero(is_free) >= SMALLEST_OWN_GROUP:
        taken += _put_together(groups, np.flatnonzero(is_free))
    return taken


def _put_together(groups: Sequence[OwnGroup], rest: Columns) -> list[OwnGroup]:
    """Divide the rest by putting topics together, by name, until they have enough questions."""
    parts: list[list[tuple[str, Columns]]] = [[]]
    for piece in _pieces(groups, rest):
        if _size(parts[-1]) >= SMALLEST_OWN_GROUP:
            parts.append([])
        parts[-1].append(piece)
    if len(parts) > 1 and _size(parts[-1]) < SMALLEST_OWN_GROUP:
        last = parts.pop()
        parts[-1] += last
    if len(parts) == 1:
        return [OwnGroup(REST, REST_NAME, rest)]
    return [
        OwnGroup(f"{REST}-{number}", ", ".join(name for name, _ in part), np.concatenate([found for _, found in part]))
        for number, part in enumerate(parts, start=1)
    ]


def _pieces(groups: Sequence[OwnGroup], rest: Columns) -> list[tuple[str, Columns]]:
    """Return the rest by topic; a question with several belongs to the first by name, those without any come last."""
    pieces = []
    for group in sorted(groups, key=lambda group: (group.name.casefold(), group.slug)):
        pieces.append((group.name, np.intersect1d(rest, group.columns)))
        rest = np.setdiff1d(rest, group.columns)
    return [(name, columns) for name, columns in [*pieces, (REST_NAME, rest)] if columns.size]


def _size(part: Sequence[tuple[str, Columns]]) -> int:
    return sum(columns.size for _, columns in part)


def _exact(is_right: npt.NDArray[np.bool_], group: OwnGroup) -> GroupShare:
    n_right = int(np.count_nonzero(is_right[group.columns]))
    return GroupShare(group.slug, group.name, OwnShare(group.columns.size, n_right, n_right))


def _coarse(share: OwnShare) -> OwnShare:
    if share.low <= 1:
        return OwnShare(share.n, 0, 1)
    if share.low >= share.n - 1:
        return OwnShare(share.n, share.n - 1, share.n)
    return share
