"""How the staff pages of a study write figures."""

import math
from collections.abc import Sequence

from django import template

from survey.keys_in_doubt import signed

register = template.Library()

MINUTE, HOUR = 60, 3600
NOTHING = "\N{EN DASH}"


@register.filter
def duration(seconds: float | None) -> str:
    """Write a time in the two units that matter, such as `45 s`, `2 min 5 s`, `6 h 10 min`; a dash for none."""
    if seconds is None:
        return NOTHING
    whole = round(seconds)
    if whole < MINUTE:
        return f"{whole} s"
    if whole < HOUR:
        minutes, rest = divmod(whole, MINUTE)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(round(whole / MINUTE), MINUTE)
    return f"{hours:,} h {minutes} min" if minutes else f"{hours:,} h"


@register.filter
def count(number: int) -> str:
    """Write a count with groups of three digits, as in 2,359."""
    return f"{number:,}"


@register.filter
def percent(share: float | None) -> str:
    """Write a share of 1 in whole percent; a dash for none, and `<1%` for what is little but not nothing."""
    if share is None or math.isnan(share):
        return NOTHING
    return "<1%" if 0 < share < 0.005 else f"{share:.0%}"


@register.filter
def two_decimals(value: float | None) -> str:
    """Write a correlation or an alpha; a dash where it is not defined."""
    return NOTHING if value is None or math.isnan(value) else signed(value)


@register.filter
def bar(share: float | None) -> str:
    """Write a share of 1 as the length of a bar."""
    return "0%" if share is None else f"{min(max(share, 0), 1):.1%}"


@register.filter
def step_area(counts: Sequence[int]) -> str:
    """Return the path of an area with a step for each count; one unit wide each, 100 high for the greatest."""
    top = max(counts, default=0) or 1
    heights = [100 - 100 * count / top for count in counts]
    return " ".join(["M0 100", *(f"V{height:.1f}h1" for height in heights), "V100Z"])
