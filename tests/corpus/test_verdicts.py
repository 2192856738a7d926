"""One door for verdicts: readings and scores are only added, and a person and a model get the same ones."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from corpus.models import AbstractAnswer, QuestionRevision
from corpus.scoring.reading import read_answer
from corpus.scoring.types import Outcome, Reading, ReadStatus
from corpus.selectors.targets import asked_from_prompt, asked_of, options_in_order, target_of
from corpus.services.verdicts import Judged, reading_from_row, store_verdict, store_verdicts_in_bulk
from evaluations.models import Item, ItemReading, ItemScore, Run, System
from survey.models import Assignment, Participant, Response, Study, StudyBlock
from tests.corpus.factories import make_benchmark, make_question, make_set

pytestmark = pytest.mark.django_db

NUMBER = {"kind": "number", "target": "4.15E-21"}
CHOICE: dict[str, Any] = {"options": [("phenol", 0), ("benzene", 1), ("aniline", 0)]}


def make_item(revision: QuestionRevision, completion: str = "") -> Item:
    question_set = make_set(revision.question.benchmark, slug=f"set-{revision.pk}", revisions=[revision])
    system = System.objects.create(slug=f"system-{revision.pk}", name="System", provider="random")
    run = Run.objects.create(system=system, set_revision=question_set.current_revision)
    return Item.objects.create(run=run, question_revision=revision, completion=completion, status="answered")


def make_response(revision: QuestionRevision, **fields: Any) -> Response:
    question_set = make_set(revision.question.benchmark, slug=f"study-set-{revision.pk}", revisions=[revision])
    study = Study.objects.create(slug=f"study-{revision.pk}", title="Study")
    block = StudyBlock.objects.create(
        study=study, position=1, slug="one", title="One", rules="-", set_revision=question_set.current_revision
    )
    participant = Participant.objects.create(study=study, pseudonym="quiet-otter")
    assignment = Assignment.objects.create(participant=participant, block=block, question_revision=revision, position=1)
    return Response.objects.create(assignment=assignment, answered_at=datetime(2026, 1, 1, tzinfo=UTC), **fields)


def revision_of(**fields: Any) -> QuestionRevision:
    question = make_question(make_benchmark(), **fields)
    assert question.current_revision is not None
    return question.current_revision


def read(number: str) -> Reading:
    return Reading(status=ReadStatus.READ, number=Decimal(number), reader="standard@1")


@pytest.mark.parametrize("make_answer", [make_item, make_response])
def test_the_same_words_get_the_same_verdict(make_answer: Any) -> None:
    revision = revision_of(**NUMBER)
    answer: AbstractAnswer = make_answer(revision)
    reading = read_answer(text="4.15×10⁻²¹", asked=asked_of(revision))
    verdict = store_verdict(answer=answer, reading=reading, target=target_of(revision))
    answer.refresh_from_db()
    assert verdict is not None
    assert (answer.outcome, answer.credit, answer.rule) == ("right", 1, "standard@1")


def test_storing_twice_adds_nothing() -> None:
    revision = revision_of(**NUMBER)
    item = make_item(revision)
    for _ in range(2):
        store_verdict(answer=item, reading=read("4.15E-21"), target=target_of(revision))
    assert (item.readings.count(), item.scores.count()) == (1, 1)


def test_a_further_rule_adds_a_score_and_leaves_the_current_verdict() -> None:
    revision = revision_of(kind="number", target="-2.5")
    item = make_item(revision)
    both = ("as-published@1", "standard@1")
    store_verdict(answer=item, reading=read("-2.5"), target=target_of(revision), rules=both)
    item.refresh_from_db()
    assert dict(item.scores.values_list("rule", "outcome")) == {"standard@1": "right", "as-published@1": "wrong"}
    assert (item.outcome, item.rule) == ("right", "standard@1")


def test_a_stored_reading_comes_back_as_it_was() -> None:
    revision = revision_of(**NUMBER)
    item = make_item(revision)
    reading = Reading(
        status=ReadStatus.READ, number=Decimal("4.150E-21"), unit="g", span=(3, 12), notes=("hedged",), reason="tag"
    )
    store_verdict(answer=item, reading=reading, target=target_of(revision))
    assert reading_from_row(item.readings.get()) == reading


def test_bulk_gives_what_one_by_one_gives() -> None:
    revisions = [revision_of(**NUMBER), revision_of(kind="number", target="7")]
    items = [make_item(revision) for revision in revisions]
    judged = [
        Judged(answer=item, reading=read("7"), target=target_of(revision), rules=("standard@1", "as-published@1"))
        for item, revision in zip(items, revisions, strict=True)
    ]
    assert store_verdicts_in_bulk(judged=judged, reading_model=ItemReading, score_model=ItemScore) == 4
    assert list(Item.objects.order_by("pk").values_list("outcome", "rule")) == [
        ("wrong", "standard@1"),
        ("right", "standard@1"),
    ]


def test_letters_go_by_the_order_shown_not_by_the_bank() -> None:
    revision = revision_of(**CHOICE)
    keys = [option.option_key for option in revision.options.all()]
    asked = asked_of(revision, option_keys=[keys[1], keys[2], keys[0]])
    assert [(shown.letter, shown.text) for shown in asked.shown] == [
        ("A", "benzene"),
        ("B", "aniline"),
        ("C", "phenol"),
    ]
    item = make_item(revision)
    verdict = store_verdict(
        answer=item, reading=read_answer(text="[ANSWER]A[/ANSWER]", asked=asked), target=target_of(revision)
    )
    assert verdict is not None
    assert verdict.outcome is Outcome.RIGHT


def test_letters_of_a_model_go_by_the_options_sent() -> None:
    revision = revision_of(**CHOICE)
    phenol, benzene, aniline = (option.option_key for option in revision.options.all())
    sent = [["A", aniline, "aniline"], ["B", phenol, "phenol"], ["C", benzene, "benzene"]]
    reading = read_answer(text="[ANSWER]C[/ANSWER]", asked=asked_from_prompt(revision, sent, "prompt"))
    assert reading.option_keys == (benzene,)


def test_an_unknown_option_is_an_error_not_a_guess() -> None:
    with pytest.raises(KeyError):
        options_in_order(revision_of(**CHOICE), option_keys=["no-such-option"])
