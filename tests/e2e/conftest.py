"""What every browser test needs."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.signals import request_finished, request_started
from playwright.sync_api import Browser, sync_playwright

# The first that is there: the shell is the same browser without its window, and spares a third of the processor's time.
DATA_OF_BOTH = Path("/usr/lib/chromium/icudtl.dat")
CHROMIUM = (Path("/usr/bin/chromium-headless-shell"), Path("/usr/bin/chromium"))
SILENCE_SECONDS = 0.2
LONGEST_WAIT_SECONDS = 10


class InFlight:
    """The requests the live server is answering."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._n = 0
        self._changed_at = time.monotonic()

    def started(self, **kwargs: Any) -> None:
        self._count(1)

    def finished(self, **kwargs: Any) -> None:
        self._count(-1)

    def _count(self, change: int) -> None:
        with self._lock:
            self._n += change
            self._changed_at = time.monotonic()

    def is_silent(self) -> bool:
        with self._lock:
            return self._n <= 0 and time.monotonic() - self._changed_at > SILENCE_SECONDS


@pytest.fixture(autouse=True)
def quiet_end(transactional_db: None) -> Iterator[None]:
    """Let what a closing page still told the server end before the database is emptied under it."""
    requests = InFlight()
    request_started.connect(requests.started)
    request_finished.connect(requests.finished)
    yield
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while not requests.is_silent() and time.monotonic() < deadline:
        time.sleep(0.02)
    request_started.disconnect(requests.started)
    request_finished.disconnect(requests.finished)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start the system's Chromium, once for each file; skip where there is none."""
    found = CHROMIUM[0] if CHROMIUM[0].exists() and DATA_OF_BOTH.exists() else CHROMIUM[1]
    if not found.exists():
        pytest.skip("Chromium is not installed")
    # Playwright keeps an event loop in this thread, in which Django would refuse the database.
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        launched = playwright.chromium.launch(executable_path=str(found), args=["--no-sandbox"])
        yield launched
        launched.close()
