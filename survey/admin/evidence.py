"""Rows that people made, as the admin shows them."""

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest


class EvidenceAdmin(admin.ModelAdmin):
    """Rows that people made: read here, never made, edited or deleted."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False
