"""Simulated boards with known truth, for what is promised of the statistics.

`python -m tests.statistics_simulation` prints every figure of docs/statistics.md: 2,000 runs each.
"""

import sys
from typing import NamedTuple

import numpy as np
from scipy.special import expit
from scipy.stats import binom

from leaderboard.statistics import (
    Floats,
    Integers,
    clustered_mean,
    fit_item_response,
    holm_table,
    macro_average,
    mcnemar_table,
    rank_intervals,
    told_apart,
    wilson_bounds,
)

SEED = 20_240_403
COVERAGE_SIZES = (20, 46, 100, 236, 1000, 2788)
COVERAGE_SHARES = np.arange(1, 100) / 100
N_QUESTIONS = 236


class Recovery(NamedTuple):
    """Correlation with true abilities; root mean square errors of the share right on all questions; its coverage."""

    correlation: float
    model_error: float
    raw_error: float
    within_interval: float


def wilson_coverage() -> Floats:
    """Return the exact coverage of the Wilson interval, of shape (sizes, shares)."""
    return np.array([[_exact_coverage(n, share) for share in COVERAGE_SHARES] for n in COVERAGE_SIZES])


def _exact_coverage(n: int, share: float) -> float:
    counts = np.arange(n + 1)
    low, high = wilson_bounds(counts.astype(float), np.full(n + 1, float(n)))
    return float(binom.pmf(counts, n, share)[(low <= share) & (share <= high)].sum())


def family_wise_error(*, runs: int, entrants: int, spread: float, seed: int = SEED) -> float:
    """Return how often McNemar and Holm tell any two apart where all are alike; `spread` is of questions, in logits."""
    generator = np.random.default_rng(seed)
    chances = expit(generator.normal(0, spread, (runs, 1, N_QUESTIONS)))
    boards = (generator.random((runs, entrants, N_QUESTIONS)) < chances).astype(float)
    return float(np.mean([told_apart(holm_table(mcnemar_table(board))).any() for board in boards]))


def rank_coverage(
    *, runs: int, abilities: Floats, draws: int, n_questions: int = N_QUESTIONS, seed: int = SEED
) -> Floats:
    """Return how often the interval holds each entrant's true rank, from best to worst; then its mean width.

    Questions are new in each run: the true rank is the one on infinitely many. Of shape (2, entrants).
    """
    generator = np.random.default_rng(seed)
    true_ranks: Integers = np.argsort(np.argsort(-abilities)) + 1
    held, widths = np.zeros(abilities.size), np.zeros(abilities.size)
    for run in range(runs):
        chances = expit(abilities[:, np.newaxis] - generator.normal(0, 1.2, n_questions))
        right = (generator.random(chances.shape) < chances).astype(float)
        low, high = rank_intervals(right, draws=draws, seed=seed + run).T
        held += (low <= true_ranks) & (true_ranks <= high)
        widths += high - low + 1
    return np.array([held, widths])[:, np.argsort(true_ranks)] / runs


def clustered_coverage(*, runs: int, clusters: int, seed: int = SEED) -> tuple[float, float]:
    """Return how often the clustered interval, and the plain one, hold the mean where sources differ."""
    generator = np.random.default_rng(seed)
    sizes = np.resize([2, 4, 8, 16], clusters)
    cluster_of = np.repeat(np.arange(clusters), sizes)
    points, weights = np.polynomial.hermite_e.hermegauss(60)
    truth = float(weights @ expit(points)) / float(weights.sum())
    held = np.zeros(2)
    for _ in range(runs):
        values = (generator.random(cluster_of.size) < expit(generator.normal(size=clusters))[cluster_of]).astype(float)
        found = clustered_mean(values, cluster_of)
        plain = abs(found.mean - truth) <= 1.96 * found.plain_standard_error
        held += (found.interval.low <= truth <= found.interval.high, plain)
    return float(held[0] / runs), float(held[1] / runs)


def macro_coverage(*, runs: int, seed: int = SEED) -> float:
    """Return how often the interval of the macro average holds it: nine topics of 3 to 83 questions."""
    generator = np.random.default_rng(seed)
    sizes = np.array([3, 6, 10, 20, 23, 26, 32, 46, 83])
    shares = np.linspace(0.98, 0.3, sizes.size)
    topic_of = np.repeat(np.arange(sizes.size), sizes)
    held = 0
    for _ in range(runs):
        low, high = macro_average((generator.random(topic_of.size) < shares[topic_of]).astype(float), topic_of).interval
        held += low <= shares.mean() <= high
    return held / runs


