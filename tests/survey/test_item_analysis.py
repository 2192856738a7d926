"""What the answers say of each question, and the rule by which they put a key in doubt."""

from decimal import Decimal

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from corpus.models import QuestionRevision
from survey.keys_in_doubt import AnswerCount, doubts_of
from survey.models import Assignment, Participant, Response, Study
from survey.selectors.agreement import study_agreement
from survey.selectors.comments import studies_answering
from survey.selectors.item_analysis import CSV_COLUMNS, Item, item_analysis, item_rows, number_text
from survey.services import Given
from survey.services.rescoring import study_rescore, study_rescoring_accept
from tests.corpus.factories import label_question, make_revision, make_set_revision
from tests.survey.factories import answer_next, go_to_question, make_participant, make_study, right_given

pytestmark = pytest.mark.one_database

NAN = float("nan")


def key(n: int, share: float | None = 0.5) -> AnswerCount:
    return AnswerCount("B", is_key=True, n=n, share_elsewhere=share)


def other(n: int, label: str = "C", share: float | None = 0.5) -> AnswerCount:
    return AnswerCount(label, is_key=False, n=n, share_elsewhere=share)


@pytest.mark.parametrize(
    ("is_number", "counts", "discrimination", "n", "codes"),
    [
        (False, [key(0), other(5)], NAN, 5, ["another_answer"]),
        (False, [key(0), other(4)], NAN, 4, []),
        (False, [key(2), other(9)], NAN, 11, ["another_answer"]),
        (False, [key(3), other(9)], NAN, 12, []),
        (False, [key(5), other(5), other(5, "D")], NAN, 15, []),
        (False, [other(6)], NAN, 6, ["another_answer"]),
        (False, [key(9)], NAN, 9, []),
        (True, [key(2), other(3, "7.5")], NAN, 5, ["another_number"]),
        (True, [key(3), other(3, "7.5")], NAN, 6, []),
        (True, [key(0), other(2, "7.5"), other(2, "8")], NAN, 4, []),
        (True, [key(0)], NAN, 0, []),
        (False, [key(9), other(3)], -0.9, 12, ["negative_discrimination"]),
        (False, [key(9), other(3)], -0.2, 12, []),
        (False, [key(10), other(2)], -0.9, 12, []),
        (False, [key(2), other(8)], -0.9, 10, []),
        (False, [key(5), other(4)], -0.99, 9, []),
        (False, [key(3), other(14)], -0.8, 17, ["another_answer", "negative_discrimination"]),
        (False, [], NAN, 0, []),
    ],
)
def test_rule_of_keys_in_doubt(
    is_number: bool, counts: list[AnswerCount], discrimination: float, n: int, codes: list[str]
) -> None:
    found = doubts_of(is_number=is_number, counts=counts, discrimination=discrimination, n_answers=n)
    assert [doubt.code for doubt in found] == codes


def test_reasons_are_said_in_words() -> None:
    (doubt,) = doubts_of(is_number=False, counts=[key(2, 0.41), other(9, share=0.62)], discrimination=NAN, n_answers=11)
    assert doubt.text == (
        "9 people answered C, 2 the key. In the other questions they are right in 62%, those who gave the key in 41%."
    )
    (doubt,) = doubts_of(is_number=True, counts=[key(0, None), other(3, "7.5", None)], discrimination=NAN, n_answers=3)
    assert doubt.text == "3 people agree on 7.5, 0 gave the key."


def wrong_given(assignment: Assignment, text: str = "first wrong one") -> Given:
    options = assignment.question_revision.options.all()
    tools = ("none",) if assignment.block.tools_allowed else ()
    if assignment.question_revision.kind == "number":
        return Given(typed_text="8.3e-21", tools_used=tools)
    return Given(option_keys=(next(row.option_key for row in options if row.text == text),), tools_used=tools)


def only_item(study: object) -> Item:
    (item,) = item_analysis(study).items
    return item


