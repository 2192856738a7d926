"""Fixtures for the whole suite."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with published data beside the repository; tests that need it are skipped without it."""
    if not SHARED.is_dir():
        pytest.skip("the folder ../shared with the published data is not here")
    return SHARED
