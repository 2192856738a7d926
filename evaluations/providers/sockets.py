"""How long a request may be on its way unheard: one that arrives late asks what another worker has asked since."""

import socket
from collections.abc import Mapping
from urllib.request import getproxies

import httpx2

# Far less than a lease: nobody else asks the question as early as this.
UNHEARD_SECONDS = 5.0
# As the SDKs have them; our own count of calls is the limit.
_LIMITS = httpx2.Limits(max_connections=1000, max_keepalive_connections=100)


def prompt_transports() -> Mapping[str, httpx2.AsyncBaseTransport]:
    """Return `mounts` for a client whose requests are given up when the other side does not acknowledge them in time.

    Without this a request that was sent as the network failed is delivered once it is back, however late. Proxies that
    the environment names come first. Where the system has no such option, the mounts are empty.
    """
    option = getattr(socket, "TCP_USER_TIMEOUT", None)
    if option is None or "all" in getproxies():
        return {}
    options = [(socket.IPPROTO_TCP, option, int(UNHEARD_SECONDS * 1000))]
    return {"all://": httpx2.AsyncHTTPTransport(limits=_LIMITS, socket_options=options)}
