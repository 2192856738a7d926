"""What is filled in but not sent survives a closed tab, for the question of now, until it is answered."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from survey.models import Assignment, Draft, Response
from survey.services import draft_save, participant_withdraw
from survey.services.drafts import MOST_CHARACTERS
from tests.survey.factories import (
    answer_next,
    client_of,
    go_to_question,
    make_participant,
    make_study,
    post_data,
    question_url,
)

pytestmark = pytest.mark.django_db


def text_of(response: Any) -> str:
    return re.sub(r"\s+", " ", response.content.decode())


def at_question(**counts: int) -> Assignment:
    counts = {"n_choice": 0, "n_number": 0, "n_tools": 0} | counts
    return go_to_question(make_participant(make_study(asks_confidence=True, **counts)))


def save(client: Client, assignment: Assignment, **fields: Any) -> int:
    url = reverse("survey:draft", args=[assignment.participant.study.slug])
    return client.post(url, {"assignment": assignment.pk, **fields}).status_code


def test_draft_comes_back_on_another_device_with_its_time() -> None:
    assignment = at_question(n_tools=2)
    filled = {"choice": ["A", "C"], "tools": ["book"], "tools_other": "abacus", "confidence": "4"}
    assert save(client_of(assignment.participant), assignment, **filled) == 204
    page = text_of(client_of(assignment.participant).get(question_url(assignment)))
    for field in ('value="A" checked', 'value="C" checked', 'value="book" checked', 'value="4" checked'):
        assert field in page
    assert 'value="B" checked' not in page
    assert 'value="abacus"' in page
    assert "Restored what you had filled in at" in page
    assert f"{Draft.objects.get().saved_at:%H:%M} UTC" in page


def test_typed_number_comes_back_and_the_last_word_counts() -> None:
    assignment = at_question(n_number=1)
    client = client_of(assignment.participant)
    for typed in ("1", "12", "12,"):
        assert save(client, assignment, typed_text=typed) == 204
    assert 'value="12,"' in text_of(client.get(question_url(assignment)))
    assert Draft.objects.count() == 1


def test_without_script_what_could_not_be_stored_is_kept_too() -> None:
    assignment = at_question(n_number=1)
    client = client_of(assignment.participant)
    client.post(question_url(assignment), {"assignment": assignment.pk, "typed_text": "12,5", "confidence": "2"})
    assert Draft.objects.get().content == {"typed_text": ["12,5"], "confidence": ["2"]}
    page = text_of(client.get(question_url(assignment)))
    assert 'value="12,5"' in page
    assert 'value="2" checked' in page


def test_draft_goes_when_the_answer_is_stored_and_cannot_come_after_it() -> None:
    assignment = at_question(n_choice=2)
    client = client_of(assignment.participant)
    save(client, assignment, choice=["B"])
    client.post(question_url(assignment), post_data(assignment, confidence="3"))
    assert Response.objects.count() == 1
    assert not Draft.objects.exists()
    assert save(client, assignment, choice=["C"]) == 409
    assert not draft_save(assignment=assignment, fields={"choice": ["C"]})
    assert not Draft.objects.exists()


def test_nothing_filled_in_any_more_forgets_the_draft() -> None:
    assignment = at_question(n_choice=1)
    client = client_of(assignment.participant)
    save(client, assignment, choice=["B"])
    assert save(client, assignment, typed_text="  ") == 204
    assert not Draft.objects.exists()
    assert "Restored" not in text_of(client.get(question_url(assignment)))


def test_draft_is_only_taken_for_the_own_question_of_now() -> None:
    assignment = at_question(n_choice=3)
    participant = assignment.participant
    other = make_participant(participant.study)
    go_to_question(other)
    later = participant.assignments.get(position=3)
    assert save(client_of(other), assignment, choice=["A"]) == 409
    assert save(client_of(participant), later, choice=["A"]) == 409
    assert save(Client(), assignment, choice=["A"]) == 409
    assert save(client_of(participant, enforce_csrf_checks=True), assignment, choice=["A"]) == 403
    assert not Draft.objects.exists()


@pytest.mark.parametrize(
    ("fields", "is_kept"),
    [
        ({"typed_text": "x" * MOST_CHARACTERS}, True),
        ({"typed_text": "x" * (MOST_CHARACTERS + 1)}, False),
        ({"choice": ["A"] * 65}, False),
        ({"typed_text": "1\x002"}, True),
        ({"csrfmiddlewaretoken": "x" * 5000, "token": "y" * 5000, "typed_text": "1"}, True),
    ],
)
def test_draft_is_no_larger_than_the_form(fields: dict[str, Any], is_kept: bool) -> None:
    assignment = at_question(n_number=1)
    assert save(client_of(assignment.participant), assignment, **fields) == (204 if is_kept else 409)
    drafts = list(Draft.objects.values_list("content", flat=True))
    assert bool(drafts) is is_kept
    assert not drafts or drafts[0] == {"typed_text": [fields["typed_text"].replace("\0", "")]}


def test_odd_content_does_no_harm_to_the_page() -> None:
    assignment = at_question(n_tools=1)
    client = client_of(assignment.participant)
    assert save(client, assignment, choice=["<b>", "Z"], confidence="99", tools_other="<i>odd</i>") == 204
    page = client.get(question_url(assignment))
    assert page.status_code == 200
    assert "<i>odd" not in text_of(page)
    assert "&lt;i&gt;odd" in text_of(page)


def test_drafts_go_with_a_withdrawal() -> None:
    assignment = at_question(n_choice=2)
    save(client_of(assignment.participant), assignment, choice=["A"])
    participant_withdraw(participant=assignment.participant)
    assert not Draft.objects.exists()


# What a page costs


def test_a_question_page_and_an_answer_cost_few_queries(django_assert_max_num_queries: Any) -> None:
    participant = make_participant(make_study(n_choice=6, n_number=0, n_tools=0))
    for _ in range(3):
        answer_next(participant)
    assignment = go_to_question(participant)
    Assignment.objects.filter(pk=assignment.pk).update(served_at=None)
    client = client_of(participant)
    with django_assert_max_num_queries(10):
        assert client.get(question_url(assignment)).status_code == 200
    # One more than the first time: a page that is opened again may be paused.
    with django_assert_max_num_queries(11):
        assert client.get(question_url(assignment)).status_code == 200
    # Two more than without corrected keys: later revisions are looked for.
    with django_assert_max_num_queries(24):
        assert client.post(question_url(assignment), post_data(assignment)).status_code == 302
    assert Response.objects.count() == 4


@pytest.mark.parametrize("is_pause", [True, False])
def test_an_empty_page_of_another_device_keeps_the_draft(is_pause: bool) -> None:
    assignment = at_question(n_number=1)
    laptop, phone = client_of(assignment.participant), client_of(assignment.participant)
    save(laptop, assignment, typed_text="4.15e-21")
    paused = reverse("survey:pause", args=[assignment.participant.study.slug])
    sent = phone.post(paused if is_pause else question_url(assignment), {"assignment": assignment.pk, "typed_text": ""})
    assert sent.status_code == (302 if is_pause else 422)
    assert Draft.objects.get().content == {"typed_text": ["4.15e-21"]}
    assert save(laptop, assignment, typed_text="") == 204
    assert not Draft.objects.exists()