@pytest.mark.django_db
def test_options_are_counted_by_identity_whatever_order_people_saw() -> None:
    study = make_study(n_choice=1, n_number=0, n_tools=0, offers_do_not_know=True)
    orders = set()
    for _ in range(6):
        person = make_participant(study)
        assignment = go_to_question(person)
        orders.add(tuple(assignment.option_order))
        answer_next(person, wrong_given(assignment))
    answer_next(make_participant(study))
    answer_next(make_participant(study), Given(do_not_know=True))
    item = only_item(study)
    assert len(orders) > 1, "the order is drawn for each person"
    assert [(option.letter, option.n, option.is_right) for option in item.options] == [
        ("A", 6, False),
        ("B", 1, True),
        ("C", 0, False),
        ("D", 0, False),
    ]
    assert (item.n_answers, item.n_right, item.n_do_not_know, item.share_right) == (8, 1, 1, 1 / 8)
    assert [(count.label, count.n) for count in item.counts] == [("B", 1), ("A", 6)]
    assert [doubt.code for doubt in item.doubts] == [], "six against one is no more than chance at 5 %"


@pytest.mark.django_db
def test_numbers_that_agree_on_another_value_put_the_key_in_doubt() -> None:
    study = make_study(n_choice=0, n_number=1, n_tools=0)
    for typed in ("8.30e-21", "8.3 × 10^-21", "8.31e-21", "4.15e-21", "5"):
        answer_next(make_participant(study), Given(typed_text=typed))
    item = only_item(study)
    assert [(count.label, count.n) for count in item.counts][:2] == [("4.15 × 10⁻²¹", 1), ("8.3 × 10⁻²¹", 3)]
    assert [doubt.code for doubt in item.doubts] == ["another_number"]


@pytest.mark.django_db
@pytest.mark.parametrize("who", ["withdrawn", "did not agree", "flagged", "left out"])
def test_people_whose_answers_are_not_analysed(who: str) -> None:
    study = make_study(n_choice=1, n_number=0, n_tools=0)
    answer_next(make_participant(study))
    person = make_participant(study)
    answer_next(person)
    assert item_analysis(study).n_people == 2
    if who == "withdrawn":
        Participant.objects.filter(pk=person.pk).update(withdrawn_at=timezone.now())
    elif who == "did not agree":
        Participant.objects.filter(pk=person.pk).update(consented_at=None)
    else:
        flag = person.flags.create(code="too_fast", detail="", found_at=timezone.now())
        person.flags.filter(pk=flag.pk).update(is_left_out=True if who == "left out" else None)
    assert item_analysis(study).n_people == 1
    if who == "flagged":
        person.flags.update(is_left_out=False)
        assert item_analysis(study).n_people == 2


@pytest.mark.django_db
def test_attention_checks_stand_apart_and_count_nowhere() -> None:
    study = make_study(n_choice=3, n_number=0, n_tools=0)
    for _ in range(3):
        person = make_participant(study)
        for _ in range(3):
            answer_next(person)
    revision = Assignment.objects.filter(position=1).first().question_revision
    Assignment.objects.filter(question_revision=revision).update(is_attention_check=True)
    analysis = item_analysis(study)
    assert [item.root_id for item in analysis.attention] == [revision.pk]
    assert revision.pk not in {item.root_id for item in analysis.items}
    assert len(analysis.items) == 2
    assert study_agreement(study, with_verdicts=True)[0].answers.n_answers == 6


@pytest.mark.django_db
def test_time_away_is_taken_off_and_an_unjudged_answer_is_no_verdict() -> None:
    study = make_study(n_choice=1, n_number=0, n_tools=0)
    for _ in range(2):
        answer_next(make_participant(study))
    Response.objects.update(seconds=100.0, away_seconds=40.0)
    first = Response.objects.first()
    Response.objects.filter(pk=first.pk).update(outcome="", credit=None, rule="")
    item = only_item(study)
    assert item.median_seconds == 60
    assert (item.n_answers, item.n_unjudged, item.share_right) == (2, 1, 1.0)


