"""Whether what is said of one's own answers holds. Pure and vectorised; every formula names its source."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

from leaderboard.statistics.basis import CONFIDENCE, NO_INTERVAL, Flags, Floats, Integers, Interval
from leaderboard.statistics.intervals import wilson_bounds, wilson_interval
from leaderboard.statistics.ranks import mean_ranks


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


def level_probability(levels: npt.ArrayLike, highest: int = 5) -> Floats:
    """Return the probabilities that levels from 1 to `highest` stand for: each the middle of its part of 0 to 1.

    (level − 1/2) / highest: of five levels 0.1, 0.3, 0.5, 0.7 and 0.9. A convention: a level has no probability of its
    own, so an expected calibration error of levels can be compared with others of the same convention only, while the
    order of levels, and with it the area under the curve, needs none.
    """
    return (np.asarray(levels, dtype=np.float64) - 0.5) / highest


def reliability(
    stated: Integers,
    right: Flags,
    levels: Sequence[int],
    confidence: float = CONFIDENCE,
    cluster_of: Integers | None = None,
) -> list[Level]:
    """Return for every one of `levels`, in that order, how often it was stated and how often the answer was right.

    One value per answer; leave out answers without a level. The interval is the Wilson interval of the share right;
    share and interval are NaN for a level that nobody stated. Raise ValueError for a level not among `levels`. Source:
    A. H. Murphy and R. L. Winkler, Applied Statistics 26 (1977) 41-47 (the reliability diagram).

    With `cluster_of` (whose answers hang together, such as a person's) the Wilson interval is that of an effective
    number of answers, n* = p(1 − p) / v · (z / t)² with v = k / (k − 1) · Σ_clusters (right_c − p n_c)² / n² for k
    clusters and t Student's quantile of k − 1 degrees of freedom, n at most; where all or none are right n* is k.
    There is none for one cluster. Source: E. L. Korn and B. I. Graubard, Survey Methodology 24 (1998) 193-201, and, for
    Wilson's interval with n*, C. Franco, R. J. A. Little, T. A. Louis and E. V. Slud, Journal of Survey Statistics and
    Methodology 7 (2019) 334-364.
    """
    unknown = sorted(set(stated.tolist()) - set(levels))
    if unknown:
        raise ValueError(f"Confidence was stated as {unknown}, which is not among {list(levels)}.")
    return [_level(level, stated == level, right, confidence, cluster_of) for level in levels]


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


def discrimination(
    confidences: Floats, right: Flags, confidence: float = CONFIDENCE, cluster_of: Integers | None = None
) -> Discrimination:
    """Return the area under the receiver operating characteristic with its interval.

    It is the chance that a right answer was given with more confidence than another, a tie counting a half. Its
    variance is S₁ / n_right + S₀ / n_other, S the variances of each answer's share of answers of the other kind it is
    on the right side of; the interval is ± z of it, cut to 0 and 1, none with fewer than two of a kind. Source:
    E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, Biometrics 44 (1988) 837-845.

    With `cluster_of` (whose answers hang together) these shares are summed by cluster first, and their covariance is
    counted twice; none with fewer than two clusters of a kind. Source: N. A. Obuchowski, Biometrics 53 (1997) 567-578.
    """
    n_right, n_other = int(np.count_nonzero(right)), int(np.count_nonzero(~right))
    if not n_right or not n_other:
        return Discrimination(float("nan"), NO_INTERVAL, n_right, n_other)
    ranks = mean_ranks(confidences)
    of_right = (ranks[right] - mean_ranks(confidences[right])) / n_other
    of_other = 1 - (ranks[~right] - mean_ranks(confidences[~right])) / n_right
    area = float(of_right.mean())
    clusters = np.arange(right.size) if cluster_of is None else cluster_of
    variance = _area_variance(area, (of_right, of_other), (clusters[right], clusters[~right]))
    if variance is None:
        return Discrimination(area, NO_INTERVAL, n_right, n_other)
    half = float(ndtri((1 + confidence) / 2) * np.sqrt(variance))
    return Discrimination(area, Interval(max(0.0, area - half), min(1.0, area + half)), n_right, n_other)


def rank_correlation(first: Floats, second: Floats) -> float:
    """Return Spearman's rank correlation, ties at their mean rank; NaN where all of one are alike, or fewer than two.

    Source: C. Spearman, The American Journal of Psychology 15 (1904) 72-101.
    """
    if first.size < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return float("nan")
    return float(np.corrcoef(mean_ranks(first), mean_ranks(second))[0, 1])


def _area_variance(area: float, shares: tuple[Floats, Floats], clusters: tuple[Integers, Integers]) -> float | None:
    """Return the variance of an area from the shares of right and of other answers; None with one cluster of a kind."""
    _, place_of = np.unique(np.concatenate(clusters), return_inverse=True)
    ends = (place_of[: shares[0].size], place_of[shares[0].size :])
    n = int(place_of.max()) + 1
    numbers = [np.bincount(end, minlength=n) for end in ends]
    counts = [int(np.count_nonzero(number)) for number in numbers]
    if min(counts) < 2:
        return None
    sums = [
        np.bincount(end, weights=share, minlength=n) - number * area
        for end, share, number in zip(ends, shares, numbers, strict=True)
    ]
    sizes = [share.size for share in shares]
    variance = sum(
        count / (count - 1) * float((each**2).sum()) / size**2
        for count, each, size in zip(counts, sums, sizes, strict=True)
    )
    covariance = n / (n - 1) * float((sums[0] * sums[1]).sum()) / (sizes[0] * sizes[1])
    return max(variance + 2 * covariance, 0.0)


def _level(level: int, is_stated: Flags, right: Flags, confidence: float, cluster_of: Integers | None) -> Level:
    n, n_right = int(np.count_nonzero(is_stated)), int(np.count_nonzero(right & is_stated))
    if cluster_of is None:
        interval = wilson_interval(n_right, n, confidence)
    else:
        interval = _clustered_interval(right[is_stated], cluster_of[is_stated], confidence)
    return Level(
        level=level,
        n=n,
        portion=n / is_stated.size if is_stated.size else float("nan"),
        right=n_right,
        share=n_right / n if n else float("nan"),
        interval=interval,
    )


def _clustered_interval(right: Flags, cluster_of: Integers, confidence: float) -> Interval:
    """Return Wilson's interval of an effective number of answers, as `reliability` says."""
    _, place_of = np.unique(cluster_of, return_inverse=True)
    n, k = int(right.size), int(place_of.max(initial=-1)) + 1
    if k < 2:
        return NO_INTERVAL
    share = float(right.mean())
    deviations = np.bincount(place_of, weights=right - share)
    variance = k / (k - 1) * float((deviations**2).sum()) / n**2
    effective = float(k)
    if 0 < share < 1:
        upper = (1 + confidence) / 2
        plain = share * (1 - share) / variance if variance > 0 else float("inf")
        effective = min(plain * float((ndtri(upper) / stdtrit(k - 1, upper)) ** 2), float(n))
    low, high = wilson_bounds(np.array([share * effective]), np.array([effective]), confidence)
    return Interval(float(low[0]), float(high[0]))
