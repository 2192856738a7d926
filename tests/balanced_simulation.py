"""Simulated studies in which everybody answers a share of the questions; drawn with the site's own code.

`python -m tests.balanced_simulation` prints how often the intervals hold the known mean: 2,000 runs each.
"""

import sys
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from leaderboard.statistics import Interval, balanced_estimate, people_interval, wilson_interval
from survey.drawing.shares import shares_draw

# Questions by topic of ChemBench-Mini: organic, physical, inorganic, materials, general, analytical, technical,
# toxicity and safety.
TOPIC_SIZES = (46, 33, 32, 32, 26, 24, 23, 20)
TOPIC_OF = np.repeat(np.arange(len(TOPIC_SIZES)), TOPIC_SIZES)
N_QUESTIONS = TOPIC_OF.size
SHARE = 30
# A small study: twelve people, ten of fifty questions each.
SMALL_PEOPLE, SMALL_SHARE = 12, 10
SMALL_TOPIC_OF = np.repeat(np.arange(5), 10)
SEED = 20_240_402

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Topics = npt.NDArray[np.intp]


class Population(NamedTuple):
    """How people differ, on the logit scale: in all topics alike, in each by itself; and how questions differ."""

    ability: float = 1.0
    by_topic: float = 0.5
    difficulty: float = 1.2


class Coverage(NamedTuple):
    """In how many of the runs an interval held the population's mean, and its mean half width."""

    share: float
    half_width: float


def shares(
    *, runs: int, people: int, generator: np.random.Generator, size: int = SHARE, topic_of: Topics = TOPIC_OF
) -> Flags:
    """Return who was given which question when everybody finishes, of shape (runs, people, questions)."""
    counts = np.zeros((runs, topic_of.size), dtype=np.int64)
    given = np.zeros((runs, people, topic_of.size), dtype=np.bool_)
    for person in range(people):
        given[:, person] = next_share(counts, generator, size, topic_of)
        counts += given[:, person]
    return given


def next_share(
    counts: npt.NDArray[np.int64], generator: np.random.Generator, size: int = SHARE, topic_of: Topics = TOPIC_OF
) -> Flags:
    """Return which questions the next person gets, of shape (runs, questions)."""
    everything = np.ones(counts.shape, dtype=np.bool_)
    keys = generator.random(counts.shape)
    return shares_draw(counts=counts, topic_of=topic_of, size=size, keys=keys, available=everything)


def population_mean(population: Population, difficulties: Floats) -> float:
    """Return the mean over the questions of the share of the population that is right, by Gauss-Hermite quadrature."""
    points, weights = np.polynomial.hermite_e.hermegauss(80)
    abilities = points * np.hypot(population.ability, population.by_topic)
    right = expit(abilities[:, np.newaxis] - difficulties)
    return float((weights @ right / weights.sum()).mean())


def answers(
    population: Population,
    difficulties: Floats,
    people: int,
    generator: np.random.Generator,
    topic_of: Topics = TOPIC_OF,
) -> Floats:
    """Return what people drawn from the population would answer to every question: 1 right, 0 wrong."""
    ability = generator.normal(0, population.ability, (people, 1))
    ability = ability + generator.normal(0, population.by_topic, (people, topic_of.max() + 1))[:, topic_of]
    return (generator.random((people, topic_of.size)) < expit(ability - difficulties)).astype(np.float64)


def coverages(
    *,
    runs: int,
    people: int,
    population: Population,
    seed: int = SEED,
    size: int = SHARE,
    topic_of: Topics = TOPIC_OF,
) -> dict[str, Coverage]:
    """Return the coverage of the estimate's interval and of two naive ones, by name."""
    generator = np.random.default_rng(seed)
    difficulties = generator.normal(0, population.difficulty, topic_of.size)
    mean = population_mean(population, difficulties)
    ends: dict[str, list[Interval]] = {}
    for given in shares(runs=runs, people=people, generator=generator, size=size, topic_of=topic_of):
        values = np.where(given, answers(population, difficulties, people, generator, topic_of), np.nan)
        n_right, n = int(np.nansum(values)), int(given.sum())
        ends.setdefault("balanced estimate", []).append(balanced_estimate(values).interval)
        ends.setdefault("mean of people's own shares", []).append(people_interval(np.nanmean(values, axis=1)))
        ends.setdefault("all answers as one sample", []).append(wilson_interval(n_right, n))
    return {name: _coverage(np.array(intervals), mean) for name, intervals in ends.items()}


def _coverage(ends: Floats, mean: float) -> Coverage:
    low, high = ends.T
    return Coverage(float(((low <= mean) & (mean <= high)).mean()), float((high - low).mean() / 2))


def main(runs: int) -> None:
    """Print a table of coverages, the small study last of each kind."""
    for population in (Population(), Population(ability=0.0, by_topic=0.0), Population(ability=2.0, by_topic=0.0)):
        for people in (30, 60, 120):
            write(population, people, coverages(runs=runs, people=people, population=population))
        small = small_coverages(runs=runs, population=population)
        write(population, SMALL_PEOPLE, small)


def small_coverages(*, runs: int, population: Population) -> dict[str, Coverage]:
    """Return the coverages of the small study."""
    return coverages(runs=runs, people=SMALL_PEOPLE, population=population, size=SMALL_SHARE, topic_of=SMALL_TOPIC_OF)


def write(population: Population, people: int, found: dict[str, Coverage]) -> None:
    """Print a line for each interval."""
    for name, coverage in found.items():
        figures = f"{coverage.share:7.2%}  ±{coverage.half_width:.4f}"
        sys.stdout.write(f"{population.ability:3} {population.by_topic:3} {people:4} {name:28} {figures}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
