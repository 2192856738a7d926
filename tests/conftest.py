"""Fixtures for the whole suite."""

import gc
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache, caches
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import TransactionTestCase
from xdist.scheduler import LoadScopeScheduling

from tests.emptied_tables import empty_tables

LONG = ("browser", "workers", "shared")
# What the tests of these files share takes long to make.
IN_ONE_PROCESS = (
    "tests/corpus/scoring/test_published_packs.py",
    "tests/evaluations/test_provider_cases.py",
    "tests/evaluations/test_queue_cases.py",
    "tests/e2e/",
    "tests/survey/test_demo.py",
)
# The same for all files below: they share the published corpus.
ON_ONE_CORPUS = "tests/published/"
# A package that the first test that asks by it imports, in four seconds: so one process runs all of them.
SLOWLY_IMPORTED = "anthropic"
# Python's own 700, 10, 10 are made for processes that live long; queries and templates make tens of thousands at once.
SEARCH_FOR_GARBAGE_AFTER = (5_000, 20, 20)
# Nothing below reads a database, or is asked of a second one.
ONE_DATABASE = ("tests/corpus/scoring", "tests/e2e")
ON_POSTGRES = os.environ.get("DATABASE_URL", "").startswith("postgres")
SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with published data beside the repository; tests that need it are skipped without it."""
    if not SHARED.is_dir():
        pytest.skip("the folder ../shared with the published data is not here")
    return SHARED


@pytest.fixture(scope="session")
def django_db_use_migrations(worker_id: str) -> bool:
    """Migrate in one process of a whole run; the others make their tables from the models, many seconds sooner.

    That models and migrations agree is checked by `makemigrations --check`.
    """
    return worker_id == "gw0"


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_use_migrations: bool, django_db_blocker: Any) -> None:
    """Note all migrations as applied where the tables were made from the models."""
    if django_db_use_migrations:
        return
    settings.MIGRATION_MODULES = {}
    with django_db_blocker.unblock():
        recorder = MigrationRecorder(connection)
        recorder.ensure_schema()
        for app, name in MigrationLoader(None).disk_migrations:
            recorder.record_applied(app, name)


@pytest.fixture(scope="session", autouse=True)
def _tables_are_emptied_soon() -> Generator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", empty_tables)
        yield


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Search for garbage less often, and never in what is imported and collected, which all lives to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(*SEARCH_FOR_GARBAGE_AFTER)
        gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a second run, on another database, leave out what it cannot tell anything new about."""
    parser.addoption(
        "--database-only",
        action="store_true",
        help="run only tests that use the database, without browsers and without those marked `one_database`",
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Spare a second run on another database the reading of thousands of tests without one."""
    left_out = [config.rootpath / folder for folder in ONE_DATABASE]
    return True if config.getoption("--database-only") and collection_path in left_out else None


class InOneProcess(LoadScopeScheduling):
    """Give each process the next test, and the tests of some files to one process."""

    def _split_scope(self, nodeid: str) -> str:
        if nodeid.startswith(IN_ONE_PROCESS):
            return nodeid.partition("::")[0]
        if nodeid.startswith(ON_ONE_CORPUS):
            return ON_ONE_CORPUS
        return SLOWLY_IMPORTED if SLOWLY_IMPORTED in nodeid else nodeid


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> InOneProcess:
    """Share the tests between processes by our own rule; called where there are several."""
    return InOneProcess(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect, and count as deselected, what `--database-only` leaves out; skip most real workers on SQLite."""
    if config.getoption("--database-only"):
        config.hook.pytest_deselected(items=[item for item in items if not _is_about_the_database(item)])
        items[:] = [item for item in items if _is_about_the_database(item)]
    if not ON_POSTGRES:
        for item in items:
            workers = item.get_closest_marker("workers")
            if workers and not workers.kwargs.get("sqlite"):
                item.add_marker(pytest.mark.skip(reason="real workers are tried on PostgreSQL (DATABASE_URL)"))
    # A long test that starts last keeps one process busy while the others have ended.
    items.sort(key=lambda item: not any(item.get_closest_marker(name) for name in LONG))


def _is_about_the_database(item: pytest.Item) -> bool:
    if item.get_closest_marker("browser") or item.get_closest_marker("one_database"):
        return False
    return item.get_closest_marker("django_db") is not None or "db" in getattr(item, "fixturenames", ())


@pytest.fixture(autouse=True)
def _fresh_cache() -> None:
    """Forget what was kept of an earlier test's database: ids and versions begin anew in the next one."""
    cache.clear()
    caches["pages"].clear()
