"""Rules about whole parts of the site that no view of ours stands in front of."""

from collections.abc import Callable

from django.core.exceptions import BadRequest, PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import reverse


class QueuePagesForSuperusers:
    """django-rq's pages let any staff member empty queues and stop jobs; here only superusers may."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.prefix = reverse("admin:index") + "django_rq/"

    def __call__(self, request: HttpRequest) -> HttpResponse:
        is_allowed = not request.user.is_authenticated or request.user.is_superuser
        if request.path.startswith(self.prefix) and not is_allowed:
            raise PermissionDenied
        return self.get_response(request)


class NoNullInAdminAddresses:
    """A filter of the admin goes to the database as it stands in the address, and PostgreSQL takes no NUL."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.prefix = reverse("admin:index")

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path.startswith(self.prefix) and "%00" in request.META.get("QUERY_STRING", ""):
            raise BadRequest("An address with a NUL character filters nothing.")
        return self.get_response(request)
