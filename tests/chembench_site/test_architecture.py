"""Rules about the whole tree: arrows between apps in migrations too, file sizes, nothing of other people's."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from django.conf import settings
from django.core.management import get_commands
from django.db.migrations.loader import MigrationLoader

ROOT = Path(settings.BASE_DIR)
MAY_DEPEND_ON = {
    "corpus": set(),
    "survey": {"corpus"},
    "evaluations": {"corpus"},
    "leaderboard": {"corpus", "survey", "evaluations"},
}
LONGEST_FILE = 500


def tracked(*patterns: str) -> Iterator[Path]:
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    yield from (ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).is_file())


def test_migrations_follow_the_arrows() -> None:
    loader = MigrationLoader(None, ignore_no_migrations=True)
    wrong = [
        (app, name, other)
        for (app, name), migration in loader.disk_migrations.items()
        if app in MAY_DEPEND_ON
        for other, _ in migration.dependencies
        if other in MAY_DEPEND_ON and other != app and other not in MAY_DEPEND_ON[app]
    ]
    assert wrong == []


def test_no_python_file_is_longer_than_a_reader_bears() -> None:
    lengths = {path: len(path.read_text().splitlines()) for path in tracked("*.py") if "migrations" not in path.parts}
    assert {str(path): n for path, n in lengths.items() if n > LONGEST_FILE} == {}


def test_nothing_imports_what_takes_every_process_a_second() -> None:
    sources = [path for path in tracked("*.py") if not {"tests", "bin"} & set(path.relative_to(ROOT).parts)]
    assert len(sources) > 100
    heads = re.compile(r"^(from|import) (scipy\.stats|plotly|openai|anthropic|nltk)\b", re.MULTILINE)
    found = {str(path.relative_to(ROOT)) for path in sources if heads.search(path.read_text())}
    # The adapters are imported when a system is asked by them.
    assert {path for path in found if not path.startswith("evaluations/providers/")} == set()


def test_no_file_of_others_is_tracked() -> None:
    foreign = re.compile(r"(^|/)node_modules/|\.min\.(js|css)$|\.woff2?$|(^|/)vendor/")
    assert [str(path) for path in tracked() if foreign.search(str(path.relative_to(ROOT)))] == []


def test_every_command_of_ours_is_described_in_the_docs() -> None:
    ours = {name for name, app in get_commands().items() if app in {*MAY_DEPEND_ON, "chembench_site"}}
    text = "\n".join(path.read_text() for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
    assert {name for name in ours if name not in text} == set()


def test_compose_names_the_processes_with_health_checks_and_no_secret() -> None:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    assert {"web", "worker", "postgres", "valkey"} <= set(services)
    for name in ("web", "worker", "postgres", "valkey"):
        assert "healthcheck" in services[name], name
    assert services["postgres"]["environment"]["POSTGRES_PASSWORD"].startswith("${POSTGRES_PASSWORD:?")
    assert services["web"]["env_file"] == ".env"
