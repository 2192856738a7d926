"""The demo touches nothing but its own folder and starts nothing it cannot serve."""

import os
import socket
import subprocess
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management.base import CommandError

from chembench_site.demo import admin_ensure, keep_private, mark_as_demo
from chembench_site.management.commands.demo import only_demo, refuse_taken_port
from corpus.models import Benchmark
from tests.corpus.factories import make_benchmark, make_questions, make_set
from tests.leaderboard.factories import make_run, make_system

ROOT = Path(settings.BASE_DIR)


def test_a_taken_port_is_refused_with_another_to_try() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(CommandError, match=rf"Port {port} is taken.*--port {port + 1}"):
            refuse_taken_port(port)
    refuse_taken_port(port)


def test_a_second_demo_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    with only_demo(tmp_path), pytest.raises(CommandError, match="A demo runs"), only_demo(tmp_path):
        pass
    with only_demo(tmp_path):
        pass


def test_what_the_environment_says_of_a_real_site_is_set_aside(tmp_path: Path) -> None:
    script = (ROOT / "bin" / "demo").read_text().replace("bin/setup site", ":").replace('cd "$(dirname "$0")/.."', ":")
    script = script.replace("exec .venv/bin/python manage.py demo", "exec env").replace(".venv/bin/python -c", "echo")
    real = {"DATABASE_URL": "postgres://real/site", "REDIS_URL": "redis://real", "ALLOWED_HOSTS": "real.example"}
    environment = {**os.environ, **real, "DEMO_DIR": str(tmp_path)}
    shown = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=True).stdout
    assert "DATABASE_URL=\n" in shown
    assert "REDIS_URL=\n" in shown
    assert "ALLOWED_HOSTS=127.0.0.1,localhost\n" in shown
    assert f"DATA_DIR={tmp_path}\n" in shown


def test_nobody_else_reads_what_the_demo_keeps(tmp_path: Path) -> None:
    before = tmp_path / "chembench.sqlite3"
    before.touch(mode=0o644)
    mask = os.umask(0o022)
    try:
        keep_private(tmp_path)
        (tmp_path / "chembench.sqlite3-wal").touch()
    finally:
        os.umask(mask)
    assert [path.stat().st_mode & 0o077 for path in (tmp_path, *tmp_path.iterdir())] == [0, 0, 0]


@pytest.mark.django_db
def test_the_admin_keeps_its_password(tmp_path: Path, settings: object) -> None:
    settings.DATA_DIR = tmp_path
    first = admin_ensure()
    assert admin_ensure() == first
    assert (tmp_path / "admin_password").stat().st_mode & 0o077 == 0


@pytest.mark.django_db
def test_boards_are_told_that_a_system_is_made_up(client) -> None:
    benchmark = make_benchmark(slug="real")
    system = make_system(slug="made-up", name="Made up", provider="imported", kind="model")
    make_run(system, make_set(benchmark, "real", make_questions(benchmark, [{}] * 4)), "++--")
    assert '<span class="tag">demo</span>' not in client.get("/leaderboard/real/").content.decode()
    mark_as_demo(system)
    assert '<span class="tag">demo</span>' in client.get("/leaderboard/real/").content.decode()
    version = Benchmark.objects.get(slug="real").results_version
    mark_as_demo(system)
    assert Benchmark.objects.get(slug="real").results_version == version
