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


def database_from_environment(env: environ.Env, data_dir: Path) -> dict[str, Any]:
    """Return Django's settings of the default database."""
    url = env.str("DATABASE_URL", default="") or f"sqlite:///{data_dir / 'chembench.sqlite3'}"
    database: dict[str, Any] = dict(env.db_url_config(url))
    if database["ENGINE"] == "django.db.backends.sqlite3":
        database["OPTIONS"] = SQLITE_OPTIONS
        database["TEST"] = {"NAME": str(data_dir / "test.sqlite3")}
    else:
        database["CONN_MAX_AGE"] = env.int("DATABASE_CONN_MAX_AGE", default=60)
        database["CONN_HEALTH_CHECKS"] = True
    return database
