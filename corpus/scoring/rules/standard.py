"""standard@1: the rule every entrant, person or model, is judged by unless a page says otherwise."""

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal

from corpus.scoring.rules.choice_metrics import choice_metrics
from corpus.scoring.rules.verdicts import FULL_CREDIT, read_verdict
from corpus.scoring.types import Reading, Target, Verdict

DEFINITION = (
    "A choice is right when the set of chosen options equals the set of options with full credit (credit 1); options "
    "are compared by identity, never by letter or position, and there is no partial credit. A number is right when it "
    "differs from the target by at most 1 % of the target's size, |answer - target| <= 0.01 |target|, compared in "
    "decimal so that exactly 1 % is inside; for a target of 0 it may differ by at most 0.01. A question's own "
    "tolerance replaces the 0.01 in both places. Anything not read (unparsed, refused, empty, truncated, gave up, do "
    "not know) earns nothing and stays in the denominator."
)

DEFAULT_TOLERANCE = Decimal("0.01")

# Wide enough that neither subtraction nor multiplication of written numbers is ever rounded or overflows.
EXACT = Context(prec=2000, Emax=MAX_EMAX, Emin=MIN_EMIN)


def judge_choice(*, reading: Reading, target: Target, rule: str) -> Verdict:
    """Judge the chosen options by identity against the options with full credit."""
    wanted = frozenset(option.key for option in target.options if option.credit == FULL_CREDIT)
    chosen = frozenset(reading.option_keys)
    metrics = choice_metrics(chosen=chosen, wanted=wanted)
    is_right = bool(wanted) and chosen == wanted
    return read_verdict(is_right=is_right, rule=rule, reason=_choice_reason(chosen, wanted), metrics=metrics)


def _choice_reason(chosen: frozenset[str], wanted: frozenset[str]) -> str:
    if chosen == wanted:
        return "Chosen exactly the options with full credit."
    return f"{len(chosen - wanted)} chosen without full credit, {len(wanted - chosen)} with full credit missed."


def judge_number(*, reading: Reading, target: Target, rule: str) -> Verdict:
    """Judge a number by its distance from the target, relative to the target's size."""
    if reading.number is None or target.number is None:
        raise ValueError("A number is judged from a number read and a number in the target.")
    tolerance = DEFAULT_TOLERANCE if target.tolerance is None else target.tolerance
    error = abs_difference(reading.number, target.number)
    if target.number.is_zero():
        allowed, limit = tolerance, f"{tolerance} (target 0)"
    else:
        allowed, limit = EXACT.multiply(tolerance, abs(target.number)), f"{tolerance} of the target's size"
    is_right = error <= allowed
    word = "Within" if is_right else "Outside"
    return read_verdict(is_right=is_right, rule=rule, reason=f"{word} {limit}.")


def abs_difference(first: Decimal, second: Decimal) -> Decimal:
    """Return |first - second| without rounding."""
    return EXACT.abs(EXACT.subtract(first, second))
