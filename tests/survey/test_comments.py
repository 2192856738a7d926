"""Remarks on the question somebody is at: stored once, limited, and never in the way of the answer."""

import pytest
from django.test import Client
from django.urls import reverse

from survey.errors import CommentRefusedError, NotYoursError, WithdrawnError
from survey.models import Assignment, Participant, QuestionComment, Response
from survey.services import comment_record, participant_withdraw
from survey.services.comments import LONGEST_COMMENT, MOST_COMMENTS_PER_QUESTION
from tests.survey.factories import client_of, go_to_question, make_participant, make_study, question_url

pytestmark = pytest.mark.django_db


@pytest.fixture
def waiting() -> Assignment:
    """The question somebody is at."""
    return go_to_question(make_participant(make_study(n_choice=2, n_number=0, n_tools=0)))


def comment(assignment: Assignment, text: str = "Two options are the same.", kind: str = "error") -> bool:
    given = comment_record(participant=assignment.participant, assignment_id=assignment.pk, kind=kind, text=text)
    return given.created


def url(assignment: Assignment) -> str:
    return reverse("survey:comment", args=[assignment.participant.study.slug, assignment.position])


def data(assignment: Assignment, **fields: str) -> dict[str, str]:
    return {"assignment": str(assignment.pk), "kind": "error", "text": "The unit is missing.", **fields}


def test_the_same_remark_is_stored_once(waiting: Assignment) -> None:
    assert [comment(waiting), comment(waiting), comment(waiting, kind="comment")] == [True, False, True]
    stored = QuestionComment.objects.filter(kind="error").get()
    assert stored.question_revision == waiting.question_revision
    assert stored.participant == waiting.participant


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        pytest.param("error", "", id="empty"),
        pytest.param("error", " \n\t ", id="blank"),
        pytest.param("error", "x" * (LONGEST_COMMENT + 1), id="too long"),
        pytest.param("praise", "Lovely.", id="unknown kind"),
    ],
)
def test_a_remark_that_cannot_be_stored_is_refused(waiting: Assignment, kind: str, text: str) -> None:
    with pytest.raises(CommentRefusedError):
        comment(waiting, text, kind)
    assert not QuestionComment.objects.exists()


def test_a_question_takes_so_many_remarks_of_one_person(waiting: Assignment) -> None:
    assert all(comment(waiting, f"Remark {number}") for number in range(MOST_COMMENTS_PER_QUESTION))
    with pytest.raises(CommentRefusedError):
        comment(waiting, "One more")
    # What was stored before is still said to be stored.
    assert not comment(waiting, "Remark 0")
    assert QuestionComment.objects.count() == MOST_COMMENTS_PER_QUESTION


def test_only_questions_that_were_shown_to_this_person(waiting: Assignment) -> None:
    later = waiting.participant.assignments.get(position=2)
    other = make_participant(make_study())
    for person, assignment in ((waiting.participant, later), (other, waiting)):
        with pytest.raises(NotYoursError):
            comment_record(participant=person, assignment_id=assignment.pk, kind="error", text="Hm.")


def test_the_author_goes_when_they_withdraw_and_comments_no_more(waiting: Assignment) -> None:
    comment(waiting)
    person = waiting.participant
    participant_withdraw(participant=person)
    assert QuestionComment.objects.get().participant is None
    with pytest.raises((WithdrawnError, NotYoursError)):
        comment(waiting, "Another")


# The page


def test_the_question_page_has_the_form_outside_the_answer(waiting: Assignment) -> None:
    page = client_of(waiting.participant).get(question_url(waiting)).content.decode()
    answer, after = page.split("</form>", 1)
    assert url(waiting) in after
    assert 'name="text"' not in answer


def test_a_remark_has_a_page_of_its_own_and_touches_no_answer(waiting: Assignment) -> None:
    client = client_of(waiting.participant)
    page = client.post(url(waiting), data(waiting))
    assert page.status_code == 200
    assert "Your remark is stored" in page.content.decode()
    assert "stored already" in client.post(url(waiting), data(waiting)).content.decode()
    assert QuestionComment.objects.count() == 1
    assert not Response.objects.exists()


def test_the_script_gets_a_sentence(waiting: Assignment) -> None:
    client = client_of(waiting.participant)
    for text, status, word in (("Right.", 200, "Thank you"), ("", 422, "Write what")):
        reply = client.post(url(waiting), data(waiting, text=text), headers={"accept": "application/json"})
        assert (reply.status_code, word in reply.json()["message"]) == (status, True)


def test_a_refused_remark_is_given_back(waiting: Assignment) -> None:
    text = "<b>long</b> " * 200
    page = client_of(waiting.participant).post(url(waiting), data(waiting, text=text))
    assert page.status_code == 422
    assert "&lt;b&gt;long" in page.content.decode()
    assert "<b>long" not in page.content.decode()


@pytest.mark.parametrize("assignment", ["", "0", "999999", "x", "\u0663"])
def test_a_page_of_somebody_else_is_not_taken(waiting: Assignment, assignment: str) -> None:
    page = client_of(waiting.participant).post(url(waiting), data(waiting) | {"assignment": assignment})
    assert page.status_code == 422
    assert not QuestionComment.objects.exists()


def test_remarks_need_the_person_and_the_token_of_the_form(waiting: Assignment) -> None:
    assert Client().post(url(waiting), data(waiting)).status_code == 302
    strict = client_of(waiting.participant, enforce_csrf_checks=True)
    assert strict.post(url(waiting), data(waiting)).status_code == 403
    assert client_of(waiting.participant).get(url(waiting)).status_code == 405
    assert not QuestionComment.objects.exists()
    assert Participant.objects.count() == 1
