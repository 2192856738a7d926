"""Filters of the list of items."""

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from evaluations.models import Item


class ErrorCodeFilter(admin.SimpleListFilter):
    """Items whose last error is of a kind; offers the kinds that occur, within the run that is looked at."""

    title = "error code"
    parameter_name = "error_code"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return the codes that occur."""
        items = Item.objects.exclude(error_code="")
        if run_id := _as_uuid(request.GET.get("run__id__exact", "")):
            items = items.filter(run=run_id)
        codes = items.order_by("error_code").values_list("error_code", flat=True).distinct()
        return [(code, code) for code in codes]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Item]) -> QuerySet[Item]:
        """Return the items of the chosen kind."""
        return queryset.filter(error_code=self.value()) if self.value() else queryset


def _as_uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
