"""`export_results`: a folder that can be handed on, the same each time, without answers unless staff asks."""

import csv
import hashlib
import json
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission, User
from django.core.management import CommandError, call_command

from corpus.models import ActionLog, Benchmark, Label, Option, Question, QuestionSet
from evaluations.models import Item
from leaderboard.services.snapshots import snapshot_publish
from survey.models import Participant
from survey.services.withdrawal import participant_withdraw
from tests.corpus.factories import label_question
from tests.leaderboard.factories import make_people, make_run, make_system

CANARY = "canary 6f1d"
FORMULA = '=HYPERLINK("http://x","y")'


@pytest.fixture
def results(small_set):
    Benchmark.objects.update(canary=CANARY, licence="MIT", citation="arXiv:1")
    make_run(make_system(slug="good", name="Good", model_id="good-1"), small_set, ["++++++++--", "+++++++---"])
    make_run(make_system(slug="poor", name="=Poor"), small_set, "+-+-+-----")
    make_run(make_system(slug="secret", name="Hidden", is_hidden=True), small_set, "+" * 10)
    make_people(small_set, ["++++++----"] * 6)
    label_question(Question.objects.get(key="q0"), grouping="skill", name="Calculation")
    Item.objects.filter(run__system__slug="poor").update(completion=FORMULA, options_shown=[["A", "k", "text"]])
    return small_set


@pytest.fixture
def keeper(db) -> User:
    user = User.objects.create_user("keeper", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename="view_questionrevision"))
    return user


def export(target: Path, *more: str) -> dict[str, str]:
    """Return the text of each file."""
    call_command("export_results", str(target), "--set", "small", *more, verbosity=0)
    return {
        str(path.relative_to(target)): path.read_bytes().decode()
        for path in sorted(target.rglob("*"))
        if path.is_file()
    }


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(text.splitlines()))


def test_a_folder_holds_tables_json_read_me_and_canary(client, results, tmp_path) -> None:
    snapshot_publish(question_set=results)
    files = export(tmp_path / "out")
    assert set(files) == {"README.md", "SHA256SUMS", "board.csv", "groups.csv", "results.json", "systems.csv"}
    board = {row["slug"]: row for row in client.get("/api/v1/leaderboard/small/").json()["rows"]}
    found = json.loads(files["results.json"])
    exported = {row["slug"]: row for row in found["board"]["rows"]}
    assert {slug: exported[slug] for slug in ("good", "poor")} == {slug: board[slug] for slug in ("good", "poor")}
    assert found["canary"] == CANARY
    for words in (CANARY, "MIT", "arXiv:1", "revision 1, 10 questions", "standard@1"):
        assert words in files["README.md"]
    assert "Leave the canary in" in files["README.md"]
    (good, poor) = table(files["systems.csv"])
    assert (good["slug"], good["model_id"], poor["name"]) == ("good", "good-1", "'=Poor")


def test_groups_are_those_the_boards_show(client, results, tmp_path) -> None:
    rows = table(export(tmp_path / "out")["groups.csv"])
    assert {row["grouping"] for row in rows} == {"topic", "skill"}
    (organic,) = [row for row in rows if (row["slug"], row["group"]) == ("poor", "organic-chemistry")]
    assert (organic["n"], organic["accuracy"], organic["withheld"]) == ("6", "0.5", "")
    # One question: its verdict is not public.
    assert {row["accuracy"] for row in rows if row["grouping"] == "skill"} == {""}


def people_in(files: dict[str, str]) -> list[dict[str, str]]:
    return [row for row in table(files["board.csv"]) if row["kind"] == "human"]


def test_people_are_in_it_once_a_snapshot_shows_them(results, tmp_path) -> None:
    files = export(tmp_path / "before")
    assert people_in(files) == []
    assert "No snapshot shows these very people on this set" in files["README.md"]
    snapshot_publish(question_set=results)
    assert len(people_in(export(tmp_path / "after"))) == 1


def test_a_folder_after_a_withdrawal_does_not_tell_how_that_person_did(results, tmp_path) -> None:
    snapshot_publish(question_set=results)
    assert len(people_in(export(tmp_path / "one"))) == 1
    participant_withdraw(participant=Participant.objects.latest("pk"))
    files = export(tmp_path / "two")
    assert people_in(files) == []
    assert "Fewer than 5 people came or went" in files["README.md"]


def test_people_are_one_coarse_row(results, tmp_path) -> None:
    snapshot_publish(question_set=results)
    files = export(tmp_path / "out")
    (people,) = people_in(files)
    assert (people["accuracy"], people["right"], people["Organic Chemistry (accuracy)"]) == ("0.5", "", "")
    assert "human" not in files["groups.csv"]
    assert not [path for path, text in files.items() if "person-" in text]


