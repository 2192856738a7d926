"""Estimates and their intervals. Pure and vectorised; every formula names its source."""

from leaderboard.statistics.balanced import SetEstimate, balanced_estimate
from leaderboard.statistics.basis import (
    BOOTSTRAP_DRAWS,
    BOOTSTRAP_SEED,
    CONFIDENCE,
    NO_INTERVAL,
    Flags,
    Floats,
    Integers,
    Interval,
)
from leaderboard.statistics.intervals import bootstrap_interval, people_interval, wilson_interval

__all__ = [
    "BOOTSTRAP_DRAWS",
    "BOOTSTRAP_SEED",
    "CONFIDENCE",
    "NO_INTERVAL",
    "Flags",
    "Floats",
    "Integers",
    "Interval",
    "SetEstimate",
    "balanced_estimate",
    "bootstrap_interval",
    "people_interval",
    "wilson_interval",
]
