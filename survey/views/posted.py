"""Text that came from outside, before it meets a form, a page or the database."""

import re

from django.conf import settings
from django.http import HttpRequest, QueryDict

# Some encodings a form may be sent in can hold halves of characters, which UTF-8 cannot: no page and no row takes them.
SURROGATE = re.compile("[\ud800-\udfff]")
LINK_SECRET = re.compile(r"[A-Za-z0-9_-]{1,64}")


def replace_surrogates(request: HttpRequest) -> None:
    """Put the replacement character where posted text has a lone surrogate; NUL is for the forms to refuse."""
    posted = request.POST
    if not any(SURROGATE.search(text) for name, values in posted.lists() for text in (name, *values)):
        return
    cleaned = QueryDict(mutable=True)
    for name, values in posted.lists():
        cleaned.setlist(_replaced(name), [_replaced(value) for value in values])
    request.POST = cleaned  # type: ignore[assignment]


def may_be_secret(text: str) -> bool:
    """Say whether text can be the secret of a personal link at all."""
    return LINK_SECRET.fullmatch(text) is not None


def client_address(request: HttpRequest) -> str:
    """Return the network address that a request comes from.

    Behind a proxy that is the last address of `X-Forwarded-For`, which the proxy wrote itself; those before it are
    whatever the sender likes. Without a proxy the header is not looked at.
    """
    if settings.BEHIND_PROXY:
        forwarded: str = request.META.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2].strip()
        if forwarded:
            return forwarded
    address: str = request.META.get("REMOTE_ADDR", "")
    return address


def _replaced(text: str) -> str:
    return SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
