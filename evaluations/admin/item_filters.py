"""Filters of the list of items: what occurs, within the run that is looked at."""

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from evaluations.models import Item


class OccurringFilter(admin.SimpleListFilter):
    """Items by the value of a text column; only values that occur are offered, none for the empty one."""

    column: str

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return the values that occur."""
        items = Item.objects.exclude(**{self.column: ""})
        if run_id := run_looked_at(request):
            items = items.filter(run=run_id)
        values = items.order_by(self.column).values_list(self.column, flat=True).distinct()
        return [(value, value) for value in values]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Item]) -> QuerySet[Item]:
        """Return the items with the chosen value."""
        return queryset.filter(**{self.column: self.value()}) if self.value() else queryset


class ErrorCodeFilter(OccurringFilter):
    """Items by the kind of their last error."""

    title = "error code"
    parameter_name = column = "error_code"


class FinishReasonFilter(OccurringFilter):
    """Items by why their reply ended."""

    title = "finish reason"
    parameter_name = column = "finish_reason"


def _as_uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def run_looked_at(request: HttpRequest) -> UUID | None:
    """Return the run to which the list is narrowed, if it is."""
    return _as_uuid(request.GET.get("run__id__exact", ""))
