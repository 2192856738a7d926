"""A fallback reader extracts and never answers: what it writes counts only if the reply says it."""

import json
import threading
from collections.abc import Callable
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from corpus.models import QuestionSetRevision
from corpus.scoring.types import Asked, Kind, Reading, ReadStatus, ShownOption
from corpus.services.results import action_log
from evaluations.errors import CannotBeAskedError
from evaluations.models import Item, ItemReading, Run, System
from evaluations.selectors import board_items, outcome_counts
from evaluations.selectors.fallback import fallback_counts
from evaluations.selectors.fallback_accuracy import MEASURED, NOT_TRIED, measured_by_run, reader_digest, words_of
from evaluations.services.asking import ask_until_done
from evaluations.services.fallback import read_with_fallback
from evaluations.services.fallback_accuracy import read_labelled
from evaluations.services.fallback_checks import checked_reading, occurrence
from evaluations.services.fallback_frozen import fallback_facts
from evaluations.services.fallback_prompt import fallback_prompt
from evaluations.services.rescoring import item_reading_correct, run_rescore, run_rescoring_accept
from evaluations.services.runs import run_create
from tests.evaluations.conftest import make_bank
from tests.fake_servers.server import FakeServer, Said, error_fault

MakeSystem = Callable[..., System]
CHOICE = Asked(Kind.CHOICE, tuple(ShownOption(x, f"key-{x}", text) for x, text in [("A", "benzene"), ("B", "CO$_2$")]))
NUMBER = Asked(Kind.NUMBER)
# Replies that our reader does not read, with the answer they state.
UNSURE = "Both look fine at first, and yet it has to be the one with the ring, which is benzene, as opposed to CO2, hm"


# What it writes is checked


@pytest.mark.parametrize(
    ("output", "completion", "number", "marked"),
    [
        ("5.3", "so about 5.3 it is, or so", "5.3", "5.3"),
        ("4.2 x 10^-23", "I get 4.2 x 10^-23 there", "4.2E-23", "4.2 x 10^-23"),
        ("[ANSWER]12[/ANSWER]", "it is 12 or thereabouts, then 12", "12", "12"),
        ("4.2 x\n10^3", "we have 4.2  x 10^3 in all", "4200", "4.2  x 10^3"),
    ],
)
def test_a_number_that_the_reply_states_is_read(output: str, completion: str, number: str, marked: str) -> None:
    reading = checked_reading(output=output, completion=completion, asked=NUMBER, reader="fallback@1:s")
    assert (reading.status, reading.number) == (ReadStatus.READ, Decimal(number))
    assert reading.span is not None
    assert completion[slice(*reading.span)] == marked
    assert reading.span[0] == completion.rindex(marked)
    assert (reading.reader, reading.notes[0]) == ("fallback@1:s", "fallback")


@pytest.mark.parametrize(
    ("output", "completion"),
    [
        ("7", "so it is 5.3"),
        ("5", "so it is 5.3"),
        ("3", "so it is 5.3"),
        ("5", "so it is 15"),
        ("5", "so it is -5"),
        ("5", "so it is −5"),
        ("4.2", "I get 4.2 x 10^-23"),
        ("4.2", "I get 4.2×10⁻²³"),
        ("1", "1,000 in all"),
        ("NO-ANSWER", "so it is 5.3"),
        ("no-answer.", "so it is 5.3"),
        ("", "so it is 5.3"),
        ("5.3 or 5.4", "5.3 or 5.4"),
        ("I cannot tell", "so it is 5.3"),
    ],
)
def test_a_number_the_reply_does_not_state_stays_unparsed(output: str, completion: str) -> None:
    reading = checked_reading(output=output, completion=completion, asked=NUMBER, reader="fallback@1:s")
    assert (reading.status, reading.number, reading.notes) == (ReadStatus.UNPARSED, None, ("fallback",))


@pytest.mark.parametrize(
    ("output", "keys"),
    [("A", ["key-A"]), ("A, B", ["key-A", "key-B"]), ("A and B", ["key-A", "key-B"]), ("CO$_2$", ["key-B"])],
)
def test_options_are_named_by_letter_or_text_as_shown(output: str, keys: list[str]) -> None:
    reading = checked_reading(output=output, completion=UNSURE, asked=CHOICE, reader="fallback@1:s")
    assert (reading.status, list(reading.option_keys)) == (ReadStatus.READ, keys)


