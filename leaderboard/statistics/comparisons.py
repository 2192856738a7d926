"""A system beside people, and a small set beside the full one. Pure; every formula names its source."""

from typing import NamedTuple

import numpy as np

from leaderboard.statistics.basis import BOOTSTRAP_DRAWS, BOOTSTRAP_SEED, CONFIDENCE, NO_INTERVAL, Floats, Interval
from leaderboard.statistics.intervals import wilson_bounds
from leaderboard.statistics.ranks import mean_ranks
from leaderboard.statistics.resampling import question_weights


class ShareBeaten(NamedTuple):
    """The share of `n_people` a system beats, a tie counting a half: over people alone, and over questions as well."""

    share: float
    over_people: Interval
    over_people_and_questions: Interval
    n_people: int


class BeatenBand(NamedTuple):
    """Between which shares of `n_people` the share lies that a system beats; the two are one where it may be told."""

    low: float
    high: float
    n_people: int


class SetAgreement(NamedTuple):
    """How a small set orders and scores systems as the full one does; NaN where it is not defined."""

    n_systems: int
    spearman: float
    kendall: float
    mean_absolute_difference: float
    largest_difference: float


def share_beaten(
    system: Floats,
    people: Floats,
    confidence: float = CONFIDENCE,
    draws: int = BOOTSTRAP_DRAWS,
    seed: int = BOOTSTRAP_SEED,
) -> ShareBeaten:
    """Return the share of people whose mean is below the system's on the questions both answered.

    `system` holds a value per question, `people` has the shape (people, questions); NaN where not answered. People
    without a common question are left out. Over people, questions fixed: the Wilson interval of the share. Over both:
    people and questions are each drawn with replacement, and the percentile interval is never narrower than the first.
    Source: A. B. Owen, The Annals of Applied Statistics 1 (2007) 386-411 (both drawn); R. B. Newcombe, Statistics in
    Medicine 25 (2006) 543-557 (a tie as a half).
    """
    answered = ~(np.isnan(people) | np.isnan(system))
    counted = answered.any(axis=1)
    answered, people = answered[counted], people[counted]
    n = len(people)
    if not n:
        return ShareBeaten(float("nan"), NO_INTERVAL, NO_INTERVAL, 0)
    lead = np.where(answered, system - people, 0.0)
    share = float(_points(lead.sum(axis=1)).mean())
    low, high = wilson_bounds(np.array([share * n]), np.array([float(n)]), confidence)
    over_people = Interval(float(low[0]), float(high[0]))
    weights = question_weights(people.shape[1], draws, seed)
    drawn_points = _points(weights @ lead.T)
    # Someone none of whose questions was drawn says nothing in that draw.
    drawn_people = question_weights(n, draws, seed + 1) * (weights @ answered.T.astype(np.float64) > 0)
    totals = drawn_people.sum(axis=1)
    shares = (drawn_people * drawn_points).sum(axis=1)[totals > 0] / totals[totals > 0]
    ends = np.quantile(shares, [(1 - confidence) / 2, (1 + confidence) / 2])
    both = Interval(min(float(ends[0]), over_people.low), max(float(ends[1]), over_people.high))
    return ShareBeaten(share, over_people, both, n)


def beaten_band(system: float, people: Floats, smallest: int) -> BeatenBand:
    """Return the share of people whose mean is below the system's, a tie counting a half, as one of a few bands.

    n people are put into as many groups of `smallest` or more as they make, in the order of their means, of sizes that
    differ by one at most; the band is the group in which the share falls, so that its edges are quantiles with at
    least `smallest` people on either side. Told exactly only where it is 0 or 1: below the worst of them, or above the
    best. Edges: i-th of k groups, the integer nearest to i·n/k. Source of such micro-aggregation: J. Domingo-Ferrer and
    J. M. Mateo-Sanz, IEEE Transactions on Knowledge and Data Engineering 14 (2002) 189-201.
    """
    n = int(people.size)
    leads = np.round(system - people, 9)
    if not n or leads.min() > 0 or leads.max() < 0:
        share = float("nan") if not n else float(leads.min() > 0)
        return BeatenBand(share, share, n)
    groups = max(n // smallest, 1)
    edges = np.rint(np.arange(groups + 1) * n / groups)
    beaten = float(_points(leads).sum())
    place = min(int(np.searchsorted(edges, beaten, side="right")) - 1, groups - 1)
    return BeatenBand(float(edges[place]) / n, float(edges[place + 1]) / n, n)


def set_agreement(small: Floats, full: Floats) -> SetAgreement:
    """Compare systems' accuracies on a small set with those on the full one; systems without one of both are left out.

    Spearman's ρ is Pearson's correlation of ranks, ties sharing the mean rank; Kendall's τ_b is the concordant less the
    discordant pairs over √(pairs untied in one · pairs untied in the other). Where the small set is part of the full
    one they agree in part because they share questions: give the accuracies on the rest to leave that out. Sources:
    C. Spearman, American Journal of Psychology 15 (1904) 72-101; M. G. Kendall, Biometrika 33 (1945) 239-251.
    """
    common = ~(np.isnan(small) | np.isnan(full))
    small, full = small[common], full[common]
    if not small.size:
        return SetAgreement(0, *([float("nan")] * 4))
    distance = np.abs(small - full)
    upper = np.triu_indices(small.size, k=1)
    signs = [np.sign(np.round(np.subtract.outer(values, values), 12))[upper] for values in (small, full)]
    ranks = [mean_ranks(values) - (small.size + 1) / 2 for values in (small, full)]
    return SetAgreement(
        n_systems=int(small.size),
        spearman=_cosine(ranks[0], ranks[1]),
        kendall=_cosine(signs[0], signs[1]),
        mean_absolute_difference=float(distance.mean()),
        largest_difference=float(distance.max()),
    )


def _points(lead: Floats) -> Floats:
    """Return 1 where the lead is above 0, a half where it is 0; what rounding leaves is 0."""
    points: Floats = (np.sign(np.round(lead, 9)) + 1) / 2
    return points


def _cosine(first: Floats, second: Floats) -> float:
    size = float(np.sqrt((first**2).sum() * (second**2).sum()))
    return float((first * second).sum()) / size if size else float("nan")
