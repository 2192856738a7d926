"""Completions made elsewhere: taken whole or not at all, once, and judged like a worker's replies."""

import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError

from corpus.models import QuestionSetRevision
from evaluations.models import Item, Run, Submission, SubmittedCompletion, System
from evaluations.services import completion_import
from evaluations.services.asking import ask_until_done
from evaluations.services.completion_import import CompletionsRefusedError, Received, submission_create
from evaluations.services.prompt_export import export_lines
from evaluations.services.runs import run_create
from tests.corpus.factories import make_question, make_set_revision
from tests.evaluations.completions import (
    RIGHT,
    STYLE,
    file_of,
    header_of,
    lines_of,
)


def taken(content: bytes, bank: QuestionSetRevision, system: System, **more: Any) -> Received:
    return submission_create(content=content, system=system, set_revision=bank, **({"style_name": STYLE} | more))


def refused(content: bytes, bank: QuestionSetRevision, system: System, **more: Any) -> list[tuple[int, str]]:
    with pytest.raises(CompletionsRefusedError) as caught:
        taken(content, bank, system, **more)
    assert not Submission.objects.exists()
    assert not SubmittedCompletion.objects.exists()
    return [(problem.line, problem.code) for problem in caught.value.problems]


def test_a_file_waits_for_its_review(bank, system) -> None:
    received = taken(file_of(header_of(bank), *lines_of(RIGHT, seconds=2)), bank, system)
    assert (received.is_new, received.n_completions, received.n_questions, received.missing) == (True, 3, 3, ())
    assert received.submission.status == "waiting"
    assert not Run.objects.exists()
    stored = received.submission.completions.values_list("question_revision__question__key", "completion", "facts")
    assert list(stored) == [(key, text, {"seconds": 2.0}) for key, text in RIGHT.items()]


def test_exported_lines_come_back_with_a_completion(bank, system) -> None:
    header, *lines = map(json.loads, export_lines(set_revision=bank, style_name=STYLE, repeats=2))
    content = file_of(header, *(line | {"completion": RIGHT[line["key"]]} for line in lines))
    received = taken(content, bank, system)
    assert (received.n_completions, received.repeats, received.missing, received.notes) == (6, 2, (), ())


def test_the_same_completions_are_taken_once(bank, system, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = lines_of(RIGHT)
    first = taken(file_of(*lines), bank, system)
    again = taken(file_of(*reversed(lines)), bank, system)
    assert (again.is_new, again.submission) == (False, first.submission)
    other = taken(file_of(*lines_of(RIGHT | {"q-other": "[ANSWER]B[/ANSWER]"})), bank, system)
    assert other.is_new
    # Two at once: the second one's look came before the first one's row.
    first_of = completion_import.Submission.objects.none().__class__.first
    looks = iter([None])
    monkeypatch.setattr(
        completion_import.Submission.objects.none().__class__, "first", lambda rows: next(looks, first_of(rows))
    )
    late = taken(file_of(*lines), bank, system)
    assert (late.is_new, late.submission) == (False, first.submission)
    assert Submission.objects.count() == 2


def test_what_was_rejected_may_be_sent_again(bank, system) -> None:
    content = file_of(*lines_of(RIGHT))
    Submission.objects.filter(pk=taken(content, bank, system).submission.pk).update(status="rejected")
    assert taken(content, bank, system).is_new


def test_missing_questions_and_repeats_are_named(bank, system) -> None:
    lines = [*lines_of(RIGHT), {"key": "q-choice", "completion": "A", "repeat": 1}]
    assert taken(file_of(*lines), bank, system).missing == ("q-number", "q-other")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"set": "another"}, "wrong-set"),
        ({"set_hash": "0" * 64}, "wrong-revision"),
        ({"set_hash": ["x"]}, "wrong-revision"),
        ({"set_revision": 2}, "wrong-revision"),
        ({"prompt_style": "headings@1"}, "wrong-style"),
        ({"prompts_hash": "0" * 64}, "wrong-prompts"),
        ({"facts": [1]}, "bad-facts"),
        ({"facts": {"note": "x" * 20_001}}, "bad-facts"),
        ({"facts": {"note": "\x00"}}, "bad-facts"),
        ({"facts": {"parameters": {"api_key": "x"}}}, "key-in-facts"),
        ({"facts": {"note": ["sk-canary-0123456789abcdef"]}}, "key-in-facts"),
    ],
)
def test_facts_of_something_else_refuse_the_file(bank, system, change: dict[str, Any], code: str) -> None:
    assert refused(file_of(header_of(bank, **change), *lines_of(RIGHT)), bank, system) == [(1, code)]


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ({"key": "q-elsewhere", "completion": "A"}, "unknown-key"),
        ({"key": "q-other", "completion": "A", "revision": 2}, "wrong-revision"),
        ({"key": "q-other", "completion": "A", "prompt": "Another prompt"}, "wrong-prompt"),
        ({"key": "q-other", "completion": "A", "options": []}, "wrong-options"),
        ({"key": "q-number", "completion": "A"}, "double"),
        ({"key": "q-other"}, "no-completion"),
    ],
)
def test_a_bad_line_refuses_the_file(bank, system, bad: dict[str, Any], code: str) -> None:
    lines = [*lines_of({key: RIGHT[key] for key in ("q-choice", "q-number")}), bad]
    assert refused(file_of(header_of(bank), *lines), bank, system) == [(4, code)]


