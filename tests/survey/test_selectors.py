"""Where people are, how long it takes, what the board and the export get."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone
from django.utils.html import escape
from pytest_django import DjangoAssertNumQueries

from corpus.models import QuestionRevision
from survey.models import Participant, Response, ResponseScore, Study
from survey.selectors.board import board_answers
from survey.selectors.entrants import people_counts
from survey.selectors.export import COLUMNS, export_rows, safe_text
from survey.selectors.inclusion import inclusions
from survey.selectors.pages import assignment_of_token, page_token, question_page
from survey.selectors.progress import progress_of, time_left_text
from survey.selectors.staff import staff_rows
from survey.selectors.steps import StepKind, current_step
from survey.services import Given, practice_record, profile_record, response_record
from tests.corpus.factories import make_revision
from tests.survey.factories import answer_next, go_to_question, make_participant, make_study, right_given

pytestmark = pytest.mark.django_db
START = datetime(2026, 3, 1, tzinfo=UTC)
LATER = datetime(2099, 3, 1, tzinfo=UTC)


def roots() -> list[int]:
    return [revision.root_id for revision in QuestionRevision.objects.all()]


def test_steps_come_in_their_order() -> None:
    person = make_participant(make_study(n_choice=1, n_number=0, n_tools=0), practised=False)
    seen = [current_step(person).kind]
    profile_record(participant=person)
    seen.append(current_step(person).kind)
    practice_record(participant=person)
    seen.append(current_step(person).kind)
    go_to_question(person)
    seen.append(current_step(person).kind)
    answer_next(person)
    seen.append(current_step(person).kind)
    assert seen == [StepKind.PROFILE, StepKind.PRACTICE, StepKind.RULES, StepKind.QUESTION, StepKind.FINISH]


def test_time_left_follows_the_persons_own_pace() -> None:
    person = make_participant(make_study(n_choice=13, n_number=0, n_tools=0))
    assert progress_of(person).text == "1 of 13"
    for seconds in (60, 120, 4000):
        assignment = go_to_question(person)
        now = assignment.served_at + timedelta(seconds=seconds)
        given = right_given(assignment)
        response_record(participant=person, assignment_id=assignment.pk, given=given, now=now)
    # Ten questions at the median of two minutes; the hour away does not count.
    assert progress_of(person).text == "4 of 13, about 20 minutes left"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (10, "about a minute left"),
        (200, "about 3 minutes left"),
        (3000, "about 50 minutes left"),
        (5700, "about 95 minutes left"),
        (9000, "about 2.5 hours left"),
        (21600, "about 6 hours left"),
    ],
)
def test_time_left_is_said_in_words(seconds: float, text: str) -> None:
    assert time_left_text(seconds) == text


def test_question_page_names_letters_in_the_stored_order() -> None:
    person = make_participant(make_study(n_choice=1, n_number=0, n_tools=0))
    assignment = go_to_question(person)
    page = question_page(assignment)
    assert [page.option_keys[choice.letter] for choice in page.choices] == assignment.option_order
    assert [choice.letter for choice in page.choices] == ["A", "B", "C", "D"]


def test_page_token_is_for_one_assignment_of_one_study() -> None:
    study = make_study()
    assignment = go_to_question(make_participant(study))
    token = page_token(assignment)
    assert assignment_of_token(token, study.slug) == assignment
    assert assignment_of_token(token, "another") is None
    assert assignment_of_token(token + "x", study.slug) is None
    assert assignment_of_token("", study.slug) is None


# The board


def test_board_gets_everyones_verdicts_in_one_query(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    study = make_study(n_choice=1, n_number=1, n_tools=1)
    people = [make_participant(study) for _ in range(2)]
    for person in people:
        for _ in range(3):
            answer_next(person)
    ids = roots()
    with django_assert_num_queries(1):
        answers = board_answers(root_ids=ids, rule="standard@1")
    assert len(answers) == 6
    assert {answer.pseudonym for answer in answers} == {person.pseudonym for person in people}
    assert {(answer.outcome, answer.credit) for answer in answers} == {("right", Decimal(1))}
    assert sorted(answer.tools_allowed for answer in answers) == [False] * 4 + [True] * 2
    assert {answer.study_slug for answer in answers} == {study.slug}
    assert len(board_answers(root_ids=ids[:1], rule="standard@1")) == 2
    assert board_answers(root_ids=[], rule="standard@1") == []


def test_board_leaves_out_the_withdrawn_and_those_who_did_not_agree() -> None:
    study = make_study(n_choice=1, n_number=0, n_tools=0)
    staying, withdrawn, unasked = [make_participant(study) for _ in range(3)]
    for person in (staying, withdrawn, unasked):
        answer_next(person)
    Participant.objects.filter(pk=withdrawn.pk).update(withdrawn_at=timezone.now())
    Participant.objects.filter(pk=unasked.pk).update(consented_at=None)
    assert {answer.participant_id for answer in board_answers(root_ids=roots(), rule="standard@1")} == {staying.pk}


@pytest.mark.parametrize(
    ("study_fields", "person_fields", "answers", "is_there"),
    [
        pytest.param({}, {}, 1, False, id="under way"),
        pytest.param({}, {}, 2, True, id="ended"),
        pytest.param({}, {"finished_at": None}, 2, False, id="end not noted"),
        pytest.param({}, {"finished_at": START}, 1, False, id="end noted, a question open"),
        pytest.param({}, {"is_demo": True}, 1, False, id="made up in a study of real people"),
        pytest.param({"is_demo": True}, {}, 1, False, id="real in a study of made-up people"),
        pytest.param({"is_demo": True}, {"is_demo": True}, 1, True, id="made up"),
        pytest.param({"status": "closed", "closed_at": LATER}, {}, 1, True, id="closed"),
    ],
)
def test_board_leaves_out_whoever_is_under_way_and_staff_see_them(
    study_fields: dict[str, Any], person_fields: dict[str, Any], answers: int, is_there: bool
) -> None:
    study = make_study(n_choice=2, n_number=0, n_tools=0)
    person = make_participant(study)
    for _ in range(answers):
        answer_next(person)
    Study.objects.update(**study_fields)
    Participant.objects.update(**person_fields)
    study.refresh_from_db()
    on_board = board_answers(root_ids=roots(), rule="standard@1")
    assert len(on_board) == (answers if is_there else 0)
    assert inclusions(study=study).people[person.pk].is_under_way is not is_there
    assert len(board_answers(root_ids=roots(), rule="standard@1", with_under_way=True)) == answers
    (counts,) = people_counts(study=study, root_ids=roots(), rules=["standard"])
    assert (counts["slug"], counts["n_questions"]) == (person.pseudonym, answers)


def test_board_under_another_rule_takes_the_newest_score_and_leaves_out_the_rest() -> None:
    study = make_study(n_choice=2, n_number=0, n_tools=0)
    person = make_participant(study)
    first = answer_next(person).response
    answer_next(person)
    for outcome, credit in (("wrong", 0), ("right", 1)):
        reading = first.readings.get(reader="standard@1") if outcome == "wrong" else _another_reading(first)
        ResponseScore.objects.create(
            answer=first, reading=reading, rule="as-published@1", outcome=outcome, credit=credit
        )
    answers = board_answers(root_ids=roots(), rule="as-published@1")
    assert [(answer.outcome, answer.credit) for answer in answers] == [("right", Decimal(1))]


def _another_reading(response: Response) -> object:
    return response.readings.create(reader="other@1", status="read")


def test_answer_that_could_not_be_judged_is_an_error_on_the_board() -> None:
    response = answer_next(make_participant(make_study(n_choice=1, n_number=0, n_tools=0))).response
    response.scores.all().delete()
    Response.objects.update(outcome="", credit=None, rule="")
    answers = board_answers(root_ids=roots(), rule="standard@1")
    assert [(answer.outcome, answer.credit) for answer in answers] == [("error", Decimal(0))]


def test_answers_to_comparable_revisions_share_a_root() -> None:
    study = make_study(n_choice=1, n_number=0, n_tools=0)
    old = answer_next(make_participant(study)).response.assignment.question_revision
    new = make_revision(old.question, change="cosmetic", comparison_root=old)
    Response.objects.get().assignment.__class__.objects.update(question_revision=new)
    assert [answer.root_id for answer in board_answers(root_ids=[old.pk], rule="standard@1")] == [old.pk]


# Staff


def test_staff_list_is_five_queries_and_counts_each_answer_once(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    study = make_study(n_choice=2, n_number=1, n_tools=1)
    busy, idle = make_participant(study), make_participant(study, practised=False)
    for _ in range(2):
        answer_next(busy)
    with django_assert_num_queries(5):
        rows = {row.pseudonym: row for row in staff_rows(study)}
    assert (rows[busy.pseudonym].answered, rows[busy.pseudonym].total) == (2, 4)
    assert rows[busy.pseudonym].state == "answering"
    assert (rows[idle.pseudonym].answered, rows[idle.pseudonym].state) == (0, "before profile")
    assert rows[busy.pseudonym].last_answer_at == Response.objects.latest("answered_at").answered_at


# The export


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_text_that_looks_like_a_formula_is_made_harmless(start: str) -> None:
    assert safe_text(start + "1+1") == f"'{start}1+1"
    assert safe_text("1+1") == "1+1"


def test_export_keeps_numbers_as_numbers_and_typed_text_as_text() -> None:
    study = make_study(n_choice=0, n_number=1, n_tools=0)
    answer_next(make_participant(study), Given(typed_text="-0.6"))
    header, row = [dict(zip(COLUMNS, row, strict=True)) for row in export_rows(study)]
    assert list(header.values()) == list(COLUMNS)
    assert row["typed_text"] == "'-0.6"
    assert row["number_read"] == Decimal("-0.6")
    assert row["outcome"] == "wrong"


def test_export_costs_no_query_per_row(django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    study = make_study(n_choice=3, n_number=1, n_tools=2)
    for _ in range(3):
        person = make_participant(study)
        for _ in range(6):
            answer_next(person)
    with django_assert_max_num_queries(7):
        assert len(list(export_rows(study))) == 1 + 18


def test_nothing_a_person_typed_is_markup_on_their_page() -> None:
    person = make_participant(make_study(n_choice=0, n_number=1, n_tools=0))
    page = question_page(go_to_question(person))
    assert escape("<script>") not in page.stem
