"""People by experience and by pace: means of whole groups of them, where no smaller one follows from them.

Groups are cut at fixed numbers, never at quantiles: whoever withdraws leaves their own group and moves nobody into
another one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from leaderboard.boards import Estimate
from leaderboard.joint_disclosure import joint_disclosure
from leaderboard.people import Cohort, outwards, people_estimate
from survey.selectors.backgrounds import Background

# Where retention rounds years down it does so to these, so nobody changes their group by it.
YEARS = (("less than 2 years", 2), ("2 to 4 years", 5), ("5 to 9 years", 10), ("10 years or more", None))
SECONDS = (
    ("less than 30 seconds", 30),
    ("30 seconds to a minute", 60),
    ("one to two minutes", 120),
    ("two minutes or longer", None),
)
NOT_SAID = "not said"
NO_TIMES = "no times"
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Band:
    """A group of people by name; None where their mean is not shown: too few, or too few would follow."""

    name: str
    n_people: int | None
    estimate: Estimate | None


@dataclass(frozen=True, slots=True)
class PeopleBands:
    """The groups by experience and by pace."""

    by_years: tuple[Band, ...] = ()
    by_seconds: tuple[Band, ...] = ()

    @property
    def is_shown(self) -> bool:
        """Whether the mean of any group is shown."""
        return any(band.estimate for band in (*self.by_years, *self.by_seconds))


def people_bands(cohort: Cohort, known: Mapping[int, Background], *, minimum: int) -> PeopleBands:
    """Return the mean of people by years of experience, and by the median of their net time on a question.

    Both are cut at fixed numbers. A group needs as many people as a mean does, and so does whatever adding and
    subtracting groups and the mean of everybody leaves; where it does not, groups are left out, the smallest first.
    How many people a group has that is not shown is not told. Longer times and right answers go together for many
    reasons, so neither explains the other.
    """
    people = [known.get(pk, Background(None, None)) for pk in cohort.participant_ids]
    years = [_band_of(YEARS, person.years, NOT_SAID) for person in people]
    seconds = [_band_of(SECONDS, person.seconds, NO_TIMES) for person in people]
    groups = [(years, name) for name in _names(YEARS, NOT_SAID)]
    groups += [(seconds, name) for name in _names(SECONDS, NO_TIMES)]
    membership = np.array([[band == name for band in bands] for bands, name in groups], dtype=np.bool_)
    membership = membership.reshape(len(groups), len(people))
    shown = _shown(membership, minimum=minimum)
    found = [
        _band(name, members, cohort, is_shown=bool(is_shown))
        for (_, name), members, is_shown in zip(groups, membership, shown, strict=True)
    ]
    return PeopleBands(tuple(found[: len(YEARS) + 1]), tuple(found[len(YEARS) + 1 :]))


def _names(cuts: Sequence[tuple[str, Any]], otherwise: str) -> list[str]:
    return [*(name for name, _ in cuts), otherwise]


def _band_of(cuts: Sequence[tuple[str, int | None]], value: float | None, otherwise: str) -> str:
    if value is None:
        return otherwise
    return next(name for name, below in cuts if below is None or value < below)


def _shown(membership: Bools, *, minimum: int) -> Bools:
    """Say of each group whether it is shown beside the mean of everybody. The check of the boards, over people."""
    n_people = membership.shape[1]
    if n_people < minimum:
        return np.zeros(len(membership), dtype=np.bool_)
    found = joint_disclosure(
        totals=np.ones((1, n_people), dtype=np.bool_),
        groups=membership,
        is_kept=np.zeros(len(membership), dtype=np.bool_),
        minimum=minimum,
    )
    return np.asarray(found.shown & (membership.sum(axis=1) >= minimum))


def _band(name: str, members: Bools, cohort: Cohort, *, is_shown: bool) -> Band:
    if not is_shown:
        return Band(name, None, None)
    return Band(name, int(members.sum()), outwards(people_estimate(cohort.codes[members])))
