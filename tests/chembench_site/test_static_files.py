"""A site whose static files were not collected says so in plain words, and its error page is still a page."""

import importlib
import logging
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.test import Client

MANIFEST = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    # The manifest of production without its compression, which takes half a minute.
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"},
}


@pytest.fixture
def production(settings: Any, tmp_path: Path) -> Path:
    """Settings as with DEBUG=0, with nothing collected yet."""
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = MANIFEST
    settings.DEBUG = False
    return tmp_path


@pytest.mark.django_db
def test_the_error_page_needs_no_static_file(production: Path) -> None:
    response = Client(raise_request_exception=False).get("/")
    assert response.status_code == 500
    assert "Something broke on our side" in response.content.decode()


def test_the_deployment_check_says_what_to_run(production: Path) -> None:
    with pytest.raises(SystemCheckError, match="collectstatic --noinput"):
        call_command("check", deploy=True, stderr=StringIO())


def test_other_commands_are_not_held_up(production: Path) -> None:
    call_command("check", stdout=StringIO(), stderr=StringIO())


def test_the_log_says_it_at_the_start(production: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.CRITICAL):
        importlib.import_module("chembench_site.static_files").say_if_missing()
    assert "collectstatic" in caplog.text


@pytest.mark.django_db
def test_collected_files_end_all_of_it(production: Path, settings: Any, caplog: pytest.LogCaptureFixture) -> None:
    call_command("collectstatic", interactive=False, verbosity=0)
    settings.STORAGES = dict(MANIFEST)
    call_command("check", deploy=True, stdout=StringIO(), stderr=StringIO())
    importlib.import_module("chembench_site.static_files").say_if_missing()
    assert "collectstatic" not in caplog.text
    assert Client().get("/").status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/", "/admin/login/"])
def test_every_page_names_the_sites_icon(address: str) -> None:
    assert '<link rel="icon" href="/static/site/icon.svg"' in Client().get(address).content.decode()
