"""What a guesser scores who reads no question. Pure; the guesser is defined here."""

from enum import Enum
from typing import NamedTuple

import numpy as np

from leaderboard.statistics.basis import Floats, Integers


class Guess(Enum):
    """How a guesser answers a choice: with one option, or with any set of options that is not empty."""

    ONE_OPTION = "one option"
    ANY_OPTIONS = "any options"


class ChanceLevel(NamedTuple):
    """The share right to be expected of a guesser, and how far (one standard deviation) one guesser may be from it."""

    mean: float
    standard_deviation: float
    n_questions: int


def question_chances(options: Integers, right_options: Integers, guess: Guess = Guess.ONE_OPTION) -> Floats:
    """Return, for each question, how likely a guesser is right: every option right and none else.

    `options` is the number of options shown, 0 for a question without (a number, a molecule, a text), whose chance is
    0; `right_options` is how many of them are right. `ONE_OPTION`, what the random baseline does: one of k options,
    all alike; 1/k where one is right, 0 where several are. `ANY_OPTIONS`: one of the 2^k − 1 sets of options, all
    alike; 1/(2^k − 1), however many are right. Neither gives the credit of an option that is partly right.
    """
    size = np.maximum(options, 1).astype(np.float64)
    has_options = (options > 0) & (right_options > 0)
    if guess is Guess.ANY_OPTIONS:
        chances: Floats = np.where(has_options, 1 / (2.0**size - 1), 0.0)
    else:
        chances = np.where(has_options & (right_options == 1), 1 / size, 0.0)
    return chances


def chance_level(chances: Floats) -> ChanceLevel:
    """Return the chance level of a set from the chances of its questions: x̄ and √(Σ x(1 − x)) / n; NaN without any.

    Guesses are independent: mean and variance of a sum of Bernoulli variables. Source: S. D. Poisson, Recherches sur
    la probabilité des jugements (1837).
    """
    n = int(chances.size)
    if not n:
        return ChanceLevel(float("nan"), float("nan"), 0)
    return ChanceLevel(float(chances.mean()), float(np.sqrt((chances * (1 - chances)).sum())) / n, n)
