"""Means of questions that are not alike: from few sources, or of topics. Pure; every formula names its source."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from leaderboard.statistics.basis import CONFIDENCE, NO_INTERVAL, Floats, Integers, Interval
from leaderboard.statistics.intervals import wilson_bounds


class ClusteredMean(NamedTuple):
    """A mean, its cluster-robust standard error (NaN for one cluster), and the one that takes questions for alike."""

    mean: float
    standard_error: float
    plain_standard_error: float
    interval: Interval
    n_questions: int
    n_clusters: int


class MacroAverage(NamedTuple):
    """The mean of topics' means, each topic counting the same; `smallest`: questions of the smallest topic."""

    mean: float
    interval: Interval
    n_topics: int
    smallest: int


def clustered_mean(values: Floats, cluster_of: npt.ArrayLike, confidence: float = CONFIDENCE) -> ClusteredMean:
    """Return a mean over questions whose errors go together within a cluster (a question's source), with interval.

    `values` holds a value per question, `cluster_of` the cluster of each. With G clusters and n questions s² =
    G/(G − 1) · n⁻² · Σ_clusters (Σ_i (x_i − x̄))², and the interval is x̄ ± t(G − 1) · s, cut to 0 and 1. Too narrow
    where there are few clusters of very unequal size. Source: K.-Y. Liang and S. L. Zeger, Biometrika 73 (1986) 13-22;
    the factor and t: A. C. Cameron and D. L. Miller, Journal of Human Resources 50 (2015) 317-372, sections II and VI.
    """
    n = int(values.size)
    if n == 0:
        return ClusteredMean(float("nan"), float("nan"), float("nan"), NO_INTERVAL, 0, 0)
    _, places = np.unique(np.asarray(cluster_of), return_inverse=True)
    mean = float(values.mean())
    sums = np.bincount(places, weights=values - mean)
    clusters = int(sums.size)
    plain = float(np.std(values, ddof=1) / np.sqrt(n)) if n > 1 else float("nan")
    if clusters < 2:
        return ClusteredMean(mean, float("nan"), plain, NO_INTERVAL, n, clusters)
    error = float(np.sqrt(clusters / (clusters - 1) * (sums**2).sum())) / n
    half = float(stdtrit(clusters - 1, (1 + confidence) / 2)) * error
    return ClusteredMean(mean, error, plain, Interval(max(0.0, mean - half), min(1.0, mean + half)), n, clusters)


def macro_average(
    question_means: Floats, topic_of: Integers, repeats: int = 1, confidence: float = CONFIDENCE
) -> MacroAverage:
    """Return the mean over topics of the mean over a topic's questions, and its interval; topics are not a sample.

    With p_t the mean of topic t, l_t and u_t its Wilson limits and T topics, the interval is p̄ − √(Σ (p_t − l_t)²) / T
    to p̄ + √(Σ (u_t − p_t)²) / T, which has a width also where all of a topic is right. Source: G. Y. Zou, W. Huang and
    X. Zhang, Computational Statistics & Data Analysis 53 (2009) 1080-1085. For questions asked several times the Wilson
    limits are those of n · p(1 − p) / v questions, v the variance between question means, at most n · repeats.
    Source: E. L. Korn and B. I. Graubard, Survey Methodology 24 (1998) 193-201.
    """
    _, places, counts = np.unique(topic_of, return_inverse=True, return_counts=True)
    if not counts.size:
        return MacroAverage(float("nan"), NO_INTERVAL, 0, 0)
    means = np.bincount(places, weights=question_means) / counts
    variances = np.bincount(places, weights=(question_means - means[places]) ** 2) / counts
    largest = means * (1 - means)
    sizes = np.divide(counts * largest, variances, out=counts * float(repeats), where=variances > 1e-12)
    sizes = np.clip(sizes, counts, counts * repeats)
    low, high = wilson_bounds(means * sizes, sizes, confidence)
    mean = float(means.mean())
    below = float(np.sqrt(((means - low) ** 2).sum())) / counts.size
    above = float(np.sqrt(((high - means) ** 2).sum())) / counts.size
    return MacroAverage(mean, Interval(mean - below, mean + above), int(counts.size), int(counts.min()))
