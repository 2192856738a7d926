"""How printed figures are written."""

from django import template

from leaderboard.selectors.published import printed_share

register = template.Library()


@register.filter
def printed(value: str, measure: str) -> str:
    """Write a printed figure in its own digits, an accuracy in percent."""
    return printed_share(value, measure)
