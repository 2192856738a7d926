"""Hosts whose clocks differ: what is compared with a time by the database's clock has to be by that clock too."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import timezone

from corpus.models import QuestionSetRevision
from evaluations import database_clock
from evaluations.models import Item, Run, System
from evaluations.selectors import run_progress
from evaluations.selectors.items import why_no_reply
from evaluations.services.asking import ask_until_done
from evaluations.services.asking_loop import BEAT_SECONDS
from evaluations.services.claims import remaining
from evaluations.services.runs import run_create, run_start, run_stop
from tests.fake_servers.server import FakeServer, error_fault

MakeSystem = Callable[..., System]
HOUR = timedelta(hours=1)


@pytest.fixture(params=[-HOUR, timedelta(), HOUR], ids=["behind", "alike", "ahead"])
def _other_clock(request: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """This host's clock is off; the database's is right."""
    real = timezone.now
    monkeypatch.setattr(database_clock, "timezone", SimpleNamespace(now=real))
    monkeypatch.setattr(timezone, "now", lambda: real() + request.param)


def within(seconds: float) -> Callable[[], bool]:
    """Return what ends a run that asks without end."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


@pytest.mark.usefixtures("_other_clock")
def test_tries_are_counted_since_the_run_was_queued(
    twenty: QuestionSetRevision, make_system: MakeSystem, settings: Any
) -> None:
    settings.EVALUATION_TRIES = 3
    with FakeServer(fault=lambda prompt, number: error_fault(503, "down")) as server:
        run = run_create(system=make_system(server.base_url), set_revision=twenty)
        ask_until_done(run_id=run.pk, stop_requested=within(20))
    run.refresh_from_db()
    assert (len(server.calls), run.status) == (3, Run.Status.PAUSED)


@pytest.mark.usefixtures("_other_clock")
def test_questions_given_up_since_the_last_answer_pause_the_run(
    twenty: QuestionSetRevision, make_system: MakeSystem, settings: Any
) -> None:
    settings.EVALUATION_TRIES = 2
    with FakeServer(fault=lambda prompt, number: None if "Question 1:" in prompt else error_fault(503, "x")) as server:
        run = run_create(system=make_system(server.base_url, concurrency=1), set_revision=twenty)
        ask_until_done(run_id=run.pk, stop_requested=within(20))
    run.refresh_from_db()
    assert run.status == Run.Status.PAUSED
    # Those that were under way beside the third may run out of tries with it.
    assert 3 <= run.items.filter(status=Item.Status.FAILED).count() < 8


@pytest.fixture
def waiting(twenty: QuestionSetRevision, make_system: MakeSystem) -> Item:
    """The first item of a running run, which failed once and waits for a minute."""
    run = run_create(system=make_system("http://127.0.0.1:9/v1"), set_revision=twenty)
    run_start(run_id=run.pk)
    item = run.items.all()[0]
    now = database_clock.database_now()
    run.items.exclude(pk=item.pk).update(status=Item.Status.ANSWERED, answered_at=now, outcome="right")
    run.items.filter(pk=item.pk).update(not_before=now + timedelta(seconds=60))
    item.other_attempts.create(lease_token=run.pk, kind="error", error_code="503")
    item.refresh_from_db()
    return item


@pytest.mark.usefixtures("_other_clock")
def test_what_a_person_is_told_of_a_retry(waiting: Item) -> None:
    retrying = run_progress(run=waiting.run).retrying
    assert retrying is not None
    assert (retrying.n_items, retrying.try_number) == (1, 2)
    assert 50 < retrying.seconds <= 60
    assert why_no_reply(waiting).startswith("It failed before")


@pytest.mark.usefixtures("_other_clock")
def test_a_worker_sleeps_until_a_question_is_due(waiting: Item) -> None:
    left = remaining(run_id=waiting.run_id)
    assert left.seconds_until_due is not None
    assert 50 < left.seconds_until_due <= 60
    Item.objects.filter(pk=waiting.pk).update(not_before=database_clock.database_now() + timedelta(seconds=0.4))
    soon = remaining(run_id=waiting.run_id).seconds_until_due
    assert soon is not None
    assert soon < BEAT_SECONDS


@pytest.mark.usefixtures("_other_clock")
def test_a_stopped_run_ends_after_it_began(waiting: Item) -> None:
    run = run_stop(run_id=waiting.run_id)
    assert isinstance(run.started_at, datetime)
    assert isinstance(run.finished_at, datetime)
    assert timedelta() <= run.finished_at - run.started_at < timedelta(minutes=1)
