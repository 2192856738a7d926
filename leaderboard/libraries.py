"""Which releases of others' libraries the figures come from: another one may round another way."""

from functools import lru_cache
from importlib.metadata import version


@lru_cache(maxsize=1)
def figure_libraries() -> tuple[str, ...]:
    """Return name and version of each, read from what is installed; nothing is imported."""
    return tuple(f"{name} {version(name)}" for name in ("numpy", "scipy"))
