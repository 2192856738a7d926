"""How numbers are written on the board pages."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django import template

from leaderboard.standing import letter_text

register = template.Library()


@register.filter
def percent(share: Fraction | float | None) -> str:
    """Write a share of 1 as a percentage with one decimal; nothing for no share."""
    return "" if share is None else f"{float(share) * 100:.1f}%"


@register.filter
def hundredths(share: Fraction | float | None) -> str:
    """Write a share of 1 in percent with one decimal, without the sign, for tables whose caption says so."""
    return percent(share).removesuffix("%")


@register.filter
def position(share: Fraction | float | None) -> str:
    """Write a share of 1 as a coordinate of a drawing that spans 0 to 100 %."""
    return "0%" if share is None else f"{float(share) * 100:.2f}%"


@register.filter
def thousands(count: int | None) -> str:
    """Write a count with thin groups of three digits, as in 2,788."""
    return "" if count is None else f"{count:,}"


@register.filter
def entry(mapping: Mapping[str, object], key: str) -> object:
    """Return the entry of a mapping, None where there is none."""
    return mapping.get(key)


@register.filter
def words(name: str) -> str:
    """Write a stable word such as `do_not_know` as words."""
    return name.replace("_", " ")


@register.filter
def plural(kind: str) -> str:
    """Name several entrants of a kind."""
    return {"agent": "agents", "baseline": "baselines", "human": "human experts", "model": "models"}.get(kind, kind)


@register.filter
def points(difference: float | None) -> str:
    """Write a difference of two shares of 1 in percentage points with its sign and one decimal."""
    if difference is None:
        return ""
    rounded = round(difference * 100, 1)
    return f"{rounded:+.1f}".replace("-", "−") if rounded else "0.0"


@register.filter
def signed(value: float | None, decimals: int = 2) -> str:
    """Write a number with its sign and so many decimals; nothing for none."""
    if value is None:
        return ""
    rounded = round(value, decimals) or 0.0
    return f"{rounded:+.{decimals}f}".replace("-", "−") if rounded else f"{rounded:.{decimals}f}"


@register.filter
def correlation(value: float) -> str:
    """Write a correlation with two decimals, a dash where it is not defined, as where all are alike."""
    return "–" if value != value else signed(value).removeprefix("+")


@register.filter
def share(part: float) -> str:
    """Write a share of 1 in whole percent."""
    return f"{part * 100:.0f}%"


@register.filter
def p_value(p: float | None) -> str:
    """Write a p-value with three decimals; below a thousandth only that it is."""
    if p is None:
        return ""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


@register.filter
def around(difference: float, reach: float) -> str:
    """Write a difference as a coordinate of a drawing from -reach to reach, zero in the middle."""
    return f"{min(max(50 + 50 * difference / reach, 0), 100):.2f}%"


@register.filter
def letters(of_groups: Sequence[str]) -> str:
    """Write the letters of groups shortly, letters in a row as a range: `a, c–g`."""
    return letter_text(of_groups)


@register.filter
def breakable(name: str) -> str:
    """Let a narrow column break a name after a slash."""
    return name.replace("/", "/\u200b")


@register.filter
def paired(first: Sequence[Any], second: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Return two sequences of the same length side by side."""
    return list(zip(first, second, strict=True))


@register.filter
def figures(value: float | None) -> str:
    """Write a value as it was rounded, without an exponent, in groups of three digits; nothing for none."""
    return "" if value is None else f"{Decimal(repr(value)).normalize():,f}"


@register.filter
def large(count: int | None) -> str:
    """Write a large count in words, to three figures: `8.03 billion`; nothing for none."""
    if count is None:
        return ""
    units = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"))
    # What would be rounded up to the next unit is written in it.
    size, unit = next(((size, unit) for size, unit in units if count >= size * 0.9995), (1, ""))
    if not unit:
        return f"{count:,}"
    return f"{float(f'{count / size:.3g}'):,g} {unit}"