@pytest.mark.django_db
def test_queries_do_not_grow_with_people(django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    study = make_study(n_choice=4, n_number=2, n_tools=2)
    for _ in range(4):
        person = make_participant(study)
        for _ in range(8):
            answer_next(person)
    with django_assert_max_num_queries(9):
        analysis = item_analysis(study)
    assert len(analysis.items) == 8
    with django_assert_max_num_queries(4):
        study_agreement(study, with_verdicts=True)


def study_of_later_revision(options: list[tuple[str, int]], change: str, chosen: str) -> tuple[Study, QuestionRevision]:
    """A study in which three people chose `chosen` before the part went on to a later revision, and three since."""
    study = make_study(n_choice=1, n_number=0, n_tools=0)
    block = study.blocks.get()
    question = block.set_revision.question_revisions.get().question
    first = question.current_revision
    for _ in range(3):
        person = make_participant(study)
        answer_next(person, wrong_given(go_to_question(person), chosen))
    later = make_revision(
        question, options=options, change=change, comparison_root=first if change == "cosmetic" else None
    )
    block.set_revision = make_set_revision(block.set_revision.question_set, [later])
    block.save()
    for _ in range(3):
        person = make_participant(study)
        place = next(place for place, (text, _) in enumerate(options) if chosen in text)
        answer_next(person, wrong_given(go_to_question(person), options[place][0]))
    return study, later


@pytest.mark.django_db
def test_options_of_a_revision_with_other_markup_are_the_same_options() -> None:
    options = [
        ("the keyed one", 1),
        ("\\textbf{first wrong one}", 0),
        ("second wrong one", 0),
        ("None of the above", 0),
    ]
    study, _ = study_of_later_revision(options, "cosmetic", "first wrong one")
    item = only_item(study)
    assert [(option.letter, option.n) for option in item.options] == [("A", 0), ("B", 6), ("C", 0), ("D", 0)]
    assert [(count.label, count.n, count.is_key) for count in item.counts] == [("A", 0, True), ("B", 6, False)]
    assert [doubt.code for doubt in item.doubts] == ["another_answer"]
    assert study_agreement(study, with_verdicts=True)[0].answers.observed == 1


NEW_KEY = [("first wrong one", 1), ("the keyed one", 0), ("second wrong one", 0), ("None of the above", 0)]


@pytest.mark.django_db
def test_answers_before_and_after_a_corrected_key_are_of_one_question() -> None:
    study, later = study_of_later_revision(NEW_KEY, "key", "first wrong one")
    item = only_item(study)
    assert (item.root_id, item.n_answers, item.n_right, item.share_right) == (later.pk, 6, 6, 1)
    assert [(count.label, count.n, count.is_key) for count in item.counts] == [("A", 6, True)]
    assert studies_answering(question_id=item.question_id) == [(study, later.pk)]


@pytest.mark.django_db
@pytest.mark.parametrize("is_rescored", [False, True])
def test_a_corrected_key_is_used_also_before_its_rescoring(is_rescored: bool) -> None:
    study = make_study(n_choice=1, n_number=0, n_tools=0)
    for n in range(6):
        person = make_participant(study)
        assignment = go_to_question(person)
        answer_next(person, right_given(assignment) if n else wrong_given(assignment))
    make_revision(assignment.question_revision.question, options=NEW_KEY, change="key")
    if is_rescored:
        for proposed in study_rescore(study=study, rule="standard@1", reader="standard@1"):
            study_rescoring_accept(rescoring_id=proposed.rescoring.pk)
    item = only_item(study)
    assert (item.n_right, item.share_right) == (1, 1 / 6)
    assert [(count.label, count.n, count.is_key) for count in item.counts] == [("A", 1, True), ("B", 5, False)]


@pytest.mark.django_db
def test_a_corrected_number_is_used_also_before_its_rescoring() -> None:
    study = make_study(n_choice=0, n_number=1, n_tools=0)
    for typed in ("8.3e-21", "8.3e-21", "4.15e-21"):
        answer_next(make_participant(study), Given(typed_text=typed))
    question = study.blocks.get().set_revision.question_revisions.get().question
    make_revision(question, kind="number", target="8.3E-21", change="key")
    item = only_item(study)
    assert [(count.label, count.n, count.is_key) for count in item.counts] == [
        ("8.3 × 10⁻²¹", 2, True),
        ("4.15 × 10⁻²¹", 1, False),
    ]


@pytest.mark.django_db
def test_csv_is_safe_in_a_spreadsheet() -> None:
    study = make_study(n_choice=1, n_number=0, n_tools=0, slug="-2-3-cmd")
    answer_next(make_participant(study))
    question = Response.objects.get().assignment.question_revision.question
    question.key = "=cmd()"
    question.save()
    header, row = item_rows(study)
    assert header == list(CSV_COLUMNS)
    cells = dict(zip(header, row, strict=True))
    assert (cells["study"], cells["question_key"]) == ("'-2-3-cmd", "'=cmd()")
    assert (cells["answers"], cells["right"], cells["share_right"]) == (1, 1, 1.0)


@pytest.mark.django_db
def test_agreement_per_study_block_and_topic() -> None:
    study = make_study(n_choice=2, n_number=1, n_tools=1)
    people = [make_participant(study) for _ in range(3)]
    for person in people:
        for _ in range(4):
            assignment = go_to_question(person)
            given = wrong_given(assignment) if person == people[0] else right_given(assignment)
            answer_next(person, given)
    for assignment in people[0].assignments.filter(block__tools_allowed=True):
        label_question(assignment.question_revision.question, name="Organic Chemistry")
    rows = {(row.part, row.name): row for row in study_agreement(study, with_verdicts=True)}
    assert list(rows) == [
        ("study", "Whole study"),
        ("block", "No-Tools"),
        ("block", "Tools"),
        ("topic", "Organic Chemistry"),
    ]
    whole = rows["study", "Whole study"]
    # Each question: one pair of three agrees, and every value belongs to one question.
    assert (whole.n_people, whole.answers.n_questions, whole.answers.n_answers) == (3, 4, 12)
    assert whole.answers.observed == pytest.approx(1 / 3)
    assert whole.answers.expected == pytest.approx(4 * 2 * 1 / (12 * 11))
    assert rows["topic", "Organic Chemistry"].answers == rows["block", "Tools"].answers


@pytest.mark.django_db
@pytest.mark.parametrize(("with_verdicts", "observed"), [(True, 1.0), (False, 0.0)])
def test_agreement_without_verdicts_does_not_depend_on_what_is_right(with_verdicts: bool, observed: float) -> None:
    study = make_study(n_choice=0, n_number=1, n_tools=0)
    for typed in ("4.15e-21", "9"):
        answer_next(make_participant(study), Given(typed_text=typed))
    Response.objects.update(outcome="right", credit=1)
    row, *_ = study_agreement(study, with_verdicts=with_verdicts)
    assert row.answers.observed == observed
    assert (row.verdicts is not None) == with_verdicts


@pytest.mark.django_db
def test_agreement_of_nobody_is_empty() -> None:
    assert study_agreement(make_study(), with_verdicts=True) == []


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("100", "100"),
        ("150", "150"),
        ("1.50E+2", "150"),
        ("-0.60", "\N{MINUS SIGN}0.6"),
        ("0E+3", "0"),
        ("4.15E-21", "4.15 × 10⁻²¹"),
        ("12345678901234567890123456789012.5", "1.23456789012345678901234567890125 × 10³¹"),
        ("12345678901234567890123456789012.6", "1.23456789012345678901234567890126 × 10³¹"),
    ],
)
def test_numbers_are_printed_as_participants_see_them(number: str, text: str) -> None:
    assert number_text(Decimal(number)) == text
