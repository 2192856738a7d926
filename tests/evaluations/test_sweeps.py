"""Sweeps: one action, several runs that take turns, and a double press that is still refused."""

import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from corpus.models import ActionLog, QuestionSetRevision
from evaluations.errors import CannotBeAskedError, RunAlreadyActiveError
from evaluations.models import Item, Run, System
from evaluations.selectors import board_items
from evaluations.services import sweep_turns
from evaluations.services.asking import ask_until_done
from evaluations.services.runs import run_create, run_pause, run_resume, run_start, run_stop
from evaluations.services.sweep_turns import TURN, queue_waiting_sweeps
from evaluations.services.sweeps import n_variants, parse_dimensions, sweep_create
from tests.fake_servers.server import FakeServer

MakeSystem = Callable[..., System]
TEMPERATURES = parse_dimensions(["temperature=0,0.5,1"])


# What is varied


def test_lines_name_what_is_varied_and_their_values_are_json_or_words() -> None:
    dimensions = parse_dimensions(["temperature = 0, 0.5,1", "", "reasoning_effort=low,high", "top_p=null,0.9"])
    assert dimensions == {
        "temperature": (0, 0.5, 1),
        "reasoning_effort": ("low", "high"),
        "top_p": (None, 0.9),
    }
    assert n_variants(dimensions) == 12


@pytest.mark.parametrize(
    ("listed", "values"),
    [
        ('["a","b"]', (["a", "b"],)),
        ('["a","b"], ["c"], null', (["a", "b"], ["c"], None)),
        ('{"1":2,"3":4},{"1": 5}', ({"1": 2, "3": 4}, {"1": 5})),
        ('"low, or so","high"', ("low, or so", "high")),
        ("low , medium-high,true", ("low", "medium-high", True)),
    ],
)
def test_a_comma_within_a_value_ends_no_value(listed: str, values: tuple[Any, ...]) -> None:
    assert parse_dimensions([f"stop = {listed}"]) == {"stop": values}


@pytest.mark.parametrize(
    "listed", ['["a","b"', '"a","b', '{"1":2,"3"},0', "['a','b']", 'a"', '["a"]x,0', '{"a":1}}', "0,]", '["a"] ["b"]']
)
def test_json_that_is_not_whole_is_refused(listed: str) -> None:
    with pytest.raises(CannotBeAskedError, match="A value of stop is neither JSON nor a word"):
        parse_dimensions([f"stop={listed}"])


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["temperature"], "a name and its values"),
        (["temperature=0,,1"], "a name and its values"),
        (["=0,1"], "a name and its values"),
        (["temperature=0,1", "temperature=2"], "names temperature twice"),
        (["temperature=0,1,0"], "a value of temperature twice"),
        (["temperature=1,1.0"], "a value of temperature twice"),
        (["temperature=0.5,5e-1"], "a value of temperature twice"),
        (["temperature=1,01"], "a value of temperature twice"),
        (["temperature=0," + "[" * 60_000], "nested too deeply"),
        (["prompt_style=instruction@1,poem@3"], "no prompt style 'poem@3'"),
        (["seed=1,two"], "whole number"),
        (["seed=0,true"], "whole number"),
        (["temperature=0,NaN"], "temperature cannot be sent: JSON has no NaN"),
        (["temperature=0,-Infinity"], "temperature cannot be sent: JSON has no NaN"),
        (["temperature=0,1e400"], "temperature cannot be sent: JSON has no NaN"),
        (['effort=low,"\\u0000"'], "effort cannot be sent: This JSON holds a NUL"),
        (['effort=low,"\\ud800"'], "effort cannot be sent: This JSON holds a NUL or half a character"),
        ([f"temperature=0,{'[' * 60}{']' * 60}"], "nests more than"),
        (["repeats=0,1"], "does not vary repeats"),
    ],
)
def test_what_is_no_sweep_is_refused_with_the_reason(lines: list[str], message: str) -> None:
    with pytest.raises(CannotBeAskedError, match=message):
        parse_dimensions(lines)


# Turns