@pytest.mark.parametrize("output", ["C", "A or B", "toluene", "none of them"])
def test_what_names_no_option_stays_unparsed(output: str) -> None:
    assert checked_reading(output=output, completion=UNSURE, asked=CHOICE, reader="r").status is ReadStatus.UNPARSED


def test_a_long_reply_is_searched_in_little_time() -> None:
    assert occurrence(passage="5.3 g", completion="5.3 " * 50_000) is None


def test_the_prompt_holds_reply_and_options_and_not_the_question() -> None:
    asked = Asked(Kind.CHOICE, CHOICE.shown, prompt="Which one has a ring {x}?")
    prompt = fallback_prompt(reply="It is {benzene}.", asked=asked)
    assert "It is {benzene}." in prompt
    assert "B. CO$_2$" in prompt
    assert "ring" not in prompt


# In a run


@pytest.fixture
def with_fallback(twenty: QuestionSetRevision, make_system: MakeSystem) -> Callable[..., Run]:
    def make(server: FakeServer, reader: FakeServer) -> Run:
        system = make_system(server.base_url)
        fallback = make_system(reader.base_url)
        return run_create(system=system, set_revision=twenty, fallback=fallback)

    return make


def number_of(prompt: str) -> int:
    return int(prompt.split("Question ")[1].split(":")[0])


def replies(prompt: str) -> Said:
    """Two plain answers, two refusals, an empty and a cut-off reply; the rest takes no answer plainly."""
    plain = {
        1: Said("[ANSWER]A[/ANSWER]"),
        2: Said("[ANSWER]B[/ANSWER]"),
        3: Said("I'm sorry, but I can't help with that."),
        4: Said("", refusal="No."),
        5: Said(""),
        6: Said("Let me think about this at length", finish="length"),
    }
    return plain.get(number_of(prompt), Said(f"{UNSURE} ({number_of(prompt)})"))


def extracts(prompt: str) -> Said:
    """The first option for even replies, nothing for odd ones."""
    n = int(prompt.rpartition("(")[2].partition(")")[0])
    return Said("A" if n % 2 == 0 else "NO-ANSWER")


@pytest.mark.django_db(transaction=True)
def test_only_unparsed_replies_are_read_and_each_once(with_fallback: Callable[..., Run]) -> None:
    with FakeServer("openai", answer=replies) as server, FakeServer("openai", answer=extracts) as reader:
        run = with_fallback(server, reader)
        ask_until_done(run_id=run.pk)
        read_with_fallback(run_id=run.pk)
    run.refresh_from_db()
    assert run.status == "finished"
    assert sorted(reader.asked.values()) == [1] * 14
    counts = fallback_counts(run=run)
    assert counts is not None
    assert (counts.n_asked, counts.n_read, counts.n_waiting) == (14, 7, 0)
    assert counts.outcomes == {"right": 7}
    assert counts.strict == {"right": 1, "wrong": 1, "unparsed": 14, "refused": 2, "empty": 1, "truncated": 1}
    assert counts.with_fallback == {"right": 8, "wrong": 1, "unparsed": 7, "refused": 2, "empty": 1, "truncated": 1}
    assert ItemReading.objects.filter(reader="standard@1").count() == 20
    assert ItemReading.objects.filter(reader=counts.reader, status="unparsed").count() == 7


@pytest.mark.django_db(transaction=True)
def test_it_can_be_switched_off_and_survives_a_rescoring(with_fallback: Callable[..., Run]) -> None:
    with FakeServer("openai", answer=replies) as server, FakeServer("openai", answer=extracts) as reader:
        run = with_fallback(server, reader)
        ask_until_done(run_id=run.pk)
    roots = [revision.root_id for revision in run.set_revision.question_revisions.all()]

    def right(rule: str = "standard") -> list[int]:
        boards = [board_items(root_ids=roots, rule=rule, with_fallback=on) for on in (True, False)]
        return [outcome_counts(board=board, system_id=run.system_id)["right"] for board in boards]

    assert right() == [8, 1]
    assert run_rescore(run=run).rescoring is None
    proposed = run_rescore(run=run, rule="chempro-exact")
    run_rescoring_accept(rescoring_id=proposed.rescoring.pk)
    assert right("chempro-exact") == [8, 1]
    assert right() == [8, 1]