def item_response_recovery(
    *, entrants: int, questions: int, answers: int, complete: int = 0, seed: int = SEED
) -> Recovery:
    """Fit answers drawn from the model; figures are of the entrants asked a part.

    `complete` entrants answer everything, the others `answers` questions each, every question equally often.
    """
    generator = np.random.default_rng(seed)
    ability = generator.normal(size=entrants)
    slope, difficulty = np.exp(generator.normal(0, 0.3, questions)), generator.normal(0, 1.2, questions)
    chances = expit(slope * (ability[:, np.newaxis] - difficulty))
    values = (generator.random(chances.shape) < chances).astype(float)
    part = slice(complete, None)
    values[part][~_balanced(entrants - complete, questions, answers, generator)] = np.nan
    model, truth = fit_item_response(values), chances[part].mean(axis=1)
    missed = model.expected_score[part] - truth
    return Recovery(
        correlation=float(np.corrcoef(model.ability[part], ability[part])[0, 1]),
        model_error=float(np.sqrt(np.mean(missed**2))),
        raw_error=float(np.sqrt(np.mean((np.nanmean(values[part], axis=1) - truth) ** 2))),
        within_interval=float(np.mean(np.abs(missed) <= 1.96 * model.expected_score_error[part])),
    )


def _balanced(entrants: int, questions: int, answers: int, generator: np.random.Generator) -> Floats:
    counts, asked = np.zeros(questions), np.zeros((entrants, questions), dtype=bool)
    for person in range(entrants):
        chosen = np.lexsort((generator.random(questions), counts))[:answers]
        asked[person, chosen] = True
        counts[chosen] += 1
    return asked


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main(runs: int) -> None:
    """Print every figure."""
    coverage = wilson_coverage()
    size, share = np.unravel_index(coverage.argmin(), coverage.shape)
    worst = f"{coverage.min():.4f} (n = {COVERAGE_SIZES[size]}, p = {COVERAGE_SHARES[share]})"
    _say(f"Wilson: mean {coverage.mean():.4f}, minimum {worst}")
    for entrants, spread in ((5, 0.0), (10, 0.0), (10, 1.2), (20, 1.2)):
        error = family_wise_error(runs=runs, entrants=entrants, spread=spread)
        _say(f"Holm: {entrants} entrants, spread {spread}: family-wise error {error:.4f}")
    for name, abilities, size in (
        ("near", np.linspace(0.05, -0.05, 6), N_QUESTIONS),
        ("mixed", np.array([1.0, 0.9, 0.5, 0.45, 0.4, 0.0, -0.3, -0.35, -1.0, -2.0]), N_QUESTIONS),
        ("mixed", np.array([1.0, 0.9, 0.5, 0.45, 0.4, 0.0, -0.3, -0.35, -1.0, -2.0]), 40),
        ("far", np.linspace(2.0, -2.0, 8), N_QUESTIONS),
    ):
        held, widths = rank_coverage(runs=runs, abilities=abilities, draws=500, n_questions=size)
        _say(f"Ranks, {name}, {size}: least {held.min():.4f}, mean {held.mean():.4f}, width {widths.mean():.2f}")
    for clusters in (12, 40):
        _say(f"Clusters, {clusters}: clustered and plain {clustered_coverage(runs=runs, clusters=clusters)}")
    _say(f"Macro average: {macro_coverage(runs=runs):.4f}")
    for entrants, answers, complete in ((100, 500, 0), (60, 30, 0), (60, 60, 0), (120, 30, 0), (90, 30, 30)):
        questions = max(N_QUESTIONS, answers)
        found = [
            item_response_recovery(
                entrants=entrants, questions=questions, answers=answers, complete=complete, seed=SEED + run
            )
            for run in range(max(runs // 100, 1))
        ]
        _say(
            f"Item response, {entrants} x {questions}, {complete} all, others {answers}:"
            f" {np.mean(found, axis=0).round(4)}"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
