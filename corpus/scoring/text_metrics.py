"""How near a text comes to the text of the key: kept beside a verdict and never part of it.

METEOR of one hypothesis and one reference (S. Banerjee and A. Lavie, ACL workshop on evaluation measures, 2005, 65-72),
as nltk computes it: of m words matched one to one, precision P = m / words of the hypothesis, recall R = m / words of
the reference, F = 10 P R / (R + 9 P), and the score is F (1 - 0.5 (runs / m)^3), where runs counts the stretches of
matched words that stand side by side in both. nltk matches from the end and does not look for the fewest runs, as the
paper does: a word that stands twice can cost a little. Published values mostly come from nltk.
"""

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module

METEOR = "meteor_exact_stem"
MAX_LENGTH = 20_000

_FULL_STOP = re.compile(r"\.(?=\s)")


class _NoSynonyms:
    """Stands in for WordNet, which would be looked for on this machine and asked of the network."""

    def synsets(self, word: str) -> list[object]:
        return []


def text_metrics(*, hypothesis: str, reference: str) -> dict[str, float | None]:
    """Return the metrics of a text by name, 0 to 1; None stands for a metric that is not available here.

    `meteor_exact_stem` matches words that are equal, or have the same Porter stem, without regard to case. It knows no
    synonyms, as the full METEOR does, so that it needs no data, and its name says so. It is not available where nltk
    is not installed, and for a text of more than `MAX_LENGTH` characters. Never uses the network.
    """
    return {METEOR: meteor_exact_stem(hypothesis=hypothesis, reference=reference)}


def meteor_exact_stem(*, hypothesis: str, reference: str) -> float | None:
    """Return METEOR by exact and stem matches of two plain strings, 0 to 1, or None where it is not available.

    A text of n words scores 1 - 0.5 / n^3 against itself; one without words scores 0.
    """
    score = _scorer()
    if score is None or max(len(hypothesis), len(reference)) > MAX_LENGTH:
        return None
    return score(hypothesis, reference)


@cache
def _scorer() -> Callable[[str, str], float] | None:
    """Load nltk, which takes a second or two, for the first text that needs it; None where it is not installed."""
    try:
        meteor = import_module("nltk.translate.meteor_score")
        tokenizer = import_module("nltk.tokenize").NLTKWordTokenizer()
    except ImportError:
        return None

    def score(hypothesis: str, reference: str) -> float:
        words, wanted = (tokenizer.tokenize(_FULL_STOP.sub(" .", text)) for text in (hypothesis, reference))
        return float(meteor.single_meteor_score(wanted, words, wordnet=_NoSynonyms()))

    return score
