"""Tables as files that a spreadsheet opens and runs nothing of."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from django.http import HttpResponse

from leaderboard.payloads import safe_cell


def csv_response(name: str, fields: Sequence[str], lines: Iterable[Sequence[Any]]) -> HttpResponse:
    """Return a table to be stored under `name`: text in quotes and neutralised, numbers as they are, None empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(fields)
    writer.writerows([safe_cell(cell) for cell in line] for line in lines)
    response = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
