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
