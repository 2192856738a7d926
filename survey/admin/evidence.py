"""Rows that people made, as the admin shows them."""

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

# What lets somebody in as a participant. A filter in the address would let staff work it out letter by letter.
SECRET_FIELDS = frozenset({"link_secret", "consent_page_key"})


class SecretLookupMixin(admin.ModelAdmin):
    """Refuses to narrow a list by what is secret, of the rows themselves or of rows they belong to."""

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        if SECRET_FIELDS.intersection(lookup.split("__")):
            return False
        return super().lookup_allowed(lookup, value, request)


class EvidenceAdmin(SecretLookupMixin):
    """Rows that people made: read here, never made, edited or deleted."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False