@pytest.fixture
def swept(twenty: QuestionSetRevision, make_system: MakeSystem) -> list[Run]:
    return sweep_create(
        system=make_system("http://127.0.0.1:9/v1"),
        set_revision=twenty,
        dimensions=parse_dimensions(["temperature=0,1", "prompt_style=instruction@1,headings@1"]),
        parameters={"max_tokens": 9},
        repeats=2,
    )


def statuses(runs: list[Run]) -> list[tuple[str, str]]:
    now = Run.objects.in_bulk([run.pk for run in runs])
    return [(now[run.pk].status, now[run.pk].error_code) for run in runs]


WAITS = ("paused", TURN)
NEXT = ("queued", "")


def test_a_sweep_is_every_combination_and_one_of_them_is_queued(swept: list[Run]) -> None:
    assert [(run.parameters, run.prompt_style, run.repeats) for run in swept] == [
        ({"temperature": 0, "max_tokens": 9}, "instruction@1", 2),
        ({"temperature": 0, "max_tokens": 9}, "headings@1", 2),
        ({"temperature": 1, "max_tokens": 9}, "instruction@1", 2),
        ({"temperature": 1, "max_tokens": 9}, "headings@1", 2),
    ]
    assert len({run.sweep for run in swept}) == 1
    assert statuses(swept) == [NEXT, WAITS, WAITS, WAITS]
    assert swept[3].frozen["sweep"] == {
        "position": 3,
        "n_runs": 4,
        "values": {"temperature": 1, "prompt_style": "headings@1"},
    }
    assert swept[3].frozen["prompt"]["protocols"] == ["tag", "heading", "final-answer", "announced", "bare"]


@pytest.mark.parametrize("end", ["finished", "stopped"])
def test_the_end_of_a_run_queues_the_next(swept: list[Run], end: str) -> None:
    first = swept[0]
    if end == "stopped":
        run_stop(run_id=first.pk)
    else:
        Item.objects.filter(run=first).update(status="answered", outcome="right")
        run_start(run_id=first.pk)
        ask_until_done(run_id=first.pk)
    assert statuses(swept) == [(end, ""), NEXT, WAITS, WAITS]
    assert ActionLog.objects.filter(code="run.queued", object_id=str(swept[1].pk)).count() == 1


def test_a_run_that_is_paused_holds_its_sweep_until_it_goes_on_or_is_given_up(swept: list[Run]) -> None:
    run_pause(run_id=swept[0].pk, code="bad_key", reason="The key is refused.")
    assert queue_waiting_sweeps() == 0
    assert statuses(swept) == [("paused", "bad_key"), WAITS, WAITS, WAITS]
    run_resume(run_id=swept[0].pk)
    assert statuses(swept) == [NEXT, WAITS, WAITS, WAITS]
    run_pause(run_id=swept[0].pk, code="bad_key", reason="The key is refused.")
    run_stop(run_id=swept[0].pk)
    assert statuses(swept)[1:] == [NEXT, WAITS, WAITS]


def test_a_run_that_waits_can_be_given_up(swept: list[Run]) -> None:
    run_stop(run_id=swept[1].pk)
    assert [status for status, _ in statuses(swept)] == ["queued", "stopped", "paused", "paused"]
    run_stop(run_id=swept[0].pk)
    assert statuses(swept)[2:] == [NEXT, WAITS]


