"""Count personal links that lead nowhere, and put off an address that opens too many of them.

The counts are rows, so that every worker process sees the same ones and nothing else has to run.
"""

import math
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.crypto import salted_hmac

from survey.models import UnknownLinkCount

UNKNOWN_LINKS_A_MINUTE = 20
COUNTS_KEPT = timedelta(hours=1)
ADDRESS_SALT = "survey.unknown-links"
# One customer of a provider has at least this much of the new addresses to choose from.
IPV6_NETWORK_BITS = 64


def unknown_link_note(*, address: str, now: datetime | None = None) -> None:
    """Count a link that leads nowhere, opened from a network address; older counts go."""
    now = now or timezone.now()
    count = UnknownLinkCount.objects.filter(address_key=address_key(address), minute=_minute(now))
    if count.update(n=F("n") + 1):
        return
    try:
        with transaction.atomic():
            UnknownLinkCount.objects.create(address_key=address_key(address), minute=_minute(now))
    except IntegrityError:
        count.update(n=F("n") + 1)
    unknown_links_forget(now=now)


def unknown_links_forget(*, now: datetime | None = None) -> int:
    """Delete counts of more than an hour ago; return how many. Run daily, where no unknown link is opened any more."""
    deleted, _ = UnknownLinkCount.objects.filter(minute__lt=(now or timezone.now()) - COUNTS_KEPT).delete()
    return deleted


def seconds_until_links_open(*, address: str, now: datetime | None = None) -> int:
    """Return for how many seconds an address is put off: 0 for most, at most 60."""
    now = now or timezone.now()
    too_many = UnknownLinkCount.objects.filter(
        address_key=address_key(address), minute=_minute(now), n__gte=UNKNOWN_LINKS_A_MINUTE
    )
    if not too_many.exists():
        return 0
    return max(1, math.ceil((_minute(now) + timedelta(minutes=1) - now).total_seconds()))


def address_key(address: str) -> str:
    """Return what an address is counted under: a keyed hash, of the whole network for IPv6."""
    return salted_hmac(ADDRESS_SALT, _network(address), algorithm="sha256").hexdigest()


def _network(address: str) -> str:
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if parsed.version == 4:
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(ip_network((parsed, IPV6_NETWORK_BITS), strict=False))


def _minute(now: datetime) -> datetime:
    return now.replace(second=0, microsecond=0)
