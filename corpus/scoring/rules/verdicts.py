"""Verdicts that several rules share."""

from collections.abc import Mapping
from decimal import Decimal

from corpus.scoring.types import Outcome, Reading, Verdict

NO_CREDIT = Decimal(0)
FULL_CREDIT = Decimal(1)

_UNREAD_REASONS = {
    Outcome.UNPARSED: "No answer could be read.",
    Outcome.REFUSED: "The reply refuses to answer.",
    Outcome.EMPTY: "The reply is empty.",
    Outcome.TRUNCATED: "The reply was cut off before its answer.",
    Outcome.GAVE_UP: "The agent stopped without an answer.",
    Outcome.DO_NOT_KNOW: "The answer says that it is not known.",
}


def unread_verdict(*, reading: Reading, rule: str) -> Verdict:
    """Return the verdict of a reading that holds no answer: the outcome named like its status, no credit."""
    outcome = Outcome(reading.status.value)
    return Verdict(outcome, NO_CREDIT, rule, reading.reason or _UNREAD_REASONS[outcome])


def read_verdict(*, is_right: bool, rule: str, reason: str, metrics: Mapping[str, float] | None = None) -> Verdict:
    """Return `right` with full credit or `wrong` with none."""
    outcome, credit = (Outcome.RIGHT, FULL_CREDIT) if is_right else (Outcome.WRONG, NO_CREDIT)
    return Verdict(outcome, credit, rule, reason, metrics or {})
