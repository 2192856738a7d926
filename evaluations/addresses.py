"""Which hosts are never asked: those at which a cloud tells a machine its own secrets.

Private networks and this machine itself are fine: models served by oneself are what a base URL is for.
"""

import ipaddress
import socket
from urllib.parse import urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_METADATA_HOSTS = frozenset(
    {
        "instance-data",
        "instance-data.ec2.internal",
        "metadata",
        "metadata.azure.internal",
        "metadata.goog",
        "metadata.google.internal",
        "metadata.internal",
        "metadata.tencentyun.com",
    }
)
# Metadata services at addresses that are not link-local: Amazon over IPv6, Alibaba, Oracle.
_METADATA_ADDRESSES = frozenset(map(ipaddress.ip_address, ("fd00:ec2::254", "100.100.100.200", "192.0.0.192")))
_REFUSED = (
    "The address leads to {host}, where machines are told their own secrets (a link-local or metadata address); no "
    "model is served there. Give the address of the model's server; hosts of a private network are fine."
)


def address_problem(url: str, *, resolve: bool = False) -> str:
    """Return why a base URL must not be asked, or "" when it may.

    With `resolve` a name is looked up and judged by what it leads to. A name that cannot be looked up is no problem
    here: the call itself will say so.
    """
    try:
        host = (urlsplit(url).hostname or "").rstrip(".").lower()
    except ValueError:
        return ""
    literal = _literal(host)
    found = [literal] if literal else _looked_up(host) if resolve and host else []
    if host in _METADATA_HOSTS or any(map(_is_refused, found)):
        return _REFUSED.format(host=host)
    return ""


def _literal(host: str) -> Address | None:
    """Return the address that a host is, in any spelling a connection would take (2852039166, 0xa9.254.169.254)."""
    plain = host.partition("%")[0]
    try:
        return ipaddress.ip_address(plain)
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(plain))
    except (OSError, ValueError):
        return None


def _looked_up(host: str) -> list[Address]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return [address for *_, where in found if (address := _literal(str(where[0])))]


def _is_refused(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address):
        address = address.ipv4_mapped or address.sixtofour or address
    return address.is_link_local or address in _METADATA_ADDRESSES
