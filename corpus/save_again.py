"""What admin pages have in common that two editors, or two presses of one button, may save at the same moment."""

from typing import Any

from django.contrib import admin
from django.db import IntegrityError
from django.http import HttpRequest


class SaveAgainMixin(admin.ModelAdmin):
    """Checks a form once more where another request saved the same name, version or place after it was checked.

    All that was written is undone by then; the second check sees the other's row, and says so beside the field.
    """

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().changeform_view(request, *args, **kwargs)
        except IntegrityError:
            return super().changeform_view(request, *args, **kwargs)
