"""Many tests at once, and who they tell apart. Pure and vectorised; every formula names its source."""

from string import ascii_lowercase

import numpy as np

from leaderboard.statistics.basis import CONFIDENCE, Flags, Floats

ALPHA = 1 - CONFIDENCE


def holm(p_values: Floats) -> Floats:
    """Return p-values adjusted for how many there are; one at or below α is told apart with family-wise error α.

    The i-th smallest of m becomes the largest of (m − j + 1) · p_j over j ≤ i, at most 1. NaN is no test: it stays NaN
    and is not counted. Holds whatever the tests depend on one another. Source: S. Holm, Scandinavian Journal of
    Statistics 6 (1979) 65-70.
    """
    adjusted = np.full(p_values.shape, np.nan)
    known = ~np.isnan(p_values)
    present = p_values[known]
    order = np.argsort(present, kind="stable")
    stepped = np.minimum(1.0, np.maximum.accumulate(present[order] * np.arange(present.size, 0, -1)))
    back = np.empty_like(stepped)
    back[order] = stepped
    adjusted[known] = back
    return adjusted


def holm_table(p_values: Floats) -> Floats:
    """Return `holm` of a symmetric table of pairs, each pair counted once; the diagonal is NaN."""
    upper = np.triu_indices(len(p_values), k=1)
    adjusted = np.full(p_values.shape, np.nan)
    adjusted[upper] = holm(p_values[upper])
    adjusted.T[upper] = adjusted[upper]
    return adjusted


def told_apart(adjusted: Floats, alpha: float = ALPHA) -> Flags:
    """Say of every pair whether its adjusted p-value tells the two apart; where there is none (NaN) it does not."""
    # alpha is 1 - 0.95, which is not 0.05 to the last digit.
    return np.nan_to_num(adjusted, nan=1.0) <= alpha + 1e-12


def indistinct_groups(apart: Flags) -> list[tuple[int, ...]]:
    """Return groups of entrants that cannot be told apart, entrants given and groups returned from best to worst.

    Two entrants share a group exactly where they are not told apart, so an entrant may be in several. Every group is
    as large as it can be, and none is within another. Groups are grown from each pair not yet together, nearest
    neighbours first: a clique cover of the table of pairs not told apart. Source: J. Gramm, J. Guo, F. Hüffner,
    R. Niedermeier, H.-P. Piepho and R. Schmid, Computational Statistics & Data Analysis 52 (2007) 725-736; letters for
    them: H.-P. Piepho, Journal of Computational and Graphical Statistics 13 (2004) 456-466.
    """
    alike: Flags = np.logical_not(apart | apart.T)
    np.fill_diagonal(alike, val=True)
    together = np.zeros_like(alike)
    found: list[tuple[int, ...]] = []
    for first in range(len(alike)):
        # The furthest first: on a board in order the group it opens holds everyone between.
        for second in np.flatnonzero(alike[first])[::-1]:
            if not together[first, second]:
                members = _grown(alike, first, int(second))
                together[np.ix_(members, members)] = True
                found.append(tuple(int(member) for member in members))
    return sorted(found)


def group_letters(groups: list[tuple[int, ...]], n: int) -> list[str]:
    """Return the letters of each of n entrants, one for each of its groups: a, b, ... z, aa, ab, ..., with spaces."""
    return [" ".join(_letter(place) for place, group in enumerate(groups) if entrant in group) for entrant in range(n)]


def _grown(alike: Flags, first: int, second: int) -> list[int]:
    members = sorted({first, second})
    fits = alike[members].sum(axis=0) == len(members)
    fits &= ~np.isin(np.arange(len(alike)), members)
    middle = (first + second) / 2
    for entrant in sorted(np.flatnonzero(fits), key=lambda place: (abs(place - middle), place)):
        if alike[entrant, members].all():
            members.append(int(entrant))
    return sorted(members)


def _letter(place: int) -> str:
    more, last = divmod(place, len(ascii_lowercase))
    return (_letter(more - 1) if more else "") + ascii_lowercase[last]
