"""Whether what is said of one's own answers holds. Pure and vectorised; every formula names its source."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from leaderboard.statistics.basis import CONFIDENCE, NO_INTERVAL, Flags, Floats, Integers, Interval
from leaderboard.statistics.intervals import wilson_interval


class Level(NamedTuple):
    """One stated level: how many answers it was said of (`portion` of all), how many of these are right."""

    level: int
    n: int
    portion: float
    right: int
    share: float
    interval: Interval


class Discrimination(NamedTuple):
    """How well confidence tells right answers from others: 1 always, 0.5 not at all; NaN where all are alike."""

    auroc: float
    interval: Interval
    n_right: int
    n_other: int


def reliability(stated: Integers, right: Flags, levels: Sequence[int], confidence: float = CONFIDENCE) -> list[Level]:
    """Return for every one of `levels`, in that order, how often it was stated and how often the answer was right.

    One value per answer; leave out answers without a level. The interval is the Wilson interval of the share right;
    share and interval are NaN for a level that nobody stated. Raise ValueError for a level not among `levels`. Source:
    A. H. Murphy and R. L. Winkler, Applied Statistics 26 (1977) 41-47 (the reliability diagram).
    """
    unknown = sorted(set(stated.tolist()) - set(levels))
    if unknown:
        raise ValueError(f"Confidence was stated as {unknown}, which is not among {list(levels)}.")
    return [_level(level, stated == level, right, confidence) for level in levels]


def expected_calibration_error(claimed: Floats, right: Flags, bin_of: Integers) -> float:
    """Return the mean over answers of how far their bin's share right is from its mean claimed probability.

    Σ_bins (n_b / n) · |share right − mean claim|. For stated levels a bin is a level and `claimed` the probability it
    stands for; for probabilities see `equal_bins`. NaN without answers. Source: M. P. Naeini, G. F. Cooper and
    M. Hauskrecht, Proceedings of AAAI 29 (2015) 2901-2907.
    """
    if not claimed.size:
        return float("nan")
    _, places = np.unique(bin_of, return_inverse=True)
    return float(np.abs(np.bincount(places, weights=right - claimed)).sum()) / int(claimed.size)


def equal_bins(probabilities: Floats, bins: int = 10) -> Integers:
    """Return which of `bins` equally wide bins each probability lies in, from 0; 1 belongs to the last."""
    return np.minimum((probabilities * bins).astype(np.int64), bins - 1)


def discrimination(confidences: Floats, right: Flags, confidence: float = CONFIDENCE) -> Discrimination:
    """Return the area under the receiver operating characteristic with its interval.

    It is the chance that a right answer was given with more confidence than another, a tie counting a half. Its
    variance is S₁ / n_right + S₀ / n_other, S the variances of each answer's share of answers of the other kind it is
    on the right side of; the interval is ± z of it, cut to 0 and 1, none with fewer than two of a kind. Source:
    E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, Biometrics 44 (1988) 837-845.
    """
    n_right, n_other = int(np.count_nonzero(right)), int(np.count_nonzero(~right))
    if not n_right or not n_other:
        return Discrimination(float("nan"), NO_INTERVAL, n_right, n_other)
    ranks = rankdata(confidences)
    of_right = (ranks[right] - rankdata(confidences[right])) / n_other
    of_other = 1 - (ranks[~right] - rankdata(confidences[~right])) / n_right
    area = float(of_right.mean())
    if min(n_right, n_other) < 2:
        return Discrimination(area, NO_INTERVAL, n_right, n_other)
    variance = np.var(of_right, ddof=1) / n_right + np.var(of_other, ddof=1) / n_other
    half = float(ndtri((1 + confidence) / 2) * np.sqrt(variance))
    return Discrimination(area, Interval(max(0.0, area - half), min(1.0, area + half)), n_right, n_other)


def _level(level: int, is_stated: Flags, right: Flags, confidence: float) -> Level:
    n, n_right = int(np.count_nonzero(is_stated)), int(np.count_nonzero(right & is_stated))
    return Level(
        level=level,
        n=n,
        portion=n / is_stated.size if is_stated.size else float("nan"),
        right=n_right,
        share=n_right / n if n else float("nan"),
        interval=wilson_interval(n_right, n, confidence),
    )