@pytest.mark.django_db(transaction=True)
def test_a_persons_correction_comes_before_it(with_fallback: Callable[..., Run]) -> None:
    with FakeServer("openai", answer=replies) as server, FakeServer("openai", answer=extracts) as reader:
        run = with_fallback(server, reader)
        ask_until_done(run_id=run.pk)
    item = ItemReading.objects.filter(reader__startswith="fallback@", status="read").first().answer
    actor = User.objects.create_user("maintainer")
    item_reading_correct(item=item, reading=Reading(ReadStatus.REFUSED), reason="It evades.", actor=actor)
    counts = fallback_counts(run=run)
    assert counts is not None
    assert (counts.outcomes, counts.strict["refused"]) == ({"right": 6}, 3)


@pytest.mark.django_db(transaction=True)
def test_a_reader_that_is_away_leaves_replies_waiting_and_the_run_finished(
    with_fallback: Callable[..., Run],
) -> None:
    is_away = threading.Event()
    is_away.set()

    def fault(prompt: str, nth: int) -> Any:
        return error_fault(500, "overloaded") if is_away.is_set() else None

    with (
        FakeServer("openai", answer=replies) as server,
        FakeServer("openai", answer=extracts, fault=fault) as reader,
    ):
        run = with_fallback(server, reader)
        ask_until_done(run_id=run.pk)
        run.refresh_from_db()
        counts = fallback_counts(run=run)
        assert counts is not None
        assert (run.status, counts.n_asked, counts.n_waiting) == ("finished", 0, 14)
        assert run.error_code == "fallback_unread"
        assert run.error_message.startswith("14 replies could not be put to the fallback reader")
        is_away.clear()
        out = StringIO()
        call_command("fallback_reader", "--run", str(run.pk), "--json", stdout=out)
    report = json.loads(out.getvalue())
    assert (report["n_asked"], report["n_read"], report["n_waiting"]) == (14, 7, 0)
    assert report["strict"]["unparsed"] == 14
    run.refresh_from_db()
    assert (run.status, run.error_code, run.error_message) == ("finished", "", "")


@pytest.mark.django_db(transaction=True)
def test_the_run_page_shows_the_counts_with_and_without(with_fallback: Callable[..., Run], client: Client) -> None:
    with FakeServer("openai", answer=replies) as server, FakeServer("openai", answer=extracts) as reader:
        run = with_fallback(server, reader)
        ask_until_done(run_id=run.pk)
    client.force_login(User.objects.create_superuser("root"))
    page = " ".join(client.get(reverse("admin:evaluations_run_change", args=[run.pk])).content.decode().split())
    for label, n in (("Replies put to it", 14), ("Read by it", 7), ("Right with it", 8), ("Right without it", 1)):
        assert f"<dt>{label}</dt> <dd> {n} </dd>" in page


@pytest.mark.django_db
def test_what_cannot_read_is_no_fallback(twenty: QuestionSetRevision, make_system: MakeSystem) -> None:
    for provider in ("random", "imported"):
        with pytest.raises(CannotBeAskedError, match="cannot read"):
            run_create(system=make_system(), set_revision=twenty, fallback=make_system(provider=provider))
    assert not Run.objects.exists()


@pytest.mark.django_db
def test_a_run_without_one_is_strict(twenty: QuestionSetRevision, make_system: MakeSystem) -> None:
    run = run_create(system=make_system(), set_revision=twenty)
    assert fallback_counts(run=run) is None
    assert read_with_fallback(run_id=run.pk).n_asked == 0
    with pytest.raises(CommandError, match="without a fallback"):
        call_command("fallback_reader", "--run", str(run.pk))


# Accuracy on labelled replies


def labelled_file(tmp_path: Path, *lines: dict[str, Any]) -> Path:
    path = tmp_path / "labelled.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    return path