def test_no_answer_key_question_reply_or_single_verdict_is_in_it(results, tmp_path) -> None:
    files = export(tmp_path / "out")
    texts = {*Option.objects.values_list("text", flat=True), *Question.objects.values_list("key", flat=True)}
    texts |= {"HYPERLINK", "secret", "Hidden"}
    everything = "".join(text for path, text in files.items() if path != "SHA256SUMS")
    assert not [text for text in texts if f'"{text}"' in everything or f"\n{text}," in everything]
    assert "Answer keys, questions and replies are not in these files." in files["README.md"]


def test_verdicts_of_an_open_set_are_public_and_answers_are_not(results, tmp_path) -> None:
    QuestionSet.objects.update(policy="open")
    files = export(tmp_path / "out")
    verdicts = table(files["verdicts.csv"])
    # Two repeats of one system and one of another; none of people or of what is hidden.
    assert len(verdicts) == 30
    assert {row["slug"] for row in verdicts} == {"good", "poor"}
    assert [row["outcome"] for row in verdicts if row["slug"] == "poor"][:3] == ["right", "wrong", "right"]
    assert not [path for path in files if path.startswith("answers/")]


def test_staff_can_ask_for_answers_and_it_is_recorded(results, keeper, tmp_path) -> None:
    files = export(tmp_path / "out", "--with-answers", "--by", "keeper")
    keys = json.loads(files["answers/keys.json"])
    assert keys["canary"] == CANARY
    assert len(keys["keys"]) == 10
    right = Option.objects.filter(revision__question__key="q0", credit__gt=0).values_list("text", flat=True)
    assert table(files["answers/keys.csv"])[0]["right_options"] == " | ".join(right)
    replies = table(files["answers/answers.csv"])
    assert len(replies) == 30
    (reply, *_) = [row for row in replies if row["slug"] == "poor"]
    assert (reply["completion"], reply["outcome"], reply["canary"]) == (f"'{FORMULA}", "right", CANARY)
    lines = [json.loads(line) for line in files["answers/answers.jsonl"].splitlines()]
    (line, *_) = [line for line in lines if line["slug"] == "poor"]
    assert (line["completion"], line["options_shown"], line["canary"]) == (FORMULA, [["A", "k", "text"]], CANARY)
    assert not [text for text in files.values() if "person-" in text or "Hidden" in text]
    assert "Do not publish this folder" in files["README.md"]
    log = ActionLog.objects.get(code="results.exported-with-answers")
    assert log.actor == keeper


def test_a_refusal_writes_nothing(results, keeper, tmp_path) -> None:
    User.objects.create_user("clerk", is_staff=True)
    for arguments, words in (
        (["--with-answers"], "go together"),
        (["--by", "keeper"], "go together"),
        (["--with-answers", "--by", "nobody"], "say who asks"),
        (["--with-answers", "--by", "clerk"], "say who asks"),
        (["--rule", "none"], "standard@1"),
    ):
        with pytest.raises(CommandError, match=words):
            export(tmp_path / "out", *arguments)
    assert not (tmp_path / "out").exists()
    assert not ActionLog.objects.filter(code="results.exported-with-answers").exists()


def test_a_folder_that_holds_something_is_left_alone(results, tmp_path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(CommandError, match="Name a new folder"):
        export(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_an_unknown_set_is_answered_with_those_there_are(results, tmp_path) -> None:
    with pytest.raises(CommandError, match="There are: small"):
        call_command("export_results", str(tmp_path / "out"), "--set", "none")


def test_the_same_results_give_the_same_files(results, keeper, tmp_path) -> None:
    arguments = ("--with-answers", "--by", "keeper")
    first = export(tmp_path / "one", *arguments)
    assert export(tmp_path / "two", *arguments) == first
    for line in first["SHA256SUMS"].splitlines():
        found, path = line.split("  ")
        assert hashlib.sha256(first[path].encode()).hexdigest() == found
    assert {line.split("  ")[1] for line in first["SHA256SUMS"].splitlines()} == set(first) - {"SHA256SUMS"}


def test_the_report_for_machines(results, tmp_path, capsys) -> None:
    call_command("export_results", str(tmp_path / "out"), "--set", "small", "--json")
    report = json.loads(capsys.readouterr().out)
    assert (report["set_slug"], report["set_revision"], report["rule"], report["n_rows"]) == (
        "small",
        1,
        "standard@1",
        2,
    )
    assert report["people_shown"] is False
    assert set(report["files"]) == {path.name for path in (tmp_path / "out").iterdir()}


def test_groups_of_one_name_are_all_in_it(results, tmp_path) -> None:
    Label.objects.filter(slug="physical-chemistry").update(name="Organic Chemistry")
    found = [line for line in table(export(tmp_path / "out")["groups.csv"]) if line["slug"] == "good"]
    assert [line["group"] for line in found if line["grouping"] == "topic"] == [
        "organic-chemistry",
        "physical-chemistry",
    ]


def test_a_read_me_without_a_canary_does_not_ask_to_leave_it_in(results, tmp_path) -> None:
    Benchmark.objects.update(canary="")
    read_me = export(tmp_path / "out")["README.md"]
    assert "The benchmark has none." in read_me
    assert "Leave the canary in" not in read_me
