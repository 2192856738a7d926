"""as-published@1: the verdicts printed with the public ChemBench reports, faults included."""

from corpus.scoring.published import UNKNOWN_LETTER
from corpus.scoring.rules.choice_metrics import choice_metrics
from corpus.scoring.rules.verdicts import FULL_CREDIT, read_verdict
from corpus.scoring.types import Reading, Target, Verdict

DEFINITION = (
    "Reproduces the verdicts of the published ChemBench reports from their stored parse, prompt and target alone, for "
    "imported results only. A choice is right when the options behind the stored letters, as lettered in the prompt "
    "that was sent, equal the options with credit 1; repeats are ignored and a letter outside the options makes it "
    "wrong. A number is right when |answer - target| < 0.01 * target, strictly and with the target's sign, computed in "
    "floating point: exactly 1 % off is wrong, and a target of zero or below can never be answered rightly. An answer "
    "without a stored parse is unparsed."
)

RELATIVE_TOLERANCE = 0.01


def judge_choice(*, reading: Reading, target: Target, rule: str) -> Verdict:
    """Compare the options behind the stored letters with those of credit 1."""
    wanted = frozenset(option.key for option in target.options if option.credit == FULL_CREDIT)
    chosen = frozenset(reading.option_keys)
    has_unknown = UNKNOWN_LETTER in reading.notes
    is_right = chosen == wanted and not has_unknown
    metrics = choice_metrics(chosen=chosen, wanted=wanted, n_unknown=int(has_unknown))
    reason = "The stored letters stand for the right options." if is_right else "The stored letters stand for others."
    return read_verdict(is_right=is_right, rule=rule, reason=reason, metrics=metrics)


def judge_number(*, reading: Reading, target: Target, rule: str) -> Verdict:
    """Compare strictly, signed and in floating point, as the published analysis does."""
    if reading.number is None or target.number is None:
        raise ValueError("A number is judged from a number read and a number in the target.")
    error = abs(float(reading.number) - float(target.number))
    allowed = float(target.number) * RELATIVE_TOLERANCE
    is_right = error < allowed
    sign = "below" if is_right else "not below"
    return read_verdict(is_right=is_right, rule=rule, reason=f"The error {error:g} is {sign} {allowed:g}.")
