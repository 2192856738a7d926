"""The embedded Valkey server that serves the queue when no `REDIS_URL` is set."""

from pathlib import Path


def socket_path(data_dir: Path) -> Path:
    """Return the path of the server's unix socket inside the data folder."""
    return data_dir / "queue" / "valkey.sock"


def socket_url(data_dir: Path) -> str:
    """Return the URL under which redis-py reaches the embedded server."""
    return f"unix://{socket_path(data_dir)}?db=0"