@pytest.mark.django_db(transaction=True)
def test_its_accuracy_is_measured_on_what_our_reader_cannot_read(
    make_system: MakeSystem, tmp_path: Path, client: Client
) -> None:
    options = ["benzene", "CO2"]
    texts = [f"{UNSURE} ({n})" for n in range(6)]
    path = labelled_file(
        tmp_path,
        {"completion": "[ANSWER]A[/ANSWER]", "kind": "choice", "options": options, "label": "A"},
        {"completion": texts[0], "kind": "choice", "options": options, "label": "A"},
        {"completion": texts[2], "kind": "choice", "options": options, "label": "B"},
        {"completion": texts[4], "kind": "choice", "options": options, "label": None},
        {"completion": texts[1], "kind": "choice", "options": options, "label": "A"},
        {"completion": texts[3], "kind": "choice", "options": options, "label": None},
    )
    out = StringIO()
    with FakeServer("openai", answer=extracts) as reader:
        system = make_system(reader.base_url)
        call_command("fallback_reader", "--system", system.slug, "--labelled", str(path), "--json", stdout=out)
    report = json.loads(out.getvalue())
    assert (report["n_labelled"], report["n_put_to_it"]) == (6, 5)
    counted = [report[name] for name in ("n_rightly", "n_falsely", "n_rightly_unread", "n_missed", "n_failed")]
    assert counted == [1, 2, 1, 1, 0]
    assert (report["accuracy"], report["false_lines"], report["n_made_up"]) == (0.4, [3, 4], 1)
    assert not Item.objects.exists()
    words = "right on 2 of 5 labelled cases, 1 misread, 1 missed, 1 made up"
    run = run_create(system=make_system(), set_revision=make_bank(1), fallback=system, wake=False)
    assert accuracy_words(run) == words
    assert words in run_page(client, run)


def accuracy_words(run: Run) -> str:
    return words_of(measured_by_run(run_ids=[run.pk])[str(run.pk)])


def run_page(client: Client, run: Run) -> str:
    client.force_login(User.objects.get_or_create(username="root", is_staff=True, is_superuser=True)[0])
    return " ".join(client.get(reverse("admin:evaluations_run_change", args=[run.pk])).content.decode().split())


@pytest.mark.django_db
def test_accuracy_is_that_of_the_very_reader_a_run_was_made_with(make_system: MakeSystem, client: Client) -> None:
    def measured(system: System, **counts: int) -> None:
        found = dict.fromkeys(("n_rightly", "n_falsely", "n_made_up", "n_rightly_unread", "n_missed"), 0) | counts
        detail = {**found, "n_labelled": 40, "digest": reader_digest(fallback_facts(system))}
        action_log(code=MEASURED, target=system, detail=detail)

    system = make_system()
    run = run_create(system=make_system(), set_revision=make_bank(1), fallback=system, wake=False)
    assert NOT_TRIED in run_page(client, run)
    measured(system, n_rightly=1, n_missed=2)
    measured(system, n_rightly=28, n_rightly_unread=2, n_falsely=3)
    assert accuracy_words(run) == "right on 30 of 33 labelled cases, 3 misread, none made up"
    System.objects.filter(pk=system.pk).update(model_id="second")
    system.refresh_from_db()
    other = run_create(system=make_system(), set_revision=make_bank(1), fallback=system, wake=False)
    assert accuracy_words(other) == NOT_TRIED
    assert accuracy_words(run).startswith("right on 30 of 33")
    measured(system)
    assert accuracy_words(other) == "tried, but none of 40 labelled cases is left unparsed by our own reader"


def test_collected_cases_are_labelled_replies_as_well(shared: Path) -> None:
    labelled = read_labelled(shared / "cases" / "completions.jsonl")
    lines = (shared / "cases" / "completions.jsonl").read_text("utf-8").splitlines()
    assert len(labelled) == len(lines)
    first = json.loads(lines[0])
    assert (labelled[0].completion, labelled[0].number) == (
        first["completion_last_400"],
        Decimal(str(first["right_parse"])),
    )
    stated = {line: each for line, each in enumerate(map(json.loads, lines), start=1) if each["type"] == "mcq"}
    assert {each.line: sorted(each.letters) for each in labelled if each.line in stated} == {
        line: each["right_parse"] or [] for line, each in stated.items()
    }


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"kind": "choice"}, "Line 1"),
        ({"completion": "x", "kind": "poem", "label": None}, "Line 1"),
        ({"completion": "x", "kind": "choice", "options": ["a"], "label": "B"}, "names no option"),
        ({"completion": "x", "kind": "number", "label": "many"}, "Line 1"),
    ],
)
def test_a_line_that_is_no_label_is_named(
    make_system: MakeSystem, tmp_path: Path, line: dict[str, Any], message: str
) -> None:
    path = labelled_file(tmp_path, line)
    with pytest.raises(CommandError, match=message):
        call_command("fallback_reader", "--system", make_system().slug, "--labelled", str(path))
