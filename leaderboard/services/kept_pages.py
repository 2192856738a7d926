"""Keep pages as they were sent, in the process and, of whole boards, in the database, where new processes find them."""

import hashlib
import logging
from dataclasses import dataclass

from django.core.cache import caches
from django.db import OperationalError

from leaderboard.models import KeptPage

logger = logging.getLogger(__name__)
CACHE_ALIAS = "pages"
_KEEP_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it was sent, and the stamp (`page_stamp`) it was made under."""

    stamp: str
    headers: dict[str, str]
    content: bytes


def page_find(*, address: str, stamp: str, is_whole_board: bool) -> Page | None:
    """Return what was kept of an address under this stamp, never what was kept under another."""
    key = _key(address)
    found: Page | None = caches[CACHE_ALIAS].get(key)
    if found is not None and found.stamp == stamp:
        return found
    if not is_whole_board:
        return None
    row = KeptPage.objects.filter(address=address, stamp=stamp).first()
    if row is None:
        return None
    found = Page(stamp, row.headers, bytes(row.content))
    caches[CACHE_ALIAS].set(key, found, _KEEP_SECONDS)
    return found


def page_keep(*, address: str, page: Page, is_whole_board: bool) -> None:
    """Keep a page in place of what was kept of its address. Where an import holds the database, in the process only."""
    caches[CACHE_ALIAS].set(_key(address), page, _KEEP_SECONDS)
    if not is_whole_board:
        return
    kept = {"stamp": page.stamp, "headers": page.headers, "content": page.content}
    try:
        KeptPage.objects.update_or_create(address=address, defaults=kept)
    except OperationalError as error:
        logger.warning("the page %s was not kept: %s", address, error)


def _key(address: str) -> str:
    return hashlib.sha256(address.encode()).hexdigest()
