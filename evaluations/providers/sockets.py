"""How a provider's client reaches its server: what holds for every one of them.

A request may be on its way unheard for a short time only: one that arrives late asks what another worker has asked
since.
"""

import socket
from collections.abc import Mapping
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any
from urllib.request import getproxies

import httpx2

from evaluations.providers.transport import AiohttpTransport

# Far less than a lease: nobody else asks the question as early as this.
UNHEARD_SECONDS = 5.0


def client_settings(timeout_seconds: float) -> dict[str, Any]:
    """Return what every client is made with: it follows no redirect, for a key must not travel to another host, and
    keeps no cookie, for every question is asked apart.
    """
    return {
        "follow_redirects": False,
        "timeout": timeout_seconds,
        "mounts": prompt_transports(),
        "cookies": CookieJar(DefaultCookiePolicy(allowed_domains=())),
    }


def prompt_transports() -> Mapping[str, httpx2.AsyncBaseTransport]:
    """Return `mounts` for a client whose requests are given up when the other side does not acknowledge them in time.

    Without this a request that was sent as the network failed is delivered once it is back, however late. Proxies that
    the environment names come first; with one for everything the mounts are empty.
    """
    if "all" in getproxies():
        return {}
    return {"all://": AiohttpTransport(socket_factory=prompt_socket, trusts=httpx2.create_ssl_context())}


def prompt_socket(address: Any) -> socket.socket:
    """Return a socket for an address as `getaddrinfo` gives it; a system without such an option gives a plain one."""
    family, kind, protocol, _, _ = address
    made = socket.socket(family, kind, protocol)
    if option := getattr(socket, "TCP_USER_TIMEOUT", None):
        made.setsockopt(socket.IPPROTO_TCP, option, int(UNHEARD_SECONDS * 1000))
    return made
