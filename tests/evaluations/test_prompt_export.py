"""Prompts written out for systems that are asked elsewhere: everything that was asked, nothing of the key."""

import json

import pytest
from django.core.management import CommandError, call_command

from corpus.models import Option, QuestionRevision, QuestionSetRevision
from evaluations.errors import CannotBeAskedError
from evaluations.models import System
from evaluations.prompts import prompt_style, prompt_style_names
from evaluations.services.prompt_export import export_lines
from tests.corpus.factories import make_benchmark, make_question, make_set

CANARY = "CANARY GUID 1b0c3e7a-0000-4000-8000-5e1f"
LINE_FIELDS = {"key", "revision", "repeat", "kind", "prompt", "options", "canary"}
HEADER_FIELDS = {
    "format",
    "benchmark",
    "benchmark_version",
    "canary",
    "set",
    "set_revision",
    "set_hash",
    "prompt_style",
    "prompts_hash",
    "n_questions",
    "repeats",
    "left_out",
    "code_commit",
}
HOSTILE = 'line one\nline "two"\r\u2028\u2029\x85 </script> \\ {"key": 1} {0} %s \U0001f9ea'


@pytest.fixture
def bank(db: None) -> QuestionSetRevision:
    """A choice, a number and a text question, and one whose words want to break out of their line."""
    benchmark = make_benchmark(slug="outside", version="2", canary=CANARY)
    questions = [
        make_question(benchmark, key="a-choice", stem="Which one?"),
        make_question(benchmark, key="b-number", kind="number", stem="How many?", target="918273645", tolerance="0.07"),
        make_question(benchmark, key="c-text", kind="text", stem="What is it called?", target="zwitterion-key"),
        make_question(benchmark, key="d-hostile", stem=HOSTILE, options=[(HOSTILE, 0.25), ("plain", 1)]),
    ]
    revision = make_set(benchmark, slug="outside", revisions=questions).current_revision
    assert revision is not None
    return revision


def exported(set_revision: QuestionSetRevision, **more) -> list[dict]:
    lines = export_lines(set_revision=set_revision, **({"style_name": "instruction@1"} | more))
    return [json.loads(line) for line in lines]


def test_every_question_is_there_with_its_prompt_and_letters(bank) -> None:
    header, *lines = exported(bank)
    assert set(header) == HEADER_FIELDS
    assert (header["set"], header["set_revision"], header["set_hash"]) == ("outside", 1, bank.content_hash)
    assert (header["prompt_style"], header["n_questions"], header["left_out"]) == ("instruction@1", 4, [])
    assert [line["key"] for line in lines] == ["a-choice", "b-number", "c-text", "d-hostile"]
    for line, revision in zip(lines, bank.question_revisions.order_by("set_memberships__position"), strict=True):
        prepared = prompt_style("instruction@1").prepare(revision, ())
        assert line["prompt"] == prepared.prompt
        assert [tuple(each.values()) for each in line["options"]] == list(prepared.options_shown)
        assert line["revision"] == revision.number


@pytest.mark.parametrize("style_name", prompt_style_names())
def test_no_line_holds_anything_of_the_key(bank, style_name: str) -> None:
    before = list(export_lines(set_revision=bank, style_name=style_name))
    for line in map(json.loads, before[1:]):
        assert set(line) == LINE_FIELDS
        assert line["canary"] == CANARY
        assert all(set(option) == {"letter", "key", "text"} for option in line["options"])
    whole = "\n".join(before)
    revisions = QuestionRevision.objects.filter(question__key__in=["b-number", "c-text"])
    secrets = [revision.target for revision in revisions] + ["0.07"]
    assert len(secrets) == 3
    assert not [secret for secret in secrets if secret in whole]
    # Whatever the credits and targets are, the same is exported.
    Option.objects.filter(text="benzene").update(credit=0)
    Option.objects.filter(text="phenol").update(credit=1)
    Option.objects.filter(text="plain").update(credit=0)
    QuestionRevision.objects.filter(kind="number").update(target="1", tolerance="0.5")
    QuestionRevision.objects.filter(kind="text").update(target="other")
    assert list(export_lines(set_revision=bank, style_name=style_name)) == before


def test_hostile_words_stay_in_their_line(bank) -> None:
    lines = list(export_lines(set_revision=bank, style_name="instruction@1"))
    text = "\n".join(lines)
    assert text.isascii()
    assert len(text.splitlines()) == 5
    assert json.loads(lines[4])["prompt"].count("</script>") == 2


def test_the_hash_of_the_prompts_tells_another_wording(bank) -> None:
    first = exported(bank)[0]["prompts_hash"]
    assert exported(bank)[0]["prompts_hash"] == first
    assert exported(bank, style_name="headings@1")[0]["prompts_hash"] != first
    QuestionRevision.objects.filter(question__key="a-choice").update(stem="Which one is it?")
    assert exported(bank)[0]["prompts_hash"] != first


def test_repeats_system_prompt_and_second_turn_go_with_it(bank) -> None:
    system = System.objects.create(slug="agent", name="Agent", provider="submitted", system_prompt="Be brief.")
    header, *lines = exported(bank, system=system, repeats=2, style_name="self-critique@1")
    assert [(line["key"], line["repeat"]) for line in lines[:3]] == [("a-choice", 0), ("a-choice", 1), ("b-number", 0)]
    assert {line["system_prompt"] for line in lines} == {"Be brief."}
    assert header["follow_up"] == prompt_style("self-critique@1").follow_up
    with pytest.raises(CannotBeAskedError, match="from 1 to 100"):
        exported(bank, repeats=101)


def test_a_question_that_cannot_be_put_is_named(bank, monkeypatch: pytest.MonkeyPatch) -> None:
    from evaluations.services import prompt_export

    class Broken:
        name, protocols, follow_up = "broken@1", (), None

        def prepare(self, revision: QuestionRevision, option_keys: tuple[str, ...]):
            if revision.kind == "number":
                raise ValueError("no unit")
            return prompt_style("instruction@1").prepare(revision, option_keys)

    monkeypatch.setattr(prompt_export, "prompt_style", lambda name: Broken())
    header, *lines = exported(bank)
    assert header["left_out"] == [{"key": "b-number", "reason": "ValueError: no unit"}]
    assert [line["key"] for line in lines] == ["a-choice", "c-text", "d-hostile"]


def test_the_command_writes_a_file_and_reports_on_it(bank, tmp_path, capsys) -> None:
    file = tmp_path / "prompts.jsonl"
    call_command("export_prompts", "--set", "outside", "--output", str(file), "--json")
    report = json.loads(capsys.readouterr().out)
    assert (report["n_lines"], report["set_hash"], report["output"]) == (4, bank.content_hash, str(file))
    call_command("export_prompts", "--set", "outside")
    assert capsys.readouterr().out == file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--set", "nowhere"], "no question set 'nowhere'"),
        (["--set", "outside", "--json"], "--output"),
        (["--set", "outside", "--system", "nobody"], "no system 'nobody'"),
        (["--set", "outside", "--output", "/nowhere/at/all"], "cannot be written"),
    ],
)
def test_the_command_says_what_is_wrong(bank, arguments: list[str], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("export_prompts", *arguments)
