"""The commands `evaluate` and `resume_run`, in this process."""

import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from corpus.models import QuestionSet, QuestionSetRevision
from corpus.scoring.types import Outcome
from evaluations.management.commands import evaluate
from evaluations.models import Run, System
from evaluations.selectors.workers import WORKER_COMMAND
from evaluations.services.asking import ask_until_done
from tests.fake_servers.server import FakeServer, error_fault


@pytest.fixture
def slug(twenty: QuestionSetRevision) -> str:
    return QuestionSet.objects.get(pk=twenty.question_set_id).slug


def report(*arguments: str) -> dict[str, Any]:
    out = StringIO()
    call_command(*arguments, "--json", stdout=out, stderr=StringIO())
    printed = json.loads(out.getvalue())
    assert isinstance(printed, dict)
    return printed


def test_random_inline_needs_neither_system_nor_queue(slug: str) -> None:
    printed = report("evaluate", "--system", "random", "--set", slug, "--inline", "--repeats", "2")
    assert printed["status"] == "finished"
    assert (printed["n_items"], printed["asked"]) == (40, 40)
    assert set(printed["outcomes"]) == {outcome.value for outcome in Outcome}
    assert printed["outcomes"]["right"] + printed["outcomes"]["wrong"] == 40
    assert printed["seconds"] > 0
    assert printed["run"] == str(Run.objects.get().pk)


def test_without_wait_the_run_is_queued_and_that_is_no_failure(slug: str) -> None:
    printed = report("evaluate", "--system", "random", "--set", slug)
    assert (printed["status"], printed["asked"], printed["n_items"]) == ("queued", 0, 20)


def test_waiting_without_a_worker_says_how_to_start_one(slug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "_REPORT_SECONDS", 0)
    monkeypatch.setattr(evaluate, "_LOOK_SECONDS", 0)
    monkeypatch.setattr(evaluate, "wake_stalled_runs", lambda: Run.objects.update(status=Run.Status.STOPPED))
    errors = StringIO()
    with pytest.raises(CommandError, match="stopped"):
        call_command("evaluate", "--system", "random", "--set", slug, "--wait", stdout=StringIO(), stderr=errors)
    assert f"Start one in a second terminal: {WORKER_COMMAND}" in errors.getvalue()


def test_a_run_that_does_not_finish_is_a_failure_with_its_reason_and_can_be_resumed(
    slug: str, make_system: Callable[..., System]
) -> None:
    with FakeServer(fault=lambda prompt, nth: error_fault(404, "no such model") if nth == 1 else None) as server:
        make_system(server.base_url)
        out = StringIO()
        with pytest.raises(CommandError, match="paused.*no such model"):
            call_command(
                "evaluate", "--system", "system-1", "--set", slug, "--inline", "--json", stdout=out, stderr=StringIO()
            )
        printed = json.loads(out.getvalue())
        assert (printed["status"], printed["asked"]) == ("paused", 1)
        assert report("resume_run", printed["run"])["status"] == "queued"
        assert report("resume_run", printed["run"])["status"] == "queued", "waking workers again does no harm"
        server.fault = lambda prompt, nth: None
        run = Run.objects.get()
        ask_until_done(run_id=run.pk)
    with pytest.raises(CommandError, match="is finished"):
        report("resume_run", printed["run"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("evaluate", "--system", "nobody", "--set", "{slug}"), "no system 'nobody'"),
        (("evaluate", "--system", "random", "--set", "nothing"), "no question set 'nothing'"),
        (("resume_run",), "--stalled"),
        (("resume_run", "00000000-0000-0000-0000-000000000000"), "There is no run"),
    ],
)
def test_what_is_not_there_is_named(slug: str, arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        report(*[argument.format(slug=slug) for argument in arguments])


def test_a_second_run_at_the_same_time_is_refused(slug: str) -> None:
    report("evaluate", "--system", "random", "--set", slug)
    with pytest.raises(CommandError, match="already being asked"):
        report("evaluate", "--system", "random", "--set", slug)


def test_stalled_runs_are_counted(slug: str) -> None:
    assert report("resume_run", "--stalled") == {"woken": 0}
