"""Whether a person's answers look as if nobody had read the questions. Pure; thresholds are in docs/survey.md.

A finding says what was seen in words. It is no verdict: the answers are kept, and a person decides whether they count.
"""

from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

# Straight-lining: with fewer choices than this nothing is said.
LEAST_CHOICES = 10
# At least this share of the choices at one place, and by chance no more often than this in people who choose by what
# an option says: options are shown in an order drawn for each person, so that every place is as likely as the next.
STRAIGHT_SHARE = 0.5
STRAIGHT_CHANCE = 0.001

# Too fast: with fewer timed answers than this nothing is said.
LEAST_TIMED = 10
# Nobody reads and answers a question in less than this.
LEAST_SECONDS = 3.0
FAST_SHARE = 0.25
# About 500 words a minute, twice the usual speed of silent reading (Brysbaert, Journal of Memory and Language 109
# (2019) 104047: 238 words a minute, of about 6 characters with the space).
FASTEST_CHARACTERS_PER_SECOND = 50.0

# Attention checks: more than this many missed, or more than this share.
MOST_MISSED = 1
MOST_MISSED_SHARE = 1 / 3


class Choice(NamedTuple):
    """The place of the chosen option among those shown, from 0, and how many there were."""

    place: int
    n_options: int


class Timed(NamedTuple):
    """How long an answer took, time away taken off, and how many characters of plain text its question has."""

    seconds: float
    n_characters: int


def straight_line(choices: Sequence[Choice]) -> str | None:
    """Return what was seen where somebody chose one and the same place again and again, else None.

    For each place, the chance that choices by content fall on it as often as here is the upper tail of the sum of
    independent draws with probability 1 / (number of options), over the questions that have this place. The smallest
    is multiplied by the number of places looked at (Bonferroni). Questions with one option say nothing.
    """
    choices = [choice for choice in choices if choice.n_options > 1]
    if len(choices) < LEAST_CHOICES:
        return None
    n_places = max(choice.n_options for choice in choices)
    place, count = Counter(choice.place for choice in choices).most_common(1)[0]
    chances = [1 / choice.n_options for choice in choices if choice.n_options > place]
    chance = min(1.0, n_places * upper_tail(chances, count))
    if count < STRAIGHT_SHARE * len(choices) or chance > STRAIGHT_CHANCE:
        return None
    return f"place {place + 1} chosen in {count} of {len(choices)} choices; by chance {_chance_text(chance)}"


def upper_tail(chances: Sequence[float], count: int) -> float:
    """Return the probability of at least `count` successes in independent draws with these chances."""
    # of[k] is the probability of k successes so far; the last entry gathers `count` and more.
    of = [1.0] + [0.0] * count
    for chance in chances:
        gathered = of[count] + of[count - 1] * chance if count else 1.0
        for k in range(count - 1, 0, -1):
            of[k] = of[k] * (1 - chance) + of[k - 1] * chance
        if count:
            of[0] *= 1 - chance
        of[count] = gathered
    return of[count]


def _chance_text(chance: float) -> str:
    return "less than once in a million people" if chance < 1e-6 else f"in {chance:.2g} of people"


def too_fast(answers: Sequence[Timed]) -> str | None:
    """Return what was seen where somebody answered faster than the questions can be read, else None."""
    if len(answers) < LEAST_TIMED:
        return None
    n_fast = sum(answer.seconds < LEAST_SECONDS for answer in answers)
    if n_fast > FAST_SHARE * len(answers):
        return f"{n_fast} of {len(answers)} answers within {LEAST_SECONDS:g} seconds"
    speeds = [answer.n_characters / max(answer.seconds, 0.001) for answer in answers]
    if median(speeds) > FASTEST_CHARACTERS_PER_SECOND:
        return (
            f"half of {len(answers)} answers came faster than {FASTEST_CHARACTERS_PER_SECOND:g} characters of the "
            f"question a second (median {median(speeds):.0f})"
        )
    return None


def attention_missed(n_missed: int, n_checks: int) -> str | None:
    """Return what was seen where too many attention checks were missed, else None."""
    if n_missed > MOST_MISSED or n_missed > MOST_MISSED_SHARE * n_checks:
        return f"{n_missed} of {n_checks} attention checks missed"
    return None
