"""The time by the database's clock, so that leases set on one host end at the right time on another."""

from datetime import datetime
from typing import cast

from django.db import connection
from django.utils import timezone


def database_now() -> datetime:
    """Return the current time. SQLite has no server, so there it is this machine's own."""
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        return cast(datetime, cursor.fetchone()[0])
