"""chempro-exact@1 and chempro-tolerance@1: the two ways ChemPro compares numbers."""

from decimal import Decimal

from corpus.scoring.rules import standard
from corpus.scoring.rules.standard import EXACT, abs_difference
from corpus.scoring.rules.verdicts import read_verdict
from corpus.scoring.types import Reading, Target, Verdict

EXACT_DEFINITION = (
    "The stricter of ChemPro's two comparisons. A choice is right when the set of chosen options equals the set of "
    "options with credit 1. A number is right only when it equals the target in value, compared in decimal: 2.50 "
    "equals 2.5, and 2.49 is wrong. A question's own tolerance is not used. Anything not read earns nothing and stays "
    "in the denominator."
)
TOLERANCE_DEFINITION = (
    "The wider of ChemPro's two comparisons. A choice is right when the set of chosen options equals the set of "
    "options with credit 1. A number is right when it differs from the target by at most a tenth of their mean size, "
    "|answer - target| <= 0.1 (|target| + |answer|) / 2, boundary included and compared in decimal. The comparison is "
    "symmetric: answer and target may change places. A target of 0 is met by 0 alone, and a question's own "
    "tolerance is not used. Anything not read earns nothing and stays in the denominator."
)

THETA = Decimal("0.1")


def judge_choice(*, reading: Reading, target: Target, rule: str) -> Verdict:
    """Compare the chosen options with those of credit 1, by identity."""
    return standard.judge_choice(reading=reading, target=target, rule=rule)


def judge_exact_number(*, reading: Reading, target: Target, rule: str) -> Verdict:
    """Judge a number by equality of value."""
    answer, wanted = _numbers(reading, target)
    is_right = answer == wanted
    reason = "Equals the target." if is_right else "Does not equal the target."
    return read_verdict(is_right=is_right, rule=rule, reason=reason)


def judge_tolerant_number(*, reading: Reading, target: Target, rule: str) -> Verdict:
    """Judge a number by its distance from the target, relative to their mean size."""
    answer, wanted = _numbers(reading, target)
    sizes = EXACT.add(abs(wanted), abs(answer))
    is_right = EXACT.multiply(2, abs_difference(answer, wanted)) <= EXACT.multiply(THETA, sizes)
    word = "Within" if is_right else "Outside"
    return read_verdict(is_right=is_right, rule=rule, reason=f"{word} {THETA} of the mean size of answer and target.")


def _numbers(reading: Reading, target: Target) -> tuple[Decimal, Decimal]:
    if reading.number is None or target.number is None:
        raise ValueError("A number is judged from a number read and a number in the target.")
    return reading.number, target.number
