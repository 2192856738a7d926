"""Who may read the public API, and how often: from any page, without credentials, so many times a minute."""

import ipaddress
import time
from collections.abc import Callable
from typing import NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.crypto import salted_hmac

from leaderboard.request_counts import counted
from survey.views.posted import client_address

# Of the contributors' API under the same address only who holds a token is served: no page from elsewhere needs it.
PUBLIC = "/api/v1/"
APART = "/api/v1/contributor/"
MINUTE = 60
_PREFLIGHT_SECONDS = 86_400


class Usage(NamedTuple):
    """What an address has asked in this minute, and how many seconds of it are left."""

    n_requests: int
    seconds_left: int


class ApiAccess:
    """Answers browsers that ask whether a page may read; turns away who asks more often than the site allows."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Serve the request, or answer 429 with `Retry-After`."""
        if not request.path.startswith(PUBLIC) or request.path.startswith(APART):
            return self.get_response(request)
        if request.method == "OPTIONS":
            return _readable(_preflight())
        most = settings.API_REQUESTS_PER_MINUTE
        usage = usage_of(request) if most else Usage(0, 0)
        response = too_many(most, usage) if usage.n_requests > most else self.get_response(request)
        return _readable(response)


def usage_of(request: HttpRequest) -> Usage:
    """Count this request of its address in this minute. Only a keyed hash is kept, another one in each minute."""
    now = time.time()
    minute = int(now // MINUTE)
    name = salted_hmac(f"leaderboard.api:{minute}", network_of(client_address(request))).hexdigest()[:32]
    return Usage(counted(name, seconds=2 * MINUTE), max(1, int((minute + 1) * MINUTE - now) + 1))


def network_of(address: str) -> str:
    """Return what counts as one reader: an IPv4 address, or the /64 network that one IPv6 connection usually has."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)


def too_many(most: int, usage: Usage) -> HttpResponse:
    """Say how often one may ask, and when again."""
    detail = (
        f"This site answers {most} requests a minute from one address. Ask again in {usage.seconds_left} s. "
        "Requests for a whole board instead of many, and If-None-Match with the ETag you have, save most of them."
    )
    response = JsonResponse({"detail": detail}, status=429)
    response["Retry-After"] = str(usage.seconds_left)
    response["Cache-Control"] = "no-store"
    return response


def _preflight() -> HttpResponse:
    response = HttpResponse(status=204)
    response["Access-Control-Allow-Methods"] = "GET"
    response["Access-Control-Allow-Headers"] = "If-None-Match"
    response["Access-Control-Max-Age"] = str(_PREFLIGHT_SECONDS)
    return response


def _readable(response: HttpResponse) -> HttpResponse:
    """Let scripts of any page read the answer; without `Allow-Credentials` no browser sends or uses cookies for it."""
    response["Access-Control-Allow-Origin"] = "*"
    response["Access-Control-Expose-Headers"] = "ETag, Retry-After"
    return response
