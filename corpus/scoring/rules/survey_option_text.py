"""survey-option-text@1: the imported human survey with its choices by text and its numbers as reported."""

from corpus.scoring.rules import as_published, standard
from corpus.scoring.survey_reports import KEPT_AS_REPORTED
from corpus.scoring.types import Reading, Target, Verdict

DEFINITION = (
    "For answers imported from the published human survey. A choice is right when the options the person ticked, "
    "taken by their text as the survey showed it, are exactly the options with credit 1; the letters of the published "
    "reports are not used, because they belong to another order of the options. A number is judged as the reports "
    "judged it, from the number they stored: |answer - target| < 0.01 * target, strictly, with the target's sign and "
    "in floating point. A choice whose question the survey worded otherwise than the bank is kept as reported too, "
    "from the letters of its report. It differs from as-published only in choices, and from standard only in numbers "
    "and in choices kept as reported."
)


def judge_choice(*, reading: Reading, target: Target, rule: str) -> Verdict:
    """Compare the ticked options with those of credit 1, by identity; letters kept as reported as the reports did."""
    if KEPT_AS_REPORTED in reading.notes:
        return as_published.judge_choice(reading=reading, target=target, rule=rule)
    return standard.judge_choice(reading=reading, target=target, rule=rule)


def judge_number(*, reading: Reading, target: Target, rule: str) -> Verdict:
    """Compare as the published reports do."""
    return as_published.judge_number(reading=reading, target=target, rule=rule)
