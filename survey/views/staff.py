"""What staff see of a study."""

import csv
from collections.abc import Iterator

from django.contrib.admin.views.decorators import staff_member_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from survey.models import Study
from survey.selectors.export import export_rows
from survey.selectors.staff import staff_rows
from survey.views.access import study_view


class _Echo:
    """A file that gives back what is written, for writing a table piece by piece."""

    def write(self, text: str) -> str:
        return text


@require_safe
@staff_member_required
@study_view
def staff(request: HttpRequest, study: Study) -> HttpResponse:
    """List who is where."""
    return render(request, "survey/staff.html", {"study": study, "rows": staff_rows(study)})


@require_safe
@staff_member_required
@study_view
def responses_csv(request: HttpRequest, study: Study) -> StreamingHttpResponse:
    """Send every answer of a study as CSV."""
    writer = csv.writer(_Echo())
    lines: Iterator[str] = (writer.writerow(row) for row in export_rows(study))
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-responses.csv"'
    return response
