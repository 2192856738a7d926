"""What every statistic is told in: arrays, intervals, and the choices they share."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

CONFIDENCE = 0.95
BOOTSTRAP_DRAWS = 2000
BOOTSTRAP_SEED = 20_240_401

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Interval(NamedTuple):
    """The ends of an interval as fractions of 1; NaN where none can be given."""

    low: float
    high: float


NO_INTERVAL = Interval(float("nan"), float("nan"))
