"""The frame of wide tables."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_block_tag(end_name="endscrolled")
def scrolled(content: SafeString, label: str) -> SafeString:
    """Put a table into a region named `label` that scrolls, also by keys, so that the page never does."""
    return format_html('<div class="table-scroll" role="region" aria-label="{}" tabindex="0">{}</div>', label, content)
