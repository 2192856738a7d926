"""What is stored of people, in short, for everyone to read."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from survey.views.access import entered_studies


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """Say what is stored of people who take part, who sees it, and for how long; lead back to where a reader was."""
    context = {
        "studies": entered_studies(request),
        "minimum_for_mean": settings.PEOPLE_MINIMUM_FOR_MEAN,
        "minimum_for_extremes": settings.PEOPLE_MINIMUM_FOR_EXTREMES,
    }
    return render(request, "survey/privacy.html", context)
