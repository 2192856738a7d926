"""The site's addresses, and one that does nothing: what any page costs."""

from django.http import HttpRequest, HttpResponse
from django.urls import include, path


def empty(request: HttpRequest) -> HttpResponse:
    """Answer at once."""
    return HttpResponse("")


urlpatterns = [path("empty/", empty), path("", include("chembench_site.urls"))]
