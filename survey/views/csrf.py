"""A form token that no longer fits: give the answer back instead of a bare refusal."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.csrf import csrf_failure as default_csrf_failure

from survey.models import Study
from survey.views.given_back import give_back
from survey.views.posted import replace_surrogates


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a refused form: an answer comes back in its form; other survey pages say what to do."""
    match = request.resolver_match
    if match is None or match.app_name != "survey":
        return default_csrf_failure(request, reason=reason)
    study = Study.objects.filter(slug=match.kwargs.get("study_slug", "")).first()
    if study is not None and match.url_name in ("question", "pause"):
        replace_surrogates(request)
        response = give_back(request, study)
    else:
        response = render(request, "survey/expired.html", {"study": study}, status=403)
    response["Cache-Control"] = "no-store, private"
    return response
