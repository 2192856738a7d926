"""Questions that were each asked several times. Pure; every formula names its source."""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from leaderboard.statistics.basis import (
    BOOTSTRAP_DRAWS,
    BOOTSTRAP_SEED,
    CONFIDENCE,
    NO_INTERVAL,
    Flags,
    Integers,
    Interval,
)
from leaderboard.statistics.intervals import clusters_drawn, wilson_interval

# Intervals that were worked out, by what they are of: of a board of hundreds, one system changes at a time.
_known: dict[tuple[bytes, int, float], Interval] = {}
_MOST_KNOWN = 20_000
_AT_ONCE = 128


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
    return repeated_intervals([is_right], confidence)[0]


def repeated_intervals(rights: Sequence[Flags], confidence: float = CONFIDENCE) -> list[Interval]:
    """Return the `repeated_interval` of each; of many on the same questions much sooner than one by one.

    Right answers are counted, not averaged, so that a sum over questions is exact, whoever else is worked out with it.
    """
    keys = [(_digest(is_right), is_right.shape[0], confidence) for is_right in rights]
    missing = {key: is_right for key, is_right in zip(keys, rights, strict=True) if key not in _known}
    found = {key: _known[key] for key in keys if key in _known}
    of_size: dict[int, list[tuple[bytes, int, float]]] = {}
    for key, is_right in missing.items():
        n = is_right.shape[1]
        if is_right.size and (is_right.all() or not is_right.any()):
            found[key] = wilson_interval(n if is_right.any() else 0, n, confidence)
        elif n < 2 or not is_right.size:
            found[key] = NO_INTERVAL
        else:
            of_size.setdefault(n, []).append(key)
    for n, of_one_size in of_size.items():
        for first in range(0, len(of_one_size), _AT_ONCE):
            part = of_one_size[first : first + _AT_ONCE]
            counts = np.array([missing[key].sum(axis=0) for key in part], dtype=np.int64)
            found |= zip(part, _drawn(counts, [key[1] * n for key in part], confidence), strict=True)
    if len(_known) + len(missing) > _MOST_KNOWN:
        _known.clear()
    _known.update(found)
    return [found[key] for key in keys]


def _digest(is_right: Flags) -> bytes:
    return hashlib.sha256(repr(is_right.shape).encode() + np.packbits(is_right).tobytes()).digest()


def _drawn(counts: Integers, sizes: Sequence[int], confidence: float) -> list[Interval]:
    """Return the intervals of counts of right answers, of shape (entrants, questions), each out of `sizes` answers."""
    weights = clusters_drawn(counts.shape[1], BOOTSTRAP_DRAWS, BOOTSTRAP_SEED).astype(np.float64)
    means = (counts.astype(np.float64) @ weights.T) / np.array(sizes, dtype=np.float64)[:, np.newaxis]
    bounds = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2], axis=1)
    return [Interval(float(low), float(high)) for low, high in bounds.T]
