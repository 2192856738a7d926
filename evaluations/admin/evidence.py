"""What the pages of stored evidence have in common."""

import json
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString


class EvidenceAdmin(admin.ModelAdmin):
    """Rows that are only ever added, by the site itself: looked at here, never edited or deleted."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nothing is entered by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nothing is edited."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nothing is deleted."""
        return False


def as_json_text(value: object) -> SafeString:
    """Return a JSON value on several lines, escaped."""
    return format_html('<pre class="eval-text" tabindex="0">{}</pre>', json.dumps(value, indent=2, ensure_ascii=False))
