"""The database: `DATABASE_URL`, or SQLite in the data folder when it is not set."""

from pathlib import Path
from typing import Any

import environ

SQLITE_OPTIONS: dict[str, Any] = {
    # A write transaction takes its lock at once, so that two writers queue instead of failing half way.
    "transaction_mode": "IMMEDIATE",
    "timeout": 30,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA busy_timeout=30000;",
}

# A host that is cut off sends no farewell: both ends give a silent connection up within half a minute, so that neither
# does a worker wait for ever nor does its open transaction keep questions from the others.
_SILENT_SECONDS = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
_SILENT_MILLISECONDS = 20_000
POSTGRESQL_OPTIONS: dict[str, Any] = {
    "connect_timeout": 10,
    "keepalives": 1,
    **_SILENT_SECONDS,
    "tcp_user_timeout": _SILENT_MILLISECONDS,
    "options": " ".join(
        f"-c {name}={value}"
        for name, value in (
            *((f"tcp_{name}", seconds) for name, seconds in _SILENT_SECONDS.items()),
            ("tcp_user_timeout", _SILENT_MILLISECONDS),
        )
    ),
}


def database_from_environment(env: environ.Env, data_dir: Path) -> dict[str, Any]:
    """Return Django's settings of the default database; what a PostgreSQL address asks for goes over our options."""
    url = env.str("DATABASE_URL", default="") or f"sqlite:///{data_dir / 'chembench.sqlite3'}"
    database: dict[str, Any] = dict(env.db_url_config(url))
    if database["ENGINE"] == "django.db.backends.sqlite3":
        database["OPTIONS"] = SQLITE_OPTIONS
        database["TEST"] = {"NAME": str(data_dir / "test.sqlite3")}
    else:
        if database["ENGINE"] == "django.db.backends.postgresql":
            database["OPTIONS"] = POSTGRESQL_OPTIONS | database.get("OPTIONS", {})
        database["CONN_MAX_AGE"] = env.int("DATABASE_CONN_MAX_AGE", default=60)
        database["CONN_HEALTH_CHECKS"] = True
    return database
