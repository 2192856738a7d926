"""The published corpus, imported once for all tests of this folder; what a test does to it is undone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from corpus.services.imports import ImportReport, corpus_import


@pytest.fixture(scope="session")
def data(shared: Path) -> Path:
    return shared / "data" / "chembench"


def import_published(data: Path) -> ImportReport:
    """Import all questions with their topics and the three sets of the Mini set."""
    tools, no_tools = data / "mini_tool.txt", data / "mini_notool.txt"
    return corpus_import(
        source=data / "corpus.zip",
        topics=data / "classified_questions.csv",
        sets={
            "chembench-mini-tools": [tools],
            "chembench-mini-no-tools": [no_tools],
            "chembench-mini": [tools, no_tools],
        },
    )


@pytest.fixture(scope="package")
def report(data: Path, django_db_setup: None, django_db_blocker: Any) -> Iterator[ImportReport]:
    """Import the corpus, and take it out again when the last test of this folder has run."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield import_published(data)
        transaction.set_rollback(True)
