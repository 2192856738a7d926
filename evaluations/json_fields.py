"""A form's field for JSON that every database keeps."""

import math
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.fields import InvalidJSONInput

from evaluations.storable_text import storable

DEEPEST = 50


class StorableJSONField(forms.JSONField):
    """JSON as the standard has it: no NaN, no infinity, no character or depth that a database refuses."""

    def to_python(self, value: Any) -> Any:
        """Return the value; refuse with what to change."""
        try:
            found = super().to_python(value)
        except (ValueError, RecursionError):
            raise ValidationError("A number of this JSON is too long, or it nests too deeply.") from None
        problem = json_problem(found)
        if problem:
            raise ValidationError(problem)
        return found

    def bound_data(self, data: Any, initial: Any) -> Any:
        """Return what the form shows again: what was refused is shown as it was entered."""
        if data is None or self.disabled:
            return super().bound_data(data, initial)
        try:
            self.to_python(data)
        except ValidationError:
            return InvalidJSONInput(data)
        return super().bound_data(data, initial)


def json_problem(value: Any) -> str:
    """Return what a database would refuse of a JSON value, as a sentence that says what to change; "" for nothing."""
    waiting = [(value, 0)]
    while waiting:
        found, depth = waiting.pop()
        if depth > DEEPEST:
            return f"This JSON nests more than {DEEPEST} levels deep; make it flatter."
        if isinstance(found, float) and not math.isfinite(found):
            return "JSON has no NaN and no infinity, and this number is one or too large; give a finite number."
        if isinstance(found, str) and storable(found) != found:
            return "This JSON holds a NUL or half a character; leave it out."
        if isinstance(found, dict):
            waiting += [(part, depth + 1) for entry in found.items() for part in entry]
        elif isinstance(found, list):
            waiting += [(part, depth + 1) for part in found]
    return ""
