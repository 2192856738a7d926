"""What every page of the site knows."""

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, str]:
    """Return the site's name for titles and headings."""
    return {"site_name": settings.SITE_NAME}
