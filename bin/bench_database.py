"""A database of its own for a measurement, made and dropped by Django's test tools."""

import os
from collections.abc import Iterator
from contextlib import contextmanager


def why_no_services(section: str, *, needs_queue: bool = False) -> str:
    """Return why a section cannot be measured and how it can, "" where the services it needs are named."""
    has_queue = "REDIS_URL" in os.environ or not needs_queue
    if os.environ.get("DATABASE_URL", "").startswith("postgres") and has_queue:
        return ""
    needed = "PostgreSQL and Valkey" if needs_queue else "PostgreSQL"
    return f"Skipped: it needs {needed}. Run bin/with-services bin/bench.py {section}."


@contextmanager
def bench_database() -> Iterator[None]:
    """Set Django up and let it use an empty database with all tables; the database goes with the block."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "chembench_site.settings.test")
    import django

    django.setup()
    from django.db import connection

    name = connection.settings_dict["NAME"]
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    try:
        yield
    finally:
        connection.creation.destroy_test_db(name, verbosity=0)