def test_what_a_crash_left_waiting_is_queued_again(
    swept: list[Run], django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken: list[Any] = []
    monkeypatch.setattr(sweep_turns, "wake_run", lambda run_id: woken.append(run_id))
    Run.objects.filter(pk=swept[0].pk).update(status="finished")
    with django_capture_on_commit_callbacks(execute=True):
        assert queue_waiting_sweeps() == 1
        assert queue_waiting_sweeps() == 0
    assert woken == [swept[1].pk]
    assert statuses(swept)[1:] == [NEXT, WAITS, WAITS]


def test_a_double_press_is_refused_whole(swept: list[Run]) -> None:
    system, revision = swept[0].system, swept[0].set_revision
    with pytest.raises(RunAlreadyActiveError, match="already being asked"):
        sweep_create(system=system, set_revision=revision, dimensions=TEMPERATURES)
    with pytest.raises(RunAlreadyActiveError):
        run_create(system=system, set_revision=revision)
    assert Run.objects.count() == 4


def test_two_sweeps_of_one_system_take_turns_as_well(swept: list[Run]) -> None:
    run_pause(run_id=swept[0].pk, reason="lunch")
    second = sweep_create(system=swept[0].system, set_revision=swept[0].set_revision, dimensions=TEMPERATURES)
    assert [status for status, _ in statuses(second)] == ["queued", "paused", "paused"]
    with pytest.raises(RunAlreadyActiveError):
        run_resume(run_id=swept[0].pk)
    for run in second:
        run_stop(run_id=run.pk)
    assert [status for status, _ in statuses(second)] == ["stopped"] * 3
    assert statuses(swept)[0] == ("paused", "")


@pytest.mark.parametrize(
    ("dimensions", "message"),
    [
        ({}, "at least two values"),
        ({"temperature": (0,)}, "at least two values"),
        ({"temperature": tuple(range(51))}, "of 51 runs; at most 50"),
        ({"messages": ("a", "b")}, "'messages' is set by the site"),
        ({"timeout_seconds": (5, 0)}, "timeout_seconds"),
    ],
)
def test_a_sweep_that_cannot_be_asked_makes_no_run(
    twenty: QuestionSetRevision, make_system: MakeSystem, dimensions: dict[str, Any], message: str
) -> None:
    with pytest.raises(CannotBeAskedError, match=message):
        sweep_create(system=make_system(), set_revision=twenty, dimensions=dimensions)
    assert not Run.objects.exists()
    assert not Item.objects.exists()


# On a board


def shown_run(system: System, revision: QuestionSetRevision) -> Any:
    roots = list(revision.members.values_list("question_revision_id", flat=True))
    (run,) = board_items(root_ids=roots, rule="standard", system_ids=[system.pk]).runs
    return run.run_id


def answered(run: Run) -> Run:
    Item.objects.filter(run=run).update(status="answered", outcome="right", rule="standard@1", credit=1)
    Run.objects.filter(pk=run.pk).update(status="finished")
    return run


def test_a_run_of_a_sweep_does_not_take_the_place_of_another_on_a_board(
    twenty: QuestionSetRevision, make_system: MakeSystem
) -> None:
    system = make_system()
    alone = answered(run_create(system=system, set_revision=twenty))
    swept = sweep_create(system=system, set_revision=twenty, dimensions=TEMPERATURES)
    for run in swept:
        answered(run)
    assert shown_run(system, twenty) == alone.pk
    alone.items.filter(position=0).update(outcome="")
    assert shown_run(system, twenty) == swept[-1].pk
    newer = answered(run_create(system=system, set_revision=twenty))
    assert shown_run(system, twenty) == newer.pk


# From the command line


@pytest.mark.django_db(transaction=True)
def test_the_command_asks_a_sweep_one_run_after_the_other(twenty: QuestionSetRevision, make_system: MakeSystem) -> None:
    with FakeServer() as server:
        system = make_system(server.base_url)
        out = StringIO()
        call_command(
            "evaluate",
            system=system.slug,
            question_set=twenty.question_set.slug,
            sweep=["temperature=0,1", "prompt_style=instruction@1,instruction-plain@1"],
            inline=True,
            json=True,
            stdout=out,
            stderr=StringIO(),
        )
    report = json.loads(out.getvalue())
    assert [run["status"] for run in report["runs"]] == ["finished"] * 4
    assert [run["outcomes"]["right"] for run in report["runs"]] == [20] * 4
    assert report["runs"][2]["values"] == {"temperature": 1, "prompt_style": "instruction@1"}
    assert Run.objects.filter(sweep=report["sweep"]).count() == 4
    assert [call.body["temperature"] for call in server.calls].count(1) == 40


def test_the_command_says_what_is_wrong_with_a_sweep(twenty: QuestionSetRevision, make_system: MakeSystem) -> None:
    with pytest.raises(CommandError, match="at least two values"):
        call_command(
            "evaluate",
            system=make_system().slug,
            question_set=twenty.question_set.slug,
            sweep=["temperature=0"],
            stderr=StringIO(),
        )
