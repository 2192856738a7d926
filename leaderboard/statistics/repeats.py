"""Questions that were each asked several times. Pure; every formula names its source."""

from typing import NamedTuple

import numpy as np

from leaderboard.statistics.basis import CONFIDENCE, Flags, Interval
from leaderboard.statistics.intervals import bootstrap_interval, wilson_interval


class RepeatSpread(NamedTuple):
    """How far single repeats lie apart: their lowest and highest accuracy, and the standard deviation of all."""

    lowest: float
    highest: float
    deviation: float


def repeat_spread(is_right: Flags) -> RepeatSpread | None:
    """Return how the accuracy of single repeats spreads; None for fewer than two.

    `is_right` has the shape (repeats, questions). Of the accuracies of the repeats, each over the same questions: the
    lowest, the highest, and s = √(Σ (a − mean)² / (R − 1)) for R repeats. It says what asking the same questions again
    changes, and nothing of other questions; that is the interval's.
    """
    repeats, n = is_right.shape
    if repeats < 2 or n == 0:
        return None
    accuracies = is_right.mean(axis=1)
    return RepeatSpread(float(accuracies.min()), float(accuracies.max()), float(np.std(accuracies, ddof=1)))


def repeated_interval(is_right: Flags, confidence: float = CONFIDENCE) -> Interval:
    """Return the interval of a mean over questions of the mean over repeats.

    `is_right` has the shape (repeats, questions). A question with its repeats is one thing that was observed: whole
    questions are drawn with replacement 2,000 times from a fixed seed, and the middle 95 % of the means are kept
    (percentile bootstrap of clusters: A. C. Davison and D. V. Hinkley, Bootstrap Methods and their Application, 1997,
    sections 3.8 and 5.3). Where every question is right in every repeat, or none in any, no draw differs from
    another; then it is the Wilson interval of as many questions asked once.
    """
    means = is_right.mean(axis=0)
    if is_right.size and (is_right.all() or not is_right.any()):
        return wilson_interval(int(means.sum()), means.size, confidence)
    return bootstrap_interval(means, confidence)
