"""Partial-credit metrics of a choice, kept beside the verdict and never part of it."""

from collections.abc import Set


def choice_metrics(*, chosen: Set[str], wanted: Set[str], n_unknown: int = 0) -> dict[str, float]:
    """Return precision, recall, f1 and hamming of a set of chosen options.

    hamming is (extra + missed) / number of wanted options, as the ChemBench reports define it: 0 is perfect and it
    can exceed 1. `n_unknown` counts chosen letters that stand for no option; they are extra.
    """
    n_right = len(chosen & wanted)
    n_chosen = len(chosen) + n_unknown
    n_missed = len(wanted) - n_right
    return {
        "precision": n_right / n_chosen if n_chosen else 0.0,
        "recall": n_right / len(wanted) if wanted else 0.0,
        "f1": 2 * n_right / (n_chosen + len(wanted)) if n_chosen + len(wanted) else 0.0,
        "hamming": (n_chosen - n_right + n_missed) / len(wanted) if wanted else float(n_chosen),
    }
