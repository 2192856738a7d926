"""What staff see of a study."""

import csv
from collections.abc import Iterator
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from survey.models import Study
from survey.selectors.export import export_rows
from survey.selectors.staff import staff_rows
from survey.views.access import View, study_view

PERMISSIONS = ("survey.view_participant", "survey.view_response")


class _Echo:
    """A file that gives back what is written, for writing a table piece by piece."""

    def write(self, text: str) -> str:
        return text


def staff_view(view: View) -> View:
    """Let staff in who may see participants and answers; send visitors to the login, refuse everyone else."""

    @never_cache
    @wraps(view)
    def wrapped(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
        user = request.user
        if not user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if not (user.is_active and user.is_staff and user.has_perms(PERMISSIONS)):
            return render(request, "survey/staff_refused.html", {"permissions": PERMISSIONS}, status=403)
        return view(request, **kwargs)

    return wrapped


@require_safe
@staff_view
@study_view
def staff(request: HttpRequest, study: Study) -> HttpResponse:
    """List who is where."""
    return render(request, "survey/staff.html", {"study": study, "rows": staff_rows(study)})


@require_safe
@staff_view
@study_view
def responses_csv(request: HttpRequest, study: Study) -> StreamingHttpResponse:
    """Send every answer of a study as CSV."""
    writer = csv.writer(_Echo())
    lines: Iterator[str] = (writer.writerow(row) for row in export_rows(study))
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-responses.csv"'
    return response
