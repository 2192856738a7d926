"""Board pages that are sent again as they are, as long as nothing they say has changed."""

import re
from collections.abc import Callable
from typing import NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response

from leaderboard.selectors.page_stamp import page_stamp, program_stamp
from leaderboard.services.kept_pages import Page, page_find, page_keep

_PAGES = re.compile(r"/leaderboard/(?P<slug>[-a-zA-Z0-9_]+)/(?P<part>(?:topics/)?)")
_TAKES_GZIP = re.compile(r"\bgzip\b")


class Asked(NamedTuple):
    """A request that a kept page may answer: the set's slug, a name for all that the page depends on of the request."""

    slug: str
    address: str
    is_whole_board: bool


class KeptPages:
    """Answers with a kept page where there is one of the state of things now, and keeps the pages that are made.

    The state is read from the database for every request and before the page is made, so no page is ever older than
    its request. It stands before sessions and everything that looks at who asks: for whom there is a session or a
    message to be shown, pages are made anew.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        program_stamp()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Serve the request."""
        asked = None if settings.DEBUG else asked_of(request)
        stamp = page_stamp(slug=asked.slug) if asked else ""
        if not asked or not stamp:
            return self.get_response(request)
        page = page_find(address=asked.address, stamp=stamp, is_whole_board=asked.is_whole_board)
        if page:
            return _answer(request, page)
        response = self.get_response(request)
        if isinstance(response, HttpResponse) and response.status_code == 200 and not response.cookies:
            page = Page(stamp, dict(response.items()), response.content)
            page_keep(address=asked.address, page=page, is_whole_board=asked.is_whole_board)
        return response


def asked_of(request: HttpRequest) -> Asked | None:
    """Return what a request asks for, None where its answer is made for it alone."""
    found = _PAGES.fullmatch(request.path_info)
    if found is None or request.method != "GET" or "HX-Request" in request.headers:
        return None
    if settings.SESSION_COOKIE_NAME in request.COOKIES or "messages" in request.COOKIES:
        return None
    query = request.META.get("QUERY_STRING", "")
    takes_gzip = bool(_TAKES_GZIP.search(request.headers.get("Accept-Encoding", "")))
    address = f"{'gzip' if takes_gzip else 'plain'} {request.get_host() and request.path}?{query}"
    return Asked(found["slug"], address, is_whole_board=not query and not found["part"] and takes_gzip)


def _answer(request: HttpRequest, page: Page) -> HttpResponseBase:
    response = HttpResponse(page.content, headers=page.headers)
    conditional: HttpResponseBase | None = get_conditional_response(
        request, etag=page.headers.get("ETag"), response=response
    )
    return conditional or response
