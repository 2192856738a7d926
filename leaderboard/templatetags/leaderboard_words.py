"""How described words are written on pages: what stands between backticks is code."""

import re

from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

register = template.Library()

_CODE = re.compile(r"`([^`]+)`")


@register.filter
def coded(text: str) -> SafeString:
    """Return text, escaped, with what stands between backticks as code."""
    parts = enumerate(_CODE.split(text))
    return format_html_join("", "{}{}{}", (_marked(part, is_code=bool(index % 2)) for index, part in parts))


def _marked(part: str, *, is_code: bool) -> tuple[SafeString, str, SafeString]:
    return (SafeString("<code>"), part, SafeString("</code>")) if is_code else (SafeString(""), part, SafeString(""))


@register.filter
def whole_percent(share: float | None) -> str:
    """Write a share of 1 in whole percent; nothing for no share."""
    return "" if share is None else f"{float(share) * 100:.0f}%"


@register.filter
def points(share: float | None) -> str:
    """Write a difference of shares of 1 in percentage points, with its sign; nothing for none."""
    return "" if share is None else f"{float(share) * 100:+.1f}".replace("-", "\N{MINUS SIGN}")
