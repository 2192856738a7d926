"""What robots are asked not to fetch. Pages that may be read but not kept say so themselves (`noindex`)."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

# Of staff, of participants, and for contributors' programs.
CLOSED = ("/survey/", "/api/v1/contributor/")


@require_safe
@cache_control(public=True, max_age=86_400)
def robots(request: HttpRequest) -> HttpResponse:
    """Let robots read the public pages, and keep them from staff's and participants'."""
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in (reverse("admin:index"), *CLOSED)), ""]
    return HttpResponse("\n".join(lines), content_type="text/plain; charset=utf-8")
