"""A run's life: frozen when it is made, one active run per system and set, only legal changes of status."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth import get_user_model
from django.db import IntegrityError, transaction

from corpus.models import ActionLog, Benchmark, QuestionSetRevision
from evaluations.errors import CannotBeAskedError, NothingToAskError, RunAlreadyActiveError, RunStateError
from evaluations.models import Item, Run, System
from evaluations.services import runs
from evaluations.services.run_making import run_insert
from evaluations.services.runs import (
    run_create,
    run_finish,
    run_heartbeat,
    run_pause,
    run_resume,
    run_start,
    run_stop,
)
from evaluations.services.systems import ensure_random_system
from tests.corpus.factories import make_benchmark, make_set

MakeSystem = Callable[..., System]


def results_version(run: Run) -> int:
    return Benchmark.objects.get(pk=run.set_revision.question_set.benchmark_id).results_version


def test_a_run_is_frozen_with_one_item_per_question_and_repeat(
    twenty: QuestionSetRevision, make_system: MakeSystem
) -> None:
    system = make_system("http://127.0.0.1:9/v1", parameters={"max_tokens": 100}, api_key_variable="TEST_API_KEY")
    user = get_user_model().objects.create(username="ada")
    run = run_create(system=system, set_revision=twenty, parameters={"top_p": 1}, seed=3, repeats=2, requested_by=user)
    assert run.status == Run.Status.QUEUED
    assert run.parameters == {"temperature": 0, "max_tokens": 100, "top_p": 1}
    assert run.frozen["provider"] == "openai_chat"
    assert run.frozen["model_id"] == "model-x"
    assert run.frozen["base_url"] == "http://127.0.0.1:9/v1"
    assert (run.frozen["reader"], run.frozen["rule"]) == ("standard@1", "standard@1")
    assert run.frozen["packages"]["openai"]
    assert "[ANSWER]" in run.frozen["prompt_template"]
    assert run.items.count() == 40
    assert list(run.items.values_list("position", "repeat")[:3]) == [(0, 0), (0, 1), (1, 0)]
    assert ActionLog.objects.get(code="run.queued", object_id=str(run.pk)).actor == user
    assert results_version(run) == 1


def test_what_a_run_was_made_with_stays_when_the_system_changes(
    twenty: QuestionSetRevision, make_system: MakeSystem
) -> None:
    system = make_system(parameters={"max_tokens": 100})
    run = run_create(system=system, set_revision=twenty)
    System.objects.filter(pk=system.pk).update(model_id="other", provider="random", parameters={})
    run.refresh_from_db()
    assert (run.frozen["model_id"], run.frozen["provider"]) == ("model-x", "openai_chat")
    assert run.parameters["max_tokens"] == 100


def test_a_second_press_is_told_and_makes_no_second_run(twenty: QuestionSetRevision, make_system: MakeSystem) -> None:
    system = make_system()
    run_create(system=system, set_revision=twenty)
    with pytest.raises(RunAlreadyActiveError, match="already being asked"):
        run_create(system=system, set_revision=twenty)
    assert Run.objects.count() == 1
    assert Item.objects.count() == 20


def test_another_rule_of_the_database_is_not_told_as_a_second_press(
    twenty: QuestionSetRevision, make_system: MakeSystem
) -> None:
    with pytest.raises(IntegrityError, match="run_repeats_from_one"):
        run_insert(Run(system=make_system(), set_revision=twenty, repeats=0))


def test_the_database_itself_refuses_a_second_active_run(twenty: QuestionSetRevision, make_system: MakeSystem) -> None:
    run = run_create(system=make_system(), set_revision=twenty)
    with pytest.raises(IntegrityError), transaction.atomic():
        Run.objects.create(system=run.system, set_revision=twenty)


@pytest.mark.parametrize(
    ("fields", "parameters", "message"),
    [
        ({"provider": "imported"}, {}, "no provider 'imported'"),
        ({"provider": "openai_chat", "model_id": ""}, {}, "names no model"),
        ({"base_url": "http://user:secret@127.0.0.1/v1"}, {}, "environment variable"),
        ({}, {"messages": []}, "'messages' is set by the site"),
        ({}, {"timeout_seconds": 0}, "timeout_seconds"),
        ({}, {"timeout_seconds": "soon"}, "timeout_seconds"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_the_reason(
    twenty: QuestionSetRevision, fields: dict[str, Any], parameters: dict[str, Any], message: str
) -> None:
    values = {"slug": "s", "name": "S", "provider": "openai_chat", "model_id": "m", **fields}
    system = System.objects.create(**values)
    with pytest.raises(CannotBeAskedError, match=message):
        run_create(system=system, set_revision=twenty, parameters=parameters)
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"repeats": 0}, "from 1 to 100 times, not 0"),
        ({"repeats": -1}, "from 1 to 100 times, not -1"),
        ({"repeats": 101}, "from 1 to 100 times, not 101"),
        ({"parameters": {"temperature": float("nan")}}, "JSON has no NaN"),
        ({"parameters": {"stop": ["\x00"]}}, "holds a NUL"),
    ],
)
def test_what_no_database_keeps_is_refused_with_the_reason(
    twenty: QuestionSetRevision, make_system: Callable[..., System], fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(CannotBeAskedError, match=message):
        run_create(system=make_system(provider="random"), set_revision=twenty, **fields)
    assert not Run.objects.exists()


def test_an_unknown_prompt_style_and_an_empty_set_are_refused(
    twenty: QuestionSetRevision, make_system: MakeSystem
) -> None:
    with pytest.raises(CannotBeAskedError, match="instruction@1"):
        run_create(system=make_system(), set_revision=twenty, prompt_style="poem@7")
    empty = make_set(make_benchmark()).current_revision
    assert empty is not None
    with pytest.raises(NothingToAskError):
        run_create(system=make_system(), set_revision=empty)
    assert not Run.objects.exists()


def test_workers_are_woken_on_commit_only(
    twenty: QuestionSetRevision,
    make_system: MakeSystem,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    woken: list[Any] = []
    monkeypatch.setattr(runs, "wake_run", lambda run_id: woken.append(run_id))
    with django_capture_on_commit_callbacks(execute=True):
        run = run_create(system=make_system(), set_revision=twenty)
        assert woken == []
    assert woken == [run.pk]


def test_an_unreachable_queue_loses_no_run(
    twenty: QuestionSetRevision, make_system: MakeSystem, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        run = run_create(system=make_system(), set_revision=twenty)
    assert Run.objects.get(pk=run.pk).status == Run.Status.QUEUED


ALLOWED = {
    "pause": {"queued", "running"},
    "stop": {"queued", "running", "paused"},
    "resume": {"paused", "stopped", "incomplete"},
}
LEADS_TO = {"pause": "paused", "stop": "stopped", "resume": "queued"}


@pytest.mark.parametrize("status", Run.Status.values)
@pytest.mark.parametrize("action", ["pause", "stop", "resume"])
def test_only_legal_changes_of_status(
    twenty: QuestionSetRevision, make_system: MakeSystem, status: str, action: str
) -> None:
    run = run_create(system=make_system(), set_revision=twenty)
    Run.objects.filter(pk=run.pk).update(status=status)
    before = results_version(run)
    act = {"pause": run_pause, "stop": run_stop, "resume": run_resume}[action]
    if status in ALLOWED[action]:
        assert act(run_id=run.pk).status == LEADS_TO[action]
        assert results_version(run) == before + 1
        assert ActionLog.objects.filter(code__startswith=f"run.{action}", object_id=str(run.pk)).count() == 1
    else:
        with pytest.raises(RunStateError, match="this can be done while"):
            act(run_id=run.pk)
        assert Run.objects.get(pk=run.pk).status == status
        assert results_version(run) == before


def test_resuming_beside_another_active_run_is_refused_whole(
    twenty: QuestionSetRevision, make_system: MakeSystem
) -> None:
    system = make_system()
    first = run_create(system=system, set_revision=twenty)
    run_pause(run_id=first.pk, reason="lunch")
    run_create(system=system, set_revision=twenty)
    with pytest.raises(RunAlreadyActiveError):
        run_resume(run_id=first.pk)
    first.refresh_from_db()
    assert (first.status, first.error_message) == (Run.Status.PAUSED, "lunch")


def test_starting_is_for_queued_and_running_runs(twenty: QuestionSetRevision, make_system: MakeSystem) -> None:
    run = run_create(system=make_system(), set_revision=twenty)
    assert not run_heartbeat(run_id=run.pk)
    assert run_start(run_id=run.pk)
    assert run_start(run_id=run.pk), "a second worker may join"
    assert run_heartbeat(run_id=run.pk)
    run_pause(run_id=run.pk)
    assert not run_start(run_id=run.pk)
    assert not run_start(run_id=uuid4())


@pytest.mark.parametrize(
    ("statuses", "outcome", "ends"),
    [
        ({"answered"}, "right", "finished"),
        ({"answered", "failed"}, "right", "incomplete"),
        ({"answered"}, "", "incomplete"),
        ({"answered", "waiting"}, "right", None),
        ({"answered", "leased"}, "right", None),
    ],
)
def test_how_a_run_ends(
    twenty: QuestionSetRevision, make_system: MakeSystem, statuses: set[str], outcome: str, ends: str | None
) -> None:
    run = run_create(system=make_system(), set_revision=twenty)
    run_start(run_id=run.pk)
    run.items.update(status="answered", outcome=outcome)
    for status in statuses - {"answered"}:
        item = run.items.order_by("pk").last()
        assert item is not None
        item.status, item.lease_token, item.lease_until = status, uuid4(), run.queued_at
        item.save()
    assert run_finish(run_id=run.pk) == ends
    run.refresh_from_db()
    assert run.status == (ends or "running")
    assert (run.finished_at is not None) is (ends is not None)


def test_resuming_asks_only_what_is_lacking(twenty: QuestionSetRevision, make_system: MakeSystem) -> None:
    run = run_create(system=make_system(), set_revision=twenty)
    run.items.update(status="answered", outcome="right", completion="kept")
    failed = run.items.order_by("pk")[7]
    Item.objects.filter(pk=failed.pk).update(status="failed", outcome="error", error_code="timeout", completion="")
    Run.objects.filter(pk=run.pk).update(status="incomplete")
    run_resume(run_id=run.pk)
    assert list(run.items.filter(status="waiting").values_list("pk", "outcome", "error_code")) == [(failed.pk, "", "")]
    assert run.items.filter(status="answered", outcome="right", completion="kept").count() == 19


def test_resuming_a_paused_run_whose_last_replies_came_meanwhile_finishes_it(
    twenty: QuestionSetRevision, make_system: MakeSystem
) -> None:
    run = run_create(system=make_system(), set_revision=twenty)
    run.items.update(status="answered", outcome="wrong")
    run_pause(run_id=run.pk)
    assert run_resume(run_id=run.pk).status == Run.Status.FINISHED


def test_the_random_system_is_made_once(db: None) -> None:
    assert ensure_random_system().pk == ensure_random_system().pk
    assert System.objects.get().kind == System.Kind.BASELINE