def test_every_bad_line_is_told_in_order(bank, system) -> None:
    content = b"\n".join([b"{", *(json.dumps(line).encode() for line in lines_of({"q-x": "A", "q-choice": "A"})), b"["])
    assert refused(content, bank, system) == [(1, "not-json"), (2, "unknown-key"), (4, "not-json")]


def test_options_in_another_order_are_refused(bank, system) -> None:
    header, first, *_ = map(json.loads, export_lines(set_revision=bank, style_name=STYLE))
    first["options"] = [
        option | {"letter": letter} for option, letter in zip(reversed(first["options"]), "ABCD", strict=True)
    ]
    assert refused(file_of(header, first | {"completion": "A"}), bank, system) == [(2, "wrong-options")]


def test_an_older_revision_is_named_and_can_be_asked_for(bank, system) -> None:
    content = file_of(header_of(bank), *lines_of(RIGHT))
    question = make_question(bank.question_set.benchmark, key="q-new")
    newer = make_set_revision(bank.question_set, [question])
    assert refused(content, newer, system)[0] == (1, "wrong-revision")
    with pytest.raises(CompletionsRefusedError, match="answer revision 1 of the set outside; here it is revision 2"):
        taken(content, newer, system)
    assert taken(content, bank, system).is_new


def test_who_must_state_the_revision_is_told(bank, system) -> None:
    assert refused(file_of(*lines_of(RIGHT)), bank, system, needs_revision=True) == [(0, "no-revision")]
    assert taken(file_of(header_of(bank), *lines_of(RIGHT)), bank, system, needs_revision=True).is_new


def test_a_failure_half_way_stores_nothing(bank, system, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**kwargs: Any) -> None:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(completion_import, "action_log", fail)
    with pytest.raises(RuntimeError, match="disk"):
        taken(file_of(*lines_of(RIGHT)), bank, system)
    assert not Submission.objects.exists()
    assert not SubmittedCompletion.objects.exists()


def test_the_database_refuses_the_same_completions_twice(bank, system) -> None:
    facts = {"system": system, "set_revision": bank, "prompt_style": STYLE, "content_hash": "0" * 64}
    Submission.objects.create(**facts)
    with pytest.raises(IntegrityError):
        Submission.objects.create(**facts)


