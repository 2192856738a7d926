"""Fixtures for the whole suite."""

from pathlib import Path

import pytest
from django.core.cache import cache

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with published data beside the repository; tests that need it are skipped without it."""
    if not SHARED.is_dir():
        pytest.skip("the folder ../shared with the published data is not here")
    return SHARED


@pytest.fixture(autouse=True)
def _fresh_cache() -> None:
    """Forget what was kept of an earlier test's database: ids and versions begin anew in the next one."""
    cache.clear()
