"""Stored answers are judged again: nothing is edited, nothing counts before somebody says so, and only once."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth import get_user_model

from corpus.models import ActionLog, QuestionRevision
from corpus.scoring import reading as reading_module
from corpus.scoring.reading import read_answer
from corpus.scoring.types import Reading, ReadStatus
from corpus.selectors.later_keys import keys_in_force
from corpus.selectors.targets import asked_of, target_of
from corpus.services.corrections import CorrectionError
from corpus.services.rescoring import RescoringError, RescoringStateError, resolve_reader
from corpus.services.verdicts import store_verdict
from evaluations.models import Item, ItemReading, ItemRescoring, ItemScore, RescoredItem, Run, System
from evaluations.selectors import board_items
from evaluations.services.rescoring import (
    item_reading_correct,
    run_rescore,
    run_rescoring_accept,
    run_rescoring_discard,
)
from tests.corpus.factories import make_benchmark, make_question, make_revision, make_set

pytestmark = pytest.mark.django_db


@dataclass
class Bank:
    """A run over a number question (key 42), with one reply to it for each text."""

    run: Run
    items: list[Item]

    @property
    def benchmark(self) -> Any:
        return self.run.set_revision.question_set.benchmark

    def outcomes(self) -> list[str]:
        return list(Item.objects.order_by("pk").values_list("outcome", flat=True))

    def board(self, rule: str = "standard") -> list[str]:
        roots = [revision.root_id for revision in self.current_revisions()]
        return [item.outcome for item in board_items(root_ids=roots, rule=rule).items]

    def current_revisions(self) -> list[QuestionRevision]:
        return [question.current_revision for question in self.benchmark.questions.order_by("pk")]


def make_bank(*completions: str, **fields: Any) -> Bank:
    benchmark = make_benchmark()
    questions = [make_question(benchmark, **({"kind": "number"} | fields)) for _ in completions]
    revision = make_set(benchmark, revisions=questions).current_revision
    system = System.objects.create(slug=f"s{System.objects.count()}", name="System", provider="random")
    run = Run.objects.create(system=system, set_revision=revision, status="finished")
    items = []
    for position, (question, text) in enumerate(zip(questions, completions, strict=True)):
        shown = [[option.letter, option.key, option.text] for option in asked_of(question.current_revision).shown]
        items.append(
            Item.objects.create(
                run=run,
                question_revision=question.current_revision,
                position=position,
                status="answered",
                completion=text,
                options_shown=shown,
            )
        )
    return Bank(run, items)


def judge_as_answered(item: Item) -> None:
    """Read and judge an item as it is done when a reply arrives."""
    revision = item.question_revision
    reading = read_answer(text=item.completion, asked=asked_of(revision))
    store_verdict(answer=item, reading=reading, target=target_of(revision))


def judged_bank(*completions: str, **fields: Any) -> Bank:
    bank = make_bank(*completions, **fields)
    for item in bank.items:
        judge_as_answered(item)
    return bank


@pytest.fixture
def second_reader(monkeypatch: pytest.MonkeyPatch) -> str:
    """A version 2 of the reader, which takes the word `dozen` for the number 12 and reads all else as version 1."""

    def read(text: str, asked: Any, finish_reason: str) -> Reading:
        if "dozen" in text:
            return Reading(ReadStatus.READ, number=Decimal(12), reader="standard@2", reason="Read from the dozen.")
        return replace(read_answer(text=text, asked=asked, finish_reason=finish_reason), reader="standard@2")

    monkeypatch.setitem(reading_module._READERS, "standard@2", read)
    return "standard@2"


@pytest.fixture
def maintainer() -> Any:
    return get_user_model().objects.create_user("maintainer", is_staff=True)


def stored() -> tuple[list[Any], list[Any]]:
    """Every reading and every score, column by column."""
    return list(ItemReading.objects.order_by("pk").values()), list(ItemScore.objects.order_by("pk").values())


def log_codes() -> list[str]:
    return list(ActionLog.objects.order_by("pk").values_list("code", flat=True))


# Proposing


def test_nothing_to_decide_when_everything_is_as_it_was_judged() -> None:
    bank = judged_bank("42", "7", "no idea")
    before = stored()
    proposed = run_rescore(run=bank.run)
    assert (proposed.rescoring, proposed.is_new) == (None, False)
    assert (proposed.counts.n_answers, proposed.counts.n_rows) == (3, 0)
    assert proposed.counts.old == proposed.counts.new == {"right": 1, "wrong": 1, "unparsed": 1}
    assert stored() == before
    assert ItemRescoring.objects.count() == 0


def test_a_new_reader_is_proposed_with_what_changes_and_changes_nothing_yet(second_reader: str) -> None:
    bank = judged_bank("42", "a dozen", target="12")
    readings, scores = stored()
    version = bank.benchmark.results_version
    proposed = run_rescore(run=bank.run)
    assert resolve_reader("standard") == second_reader
    assert proposed.is_new
    row = RescoredItem.objects.get(change="verdict")
    assert row.rescoring == proposed.rescoring
    assert (row.answer, row.old_outcome, row.new_outcome) == (bank.items[1], "unparsed", "right")
    assert (row.old_reading.reader, row.new_reading.reader) == ("standard@1", "standard@2")
    assert (row.new_reading.number, row.reason) == ("12", "Within 0.01 of the target's size.")
    assert bank.outcomes() == ["wrong", "unparsed"]
    assert stored()[0][: len(readings)] == readings
    assert stored()[1] == scores
    bank.benchmark.refresh_from_db()
    assert bank.benchmark.results_version == version
    assert log_codes() == ["rescoring.proposed"]


def test_the_same_proposal_waits_only_once(second_reader: str) -> None:
    bank = judged_bank("a dozen", target="12")
    first = run_rescore(run=bank.run)
    after_first = stored()
    second = run_rescore(run=bank.run)
    assert (second.rescoring, second.is_new) == (first.rescoring, False)
    assert stored() == after_first
    assert ItemRescoring.objects.count() == 1


def test_a_reader_that_reads_otherwise_under_the_same_name_is_counted_and_not_believed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bank = judged_bank("42", "7")
    changed = Reading(ReadStatus.READ, number=Decimal(42))
    monkeypatch.setitem(reading_module._READERS, "standard@1", lambda text, asked, finish_reason: changed)
    proposed = run_rescore(run=bank.run)
    assert (proposed.rescoring, proposed.counts.n_drifted) == (None, 1)
    assert bank.outcomes() == ["right", "wrong"]


def test_what_was_never_judged_is_judged(second_reader: str) -> None:
    bank = make_bank("42")
    accept(run_rescore(run=bank.run))
    assert bank.outcomes() == ["right"]
    assert bank.board() == ["right"]


def test_the_published_rule_is_for_published_readings_only() -> None:
    bank = judged_bank("42")
    with pytest.raises(RescoringError, match="stored parses"):
        run_rescore(run=bank.run, rule="as-published", reader="standard")
    proposed = run_rescore(run=bank.run, rule="as-published")
    assert (proposed.rescoring, proposed.counts.n_skipped) == (None, 1)


def test_a_reader_that_does_not_exist_is_named_with_those_that_do() -> None:
    bank = judged_bank("42")
    with pytest.raises(RescoringError, match="standard@1"):
        run_rescore(run=bank.run, reader="guess")


# Accepting and discarding


def accept(proposed: Any, **options: Any) -> Any:
    assert proposed.rescoring is not None
    return run_rescoring_accept(rescoring_id=proposed.rescoring.pk, **options)


def test_accepting_adds_scores_and_makes_them_count_once(second_reader: str, maintainer: Any) -> None:
    bank = judged_bank("42", "a dozen", "7", target="12")
    _, scores = stored()
    version = bank.benchmark.results_version
    proposed = run_rescore(run=bank.run)
    done = accept(proposed, actor=maintainer)
    assert (done.is_new, done.n_scores, done.n_current, done.n_stale) == (True, 3, 3, 0)
    assert bank.outcomes() == bank.board() == ["wrong", "right", "wrong"]
    assert stored()[1][: len(scores)] == scores
    bank.benchmark.refresh_from_db()
    assert bank.benchmark.results_version > version
    after = (stored(), bank.benchmark.results_version, log_codes())
    again = accept(proposed, actor=maintainer)
    bank.benchmark.refresh_from_db()
    assert (again.is_new, again.n_scores) == (False, 0)
    assert (stored(), bank.benchmark.results_version, log_codes()) == after
    rescoring = ItemRescoring.objects.get()
    assert (rescoring.status, rescoring.decided_by) == ("accepted", maintainer)
    assert run_rescore(run=bank.run).rescoring is None


def test_added_scores_say_what_judging_one_by_one_says(second_reader: str) -> None:
    bank = judged_bank("[ANSWER]B[/ANSWER]", "[ANSWER]A, B[/ANSWER]", kind="choice")
    accept(run_rescore(run=bank.run))
    columns = ("outcome", "credit", "reason", "metrics", "rule")
    by_reader = {
        reader: list(ItemScore.objects.filter(reading__reader=reader).order_by("answer").values(*columns))
        for reader in ("standard@1", "standard@2")
    }
    assert by_reader["standard@1"] == by_reader["standard@2"]
    assert by_reader["standard@2"][1]["metrics"]["recall"] == 1.0


def test_discarding_leaves_everything_as_it_was(second_reader: str) -> None:
    bank = judged_bank("a dozen", target="12")
    _, scores = stored()
    proposed = run_rescore(run=bank.run)
    run_rescoring_discard(rescoring_id=proposed.rescoring.pk)
    assert bank.outcomes() == bank.board() == ["unparsed"]
    assert stored()[1] == scores
    with pytest.raises(RescoringStateError, match="discarded"):
        accept(proposed)
    assert log_codes() == ["rescoring.proposed", "rescoring.discarded"]
    run_rescoring_discard(rescoring_id=proposed.rescoring.pk)
    assert len(log_codes()) == 2


def test_what_was_accepted_cannot_be_discarded(second_reader: str) -> None:
    bank = judged_bank("a dozen", target="12")
    proposed = run_rescore(run=bank.run)
    accept(proposed)
    with pytest.raises(RescoringStateError, match="accepted"):
        run_rescoring_discard(rescoring_id=proposed.rescoring.pk)


def test_another_rule_adds_scores_and_leaves_the_default_verdict(second_reader: str) -> None:
    bank = judged_bank("[ANSWER]45[/ANSWER]")
    done = accept(run_rescore(run=bank.run, rule="chempro-tolerance"))
    assert (done.n_scores, done.n_current) == (1, 0)
    assert bank.outcomes() == ["wrong"]
    assert (bank.board(), bank.board("chempro-tolerance")) == (["wrong"], ["right"])
    assert run_rescore(run=bank.run, rule="chempro-tolerance").rescoring is None


def test_an_answer_corrected_since_the_proposal_is_left_alone(second_reader: str, maintainer: Any) -> None:
    bank = judged_bank("a dozen", "two dozen", target="12")
    proposed = run_rescore(run=bank.run)
    correct(bank.items[1], maintainer, number="24")
    done = accept(proposed)
    assert (done.n_current, done.n_stale) == (1, 1)
    assert bank.outcomes() == ["right", "wrong"]
    assert list(RescoredItem.objects.filter(decision="stale").values_list("answer", flat=True)) == [bank.items[1].pk]


def test_the_default_rule_must_be_what_it_was_when_this_was_proposed(second_reader: str) -> None:
    bank = judged_bank("a dozen", target="12")
    proposed = run_rescore(run=bank.run)
    benchmark = bank.benchmark
    benchmark.default_rule = "chempro-tolerance@1"
    benchmark.save()
    with pytest.raises(RescoringStateError, match=r"chempro-tolerance@1 now"):
        accept(proposed)
    assert ItemRescoring.objects.get().status == "proposed"
    assert bank.outcomes() == ["unparsed"]


# Corrections by people


def correct(item: Item, actor: Any, *, number: str = "", reason: str = "Misread.", **fields: Any) -> Any:
    reading = Reading(**({"status": ReadStatus.READ, "number": Decimal(number) if number else None} | fields))
    return item_reading_correct(item=Item.objects.get(pk=item.pk), reading=reading, reason=reason, actor=actor)


def test_a_correction_is_one_more_reading_and_counts(maintainer: Any) -> None:
    bank = judged_bank("The answer, I think, would be around forty-two")
    readings, scores = stored()
    correct(bank.items[0], maintainer, number="42", reason="Says forty-two in words.")
    assert bank.outcomes() == bank.board() == ["right"]
    assert (stored()[0][0], stored()[1][0]) == (readings[0], scores[0])
    added = ItemReading.objects.get(corrected_by=maintainer)
    assert (added.reader, added.reason, added.number) == ("person", "Says forty-two in words.", "42")
    assert ActionLog.objects.get().code == "item.reading_corrected"


def test_the_same_correction_sent_twice_is_stored_once(maintainer: Any) -> None:
    bank = judged_bank("7")
    assert correct(bank.items[0], maintainer, number="42").is_new
    assert not correct(bank.items[0], maintainer, number="42").is_new
    assert ItemReading.objects.filter(corrected_by=maintainer).count() == 1
    assert correct(bank.items[0], maintainer, number="43").is_new
    assert bank.outcomes() == ["wrong"]


@pytest.mark.parametrize(
    ("fields", "message"),
    [({"number": "42", "reason": " "}, "why"), ({}, "choose options or type a number")],
)
def test_a_correction_needs_a_reason_and_an_answer(maintainer: Any, fields: dict[str, Any], message: str) -> None:
    bank = judged_bank("7")
    with pytest.raises(CorrectionError, match=message):
        correct(bank.items[0], maintainer, **fields)
    assert bank.outcomes() == ["wrong"]


def test_the_newest_correction_counts_whoever_made_it(maintainer: Any) -> None:
    bank = judged_bank("7")
    other = get_user_model().objects.create_user("other")
    correct(bank.items[0], other, number="42")
    correct(bank.items[0], maintainer, number="41")
    accept(run_rescore(run=bank.run, rule="chempro-exact"))
    assert bank.outcomes() == bank.board("chempro-exact") == ["wrong"]


def test_a_rescoring_keeps_a_correction_unless_told_otherwise(second_reader: str, maintainer: Any) -> None:
    bank = judged_bank("a dozen", target="12")
    correct(bank.items[0], maintainer, number="13", reason="A baker's dozen.")
    proposed = run_rescore(run=bank.run)
    assert proposed.counts.n_decisions == 1
    row = RescoredItem.objects.get(role="machine")
    assert (row.old_outcome, row.new_outcome, row.old_reading.corrected_by) == ("wrong", "right", maintainer)
    done = accept(proposed)
    assert (done.n_kept, done.n_replaced) == (1, 0)
    assert bank.outcomes() == bank.board() == ["wrong"]
    assert run_rescore(run=bank.run).rescoring is None


def test_a_correction_is_replaced_by_a_correction(second_reader: str, maintainer: Any) -> None:
    bank = judged_bank("a dozen", target="12")
    correct(bank.items[0], maintainer, number="13")
    proposed = run_rescore(run=bank.run)
    row = RescoredItem.objects.get(role="machine")
    with pytest.raises(RescoringError, match="Only a person"):
        accept(proposed, replace=[row.pk])
    with pytest.raises(RescoringError, match="not in this rescoring"):
        accept(proposed, actor=maintainer, replace=[row.pk + 1])
    done = accept(proposed, actor=maintainer, replace=[row.pk])
    assert (done.n_kept, done.n_replaced) == (0, 1)
    assert bank.outcomes() == bank.board() == ["right"]
    newest = ItemReading.objects.order_by("pk").last()
    assert (newest.corrected_by, newest.reader, newest.number) == (maintainer, "standard@2", "12")
    assert run_rescore(run=bank.run).rescoring is None


def test_a_reading_the_person_saw_is_not_held_against_the_correction(maintainer: Any) -> None:
    bank = judged_bank("7")
    correct(bank.items[0], maintainer, number="42")
    proposed = run_rescore(run=bank.run)
    assert (proposed.rescoring, proposed.counts.n_decisions) == (None, 0)


def test_a_corrected_answer_is_judged_by_a_later_key_too(maintainer: Any) -> None:
    bank = judged_bank("7")
    correct(bank.items[0], maintainer, number="42")
    make_revision(bank.items[0].question_revision.question, kind="number", target="50", change="key")
    accept(run_rescore(run=bank.run))
    assert bank.outcomes() == ["wrong"]
    assert ItemScore.objects.order_by("pk").last().reading.corrected_by == maintainer


# Corrected keys


def test_a_corrected_key_is_offered_and_counts_once_accepted() -> None:
    bank = judged_bank("42", "50")
    new = [
        make_revision(item.question_revision.question, kind="number", target="50", change="key") for item in bank.items
    ]
    assert bank.outcomes() == ["right", "wrong"]
    assert bank.board() == []
    proposed = run_rescore(run=bank.run)
    assert proposed.counts.n_verdicts == 2
    accept(proposed)
    assert bank.outcomes() == bank.board() == ["wrong", "right"]
    assert list(Item.objects.order_by("pk").values_list("key_revision", flat=True)) == [row.pk for row in new]
    assert ItemScore.objects.filter(key_revision=None).count() == 2
    assert run_rescore(run=bank.run).rescoring is None


def test_a_score_by_the_old_key_is_not_shown_for_the_new_one() -> None:
    bank = judged_bank("42")
    accept(run_rescore(run=bank.run, rule="chempro-exact"))
    make_revision(bank.items[0].question_revision.question, kind="number", target="50", change="key")
    accept(run_rescore(run=bank.run))
    assert (bank.board(), bank.board("chempro-exact")) == (["wrong"], [""])
    accept(run_rescore(run=bank.run, rule="chempro-exact"))
    assert bank.board("chempro-exact") == ["wrong"]


CHANGES: list[tuple[list[tuple[str, str]], str]] = [
    ([], "42"),
    ([("cosmetic", "42")], "42"),
    ([("key", "50")], "50"),
    ([("key", "50"), ("key", "60")], "60"),
    ([("key", "50"), ("cosmetic", "50")], "50"),
    ([("content", "50")], "42"),
    ([("key", "50"), ("content", "60")], "50"),
    ([("content", "50"), ("key", "60")], "42"),
]


@pytest.mark.parametrize(("changes", "target"), CHANGES)
def test_the_key_in_force_follows_corrections_and_stops_at_new_content(
    changes: list[tuple[str, str]], target: str
) -> None:
    question = make_question(make_benchmark(), kind="number")
    first = question.current_revision
    for change, value in changes:
        make_revision(question, kind="number", target=value, change=change)
    assert str(keys_in_force([first.pk])[first.pk].target.number) == target


def test_a_key_that_came_back_is_the_revisions_own() -> None:
    question = make_question(make_benchmark(), kind="number")
    first = question.current_revision
    make_revision(question, kind="number", target="50", change="key")
    make_revision(question, kind="number", target="42", change="key", comparison_root=first)
    assert keys_in_force([first.pk])[first.pk].revision_id is None


def choice_keys(*options: tuple[str, Any]) -> Iterator[Any]:
    question = make_question(make_benchmark(), options=[("CO_2", 1), ("water", 0)])
    first = question.current_revision
    later = make_revision(question, options=options, change="key")
    key = keys_in_force([first.pk])[first.pk]
    yield {option.text: int(option.credit) for option in key.target.options}
    yield key.revision_id == later.pk
    yield key.is_unmatched


def test_a_corrected_choice_is_in_terms_of_the_options_that_were_asked() -> None:
    assert list(choice_keys(("water", 1), ("$CO_2$", 0))) == [{"CO_2": 0, "water": 1}, True, False]


def test_options_that_cannot_be_told_apart_keep_the_key_that_was_asked() -> None:
    assert list(choice_keys(("water", 1), ("methane", 0))) == [{"CO_2": 1, "water": 0}, False, True]


def test_questions_of_a_kind_the_rule_does_not_judge_are_counted() -> None:
    bank = make_bank("CCO", kind="molecule", target="CCO")
    # A text no reader takes for an answer would be judged unparsed; here one was read.
    ItemReading.objects.create(answer=bank.items[0], reader="standard@1", status="read", number="1")
    proposed = run_rescore(run=bank.run)
    assert (proposed.rescoring, proposed.counts.n_not_judged) == (None, 1)