def imported(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    call_command("import_completions", *arguments, "--set", "outside", "--json")
    return json.loads(capsys.readouterr().out)


def test_verdicts_are_those_of_a_worker(bank, system, tmp_path, capsys) -> None:
    """What the random baseline said to a worker is sent in as a file: every stored fact of the verdicts is the same."""
    asked_system = System.objects.create(slug="random-here", name="Random", provider="random")
    asked = run_create(system=asked_system, set_revision=bank, wake=False, seed=5)
    ask_until_done(run_id=asked.pk)
    file = tmp_path / "completions.jsonl"
    replies = dict(asked.items.values_list("question_revision__question__key", "completion"))
    assert len(replies) == 3
    file.write_bytes(file_of(header_of(bank), *lines_of(replies, finish_reason="stop")))
    report = imported(capsys, str(file), "--system", "agent", "--accept")
    assert (report["status"], report["run_status"]) == ("accepted", "finished")
    columns = ["question_revision", "prompt", "options_shown", "completion", "finish_reason", "outcome", "rule"]
    columns += ["readings__reader", "readings__span_start", "scores__reason", "scores__credit"]
    sent_in = Item.objects.filter(run=report["run"])
    assert list(sent_in.values_list(*columns)) == list(asked.items.values_list(*columns))


def test_the_command_takes_a_file_once_and_accepts_it_later(bank, system, tmp_path, capsys) -> None:
    file = tmp_path / "completions.jsonl"
    file.write_bytes(file_of(header_of(bank), *lines_of({"q-choice": "[ANSWER]A[/ANSWER]"})))
    waiting = imported(capsys, str(file), "--system", "agent")
    assert (waiting["status"], waiting["is_new"], waiting["run"]) == ("waiting", True, None)
    assert waiting["missing"] == ["q-number", "q-other"]
    accepted = imported(capsys, str(file), "--system", "agent", "--accept")
    assert (accepted["submission"], accepted["is_new"]) == (waiting["submission"], False)
    assert (accepted["run_status"], accepted["outcomes"]["right"]) == ("incomplete", 1)
    assert imported(capsys, str(file), "--system", "agent", "--accept")["run"] == accepted["run"]
    assert Run.objects.count() == 1


def test_the_command_refuses_with_line_numbers(bank, system, tmp_path, capsys) -> None:
    file = tmp_path / "completions.jsonl"
    file.write_bytes(b"{\n" + file_of(*lines_of({"q-x": "A"})))
    with pytest.raises(CommandError, match="2 problems in .*nothing was stored"):
        call_command("import_completions", str(file), "--system", "agent", "--set", "outside")
    said = capsys.readouterr().err
    assert "line 1: not-json:" in said
    assert "line 2: unknown-key:" in said
    with pytest.raises(CommandError):
        call_command("import_completions", str(file), "--system", "agent", "--set", "outside", "--json")
    problems = json.loads(capsys.readouterr().out)["problems"]
    assert [(problem["line"], problem["code"]) for problem in problems] == [(1, "not-json"), (2, "unknown-key")]


def test_the_command_makes_a_system_that_it_may_name(bank, tmp_path, capsys) -> None:
    file = tmp_path / "completions.jsonl"
    file.write_bytes(file_of(*lines_of({"q-x": "A"})))
    with pytest.raises(CommandError, match="no system 'new'"):
        call_command("import_completions", str(file), "--system", "new", "--set", "outside")
    with pytest.raises(CommandError, match="1 problems"):
        call_command("import_completions", str(file), "--system", "new", "--name", "New", "--set", "outside")
    assert not System.objects.filter(slug="new").exists()
    file.write_bytes(file_of(*lines_of(RIGHT)))
    capsys.readouterr()
    assert imported(capsys, str(file), "--system", "new", "--name", "New")["system"] == "new"
    assert System.objects.get(slug="new").provider == "submitted"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["/nowhere", "--system", "agent", "--set", "outside"], "cannot be read"),
        ([__file__, "--system", "agent", "--set", "nowhere"], "no question set"),
        ([__file__, "--system", "agent", "--set", "outside", "--revision", "9"], "no revision 9. It has: 1"),
        ([__file__, "--system", "no slug", "--name", "New", "--set", "outside"], "slug"),
    ],
)
def test_the_command_says_what_is_wrong(bank, system, arguments: list[str], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("import_completions", *arguments)


def test_a_key_among_the_facts_is_not_repeated(bank, system) -> None:
    content = file_of(header_of(bank, facts={"parameters": {"api_key": "canary-0123"}}), *lines_of(RIGHT))
    with pytest.raises(CompletionsRefusedError, match="leave it out") as caught:
        taken(content, bank, system)
    assert "canary" not in str(caught.value)
