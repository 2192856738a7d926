"""The health page says which part is wrong, and never hangs."""

from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import override_settings
from redis.exceptions import ConnectionError as QueueError

from chembench_site import embedded_queue, health

pytestmark = pytest.mark.django_db


def queues_at(url: str) -> dict[str, Any]:
    return {name: {"URL": url} for name in ("default", "evaluations")}


def test_everything_answers(client: Client, tmp_path: Path) -> None:
    embedded_queue.ensure_running(tmp_path)
    try:
        with override_settings(RQ_QUEUES=queues_at(embedded_queue.socket_url(tmp_path))):
            response = client.get("/healthz")
    finally:
        embedded_queue.stop(tmp_path)
    assert response.status_code == 200
    assert response.json() == {"status": "ok", "database": "ok", "queue": "ok", "workers": 0}
    assert "no-store" in response["Cache-Control"]


def test_pages_are_served_without_the_queue(client: Client, tmp_path: Path) -> None:
    with override_settings(RQ_QUEUES=queues_at(embedded_queue.socket_url(tmp_path))):
        response = client.get("/healthz")
    assert response.status_code == 200
    assert response.json() == {"status": "degraded", "database": "ok", "queue": "unreachable", "workers": None}


def test_pending_migrations_fail_the_check(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "queue_state", lambda: ("ok", 1))
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'leaderboard'")
    response = client.get("/healthz")
    assert response.status_code == 503
    assert response.json()["database"] == "migrations pending"


def test_client_gives_up_at_once(tmp_path: Path) -> None:
    with override_settings(RQ_QUEUES=queues_at("redis://127.0.0.1:1/0")), pytest.raises(QueueError):
        health.queue_client().ping()


def test_posting_is_refused(client: Client) -> None:
    assert client.post("/healthz").status_code == 405
