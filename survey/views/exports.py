"""Downloads for staff: answers as reports, without the keys or, after a warning, with them."""

import tempfile
import zipfile

from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from corpus.services.results import action_log
from survey.models import Study
from survey.selectors.report_export import report_files
from survey.views.access import study_view
from survey.views.staff import staff_view

KEY_PERMISSION = "corpus.view_questionrevision"


@require_http_methods(["GET", "HEAD", "POST"])
@staff_view
@study_view
def reports(request: HttpRequest, study: Study) -> HttpResponseBase:
    """Say what the files hold; send them. The keys are sent to whoever may see them and ticked that they know."""
    may_have_keys = request.user.has_perm(KEY_PERMISSION)
    if request.method != "POST":
        return _page(request, study, may_have_keys=may_have_keys)
    with_keys = "keys" in request.POST
    if not with_keys:
        return _archive(study, with_keys=False)
    if not may_have_keys:
        return _page(request, study, may_have_keys=False, status=403)
    if request.POST.get("understood") != "yes":
        return _page(request, study, may_have_keys=True, is_unticked=True, status=422)
    action_log(code="study.exported_with_keys", target=study, actor=request.user)  # type: ignore[arg-type]
    return _archive(study, with_keys=True)


def _page(
    request: HttpRequest, study: Study, *, may_have_keys: bool, is_unticked: bool = False, status: int = 200
) -> HttpResponse:
    context = {
        "study": study,
        "may_have_keys": may_have_keys,
        "permission": KEY_PERMISSION,
        "is_unticked": is_unticked,
    }
    return render(request, "survey/reports.html", context, status=status)


def _archive(study: Study, *, with_keys: bool) -> FileResponse:
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the response closes it once it is sent
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in report_files(study, with_keys=with_keys):
            archive.writestr(path, text)
    file.seek(0)
    suffix = "-with-keys" if with_keys else ""
    return FileResponse(file, as_attachment=True, filename=f"{study.slug}-reports{suffix}.zip")
