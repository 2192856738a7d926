"""Settings: the environment is described in full, wrong values fail early, the content policy is strict."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

ROOT = Path(settings.BASE_DIR)
READ_NAMES = re.compile(r'env\.(?:str|bool|int|float|list|db_url)\(\s*"([A-Z_]+)"')


def names_read_by_settings() -> set[str]:
    sources = (ROOT / "chembench_site" / "settings").glob("*.py")
    return {name for path in sources for name in READ_NAMES.findall(path.read_text())}


def names_in_example() -> set[str]:
    return set(re.findall(r"^(?:# )?([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))


def test_every_name_is_in_the_example() -> None:
    assert names_read_by_settings() - names_in_example() == set()


def test_the_example_names_nothing_that_is_not_read() -> None:
    assert names_in_example() - names_read_by_settings() == {"OPENAI_API_KEY", "ANTHROPIC_API_KEY"}


def run_check(**environment: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if name not in {"SECRET_KEY", "DEBUG"}}
    return subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env={**clean, "DJANGO_SETTINGS_MODULE": "chembench_site.settings.base", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_missing_secret_key_says_what_to_do(tmp_path: Path) -> None:
    if (ROOT / ".env").exists():
        pytest.skip("a .env file sets the key here")
    failed = run_check(DATA_DIR=str(tmp_path))
    assert failed.returncode != 0
    assert "SECRET_KEY is not set" in failed.stderr


def test_a_secret_key_is_enough(tmp_path: Path) -> None:
    assert run_check(DATA_DIR=str(tmp_path), SECRET_KEY="x" * 60).returncode == 0


def test_a_data_folder_is_one_whatever_folder_a_command_is_started_in(tmp_path: Path) -> None:
    """A relative one made a queue's address that named no file: `unix://var/demo/...`."""
    relative = os.path.relpath(tmp_path, ROOT)
    asked = "from django.conf import settings; print(settings.DATA_DIR, settings.RQ_QUEUES['default']['URL'])"
    environment = {"DJANGO_SETTINGS_MODULE": "chembench_site.settings.base", "SECRET_KEY": "x" * 60, "REDIS_URL": ""}
    shown = subprocess.run(
        [sys.executable, "-c", asked],
        cwd=tmp_path,
        env={**os.environ, **environment, "DATA_DIR": relative, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    folder, address = shown.stdout.split()
    assert Path(folder) == tmp_path.resolve()
    assert address.startswith("unix:///")


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/", "/admin/login/", "/healthz", "/no-such-page/"])
def test_no_page_may_run_inline_script_or_load_from_elsewhere(client: Client, address: str) -> None:
    policy = client.get(address)["Content-Security-Policy"]
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";") if part.strip())
    assert directives["default-src"] == "'none'"
    assert directives["script-src"] == "'self'"
    assert directives["style-src"] == "'self'"
    assert directives["connect-src"] == "'self'"
    assert "http" not in policy


def test_embedded_database_waits_instead_of_failing() -> None:
    database = settings.DATABASES["default"]
    if database["ENGINE"] != "django.db.backends.sqlite3":
        pytest.skip("the suite runs on PostgreSQL")
    assert database["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert "journal_mode=WAL" in database["OPTIONS"]["init_command"]
    assert database["OPTIONS"]["timeout"] >= 20
