"""SV-04: an answer whose session or form token has ended is given back, and nobody is let in by it."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core import signing
from django.test import Client
from django.urls import reverse

from survey.models import Assignment, Participant, Response, Study
from survey.selectors.pages import page_token
from survey.services import link_renew, study_close
from survey.views.access import SESSION_KEY
from tests.survey.factories import client_of, go_to_question, make_participant, make_study, post_data, question_url

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
FOREIGN = {"origin": "https://elsewhere.example"}


def text_of(response: object) -> str:
    """Return a page's words with runs of white space as one space."""
    return re.sub(r"\s+", " ", response.content.decode())


def at_question(**counts: int) -> Assignment:
    """Return the question that a new person is at, shown to them."""
    counts = {"n_choice": 0, "n_number": 0, "n_tools": 0} | counts
    return go_to_question(make_participant(make_study(**counts)))


def sent(assignment: Assignment, **fields: Any) -> dict[str, Any]:
    return post_data(assignment, token=page_token(assignment), **fields)


def form_of(response: object) -> dict[str, Any]:
    """Return what a browser would send by the form's first button, tick boxes left as they are."""
    form = re.search(r'<form method="post".*?</form>', response.content.decode(), re.DOTALL).group()
    fields: dict[str, Any] = {}
    for tag in re.findall(r"<(?:input|button)[^>]*>", form):
        value = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        is_left = value.get("type") in ("checkbox", "radio") and "checked" not in tag
        if "name" in value and not is_left:
            fields.setdefault(value["name"], []).append(value.get("value", "on"))
    fields.pop("change", None)
    return fields


def assert_is_nobody(client: Client, participant: Participant) -> None:
    assert SESSION_KEY not in client.session
    page = client.get(reverse("survey:link", args=[participant.study.slug]), follow=True)
    assert page.resolver_match.url_name == "start"
    assert participant.link_secret not in page.content.decode()


@contextmanager
def hours_later(hours: int) -> Iterator[None]:
    """Let signatures made before be some hours old."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(signing, "time", SimpleNamespace(time=lambda: time.time() + hours * 3600))
        yield


@pytest.mark.parametrize("kind", ["n_choice", "n_number", "n_tools"])
def test_answer_without_session_is_given_back_and_stored_after_one_more_click(kind: str) -> None:
    assignment = at_question(**{kind: 2})
    client = client_of(assignment.participant, enforce_csrf_checks=True)
    client.get(question_url(assignment))
    Session.objects.all().delete()
    data = sent(assignment, csrfmiddlewaretoken=client.cookies["csrftoken"].value)
    back = client.post(question_url(assignment), data)
    assert "not stored yet" in text_of(back)
    assert "no-store" in back["Cache-Control"]
    assert not Response.objects.exists()
    assert_is_nobody(client, assignment.participant)
    stored = client.post(question_url(assignment), form_of(back))
    assert stored.status_code == 200
    assert "Your answer is stored" in text_of(stored)
    assert Response.objects.get().assignment == assignment
    assert_is_nobody(client, assignment.participant)


@pytest.mark.parametrize("kind", ["n_choice", "n_number"])
def test_not_to_know_without_session_is_said_and_stored_after_one_more_press(kind: str) -> None:
    assignment = at_question(**{kind: 2})
    Study.objects.update(offers_do_not_know=True)
    page = client_of(assignment.participant).get(question_url(assignment))
    fields = {"assignment": assignment.pk, "token": page.context["page"].token, "do_not_know": "1"}
    browser = Client()
    back = browser.post(question_url(assignment), fields)
    assert "You had pressed “I do not know”" in text_of(back)
    assert "Your answer is below" not in text_of(back)
    browser.post(question_url(assignment), form_of(back) | {"do_not_know": "1"})
    assert Response.objects.get().do_not_know


def test_page_token_from_a_foreign_page_lets_nobody_in() -> None:
    assignment = at_question(n_choice=2)
    client = Client(enforce_csrf_checks=True)
    back = client.post(question_url(assignment), {"token": page_token(assignment)}, headers=FOREIGN)
    assert back.status_code == 403
    assert assignment.participant.pseudonym not in text_of(back)
    assert_is_nobody(client, assignment.participant)


@pytest.mark.parametrize("fields", [{}, {"csrfmiddlewaretoken": "0" * 64}])
def test_nothing_is_stored_by_a_post_that_says_it_was_given_back(fields: dict[str, str]) -> None:
    assignment = at_question(n_choice=2)
    client = Client(enforce_csrf_checks=True)
    client.get(reverse("survey:start", args=[assignment.participant.study.slug]))
    data = sent(assignment, given_back="1", **fields)
    assert client.post(question_url(assignment), data, headers=FOREIGN).status_code == 403
    assert not Response.objects.exists()
    assert_is_nobody(client, assignment.participant)


def test_answer_with_an_outdated_form_token_stays_with_the_person_of_the_session() -> None:
    assignment = at_question(n_number=2)
    client = client_of(assignment.participant, enforce_csrf_checks=True)
    client.get(question_url(assignment))
    with hours_later(48):
        data = sent(assignment, csrfmiddlewaretoken="0" * 64)
        back = client.post(question_url(assignment), data | {"token": "outdated as well"})
        assert 'value="4.15e-21"' in text_of(back)
        assert "no-store" in back["Cache-Control"]
        assert form_of(back)["token"] != ["outdated as well"]
        after = client.post(question_url(assignment), form_of(back))
    assert after["Location"] == question_url(assignment.participant.assignments.get(position=2))
    assert Response.objects.get().typed_text == "4.15e-21"


def test_given_back_number_that_cannot_be_read_is_asked_for_again() -> None:
    assignment = at_question(n_number=1)
    client = Client()
    back = client.post(question_url(assignment), sent(assignment, typed_text="asdf", read_back=""))
    again = client.post(question_url(assignment), form_of(back))
    assert again.status_code == 422
    form = form_of(again) | {"typed_text": "7"}
    asked = client.post(question_url(assignment), form)
    assert "Is that right?" in text_of(asked)
    changed = client.post(question_url(assignment), form_of(asked) | {"change": "1", "read_back": ""})
    assert 'value="7"' in text_of(changed)
    assert "Your answer is stored" in text_of(client.post(question_url(assignment), form_of(asked)))
    assert Response.objects.get().typed_text == "7"
    assert_is_nobody(client, assignment.participant)


def test_a_token_is_for_its_own_question_and_stores_one_answer() -> None:
    assignment = at_question(n_choice=3)
    other = assignment.participant.assignments.get(position=2)
    client = Client()
    data = sent(assignment, given_back="1")
    client.post(question_url(assignment), data | {"assignment": str(other.pk)})
    assert [response.assignment for response in Response.objects.all()] == [assignment]
    again = client.post(question_url(assignment), data | {"choice": ["B"]})
    assert "already has your answer" in text_of(again)
    assert Response.objects.get().chosen_option_keys == [assignment.option_order[0]]


@pytest.mark.parametrize("given_back", ["", "1"])
def test_old_or_forged_token_shows_the_answer_and_stores_nothing(given_back: str) -> None:
    assignment = at_question(n_number=1)
    old = sent(assignment, typed_text="<b>7", given_back=given_back)
    with hours_later(25):
        pages = [Client().post(question_url(assignment), data) for data in (old, old | {"token": "forged"})]
    for page in pages:
        assert page.status_code == 403
        assert "&lt;b&gt;7" in text_of(page)
        assert "Open your personal link" in text_of(page)
    assert not Response.objects.exists()


def test_giving_back_does_not_make_the_token_last_longer() -> None:
    assignment = at_question(n_choice=1)
    data = sent(assignment)
    with hours_later(23):
        back = Client().post(question_url(assignment), data)
        assert form_of(back)["token"] == [data["token"]]


def test_answer_given_back_is_stored_though_the_study_closed_meanwhile() -> None:
    assignment = at_question(n_choice=2)
    study_close(study=assignment.participant.study)
    back = Client().post(question_url(assignment), sent(assignment))
    assert "Your answer is stored" in text_of(Client().post(question_url(assignment), form_of(back)))
    assert Response.objects.count() == 1


@pytest.mark.parametrize("kind", ["n_choice", "n_number"])
@pytest.mark.parametrize("has_form_token", [True, False])
def test_answer_of_one_person_in_a_browser_of_another_is_stored_for_the_first_after_one_more_click(
    kind: str, has_form_token: bool
) -> None:
    assignment = at_question(**{kind: 2})
    other = make_participant(assignment.participant.study)
    client = client_of(other, enforce_csrf_checks=True)
    client.get(reverse("survey:continue", args=[other.study.slug]), follow=True)
    csrf = {"csrfmiddlewaretoken": client.cookies["csrftoken"].value} if has_form_token else {}
    back = client.post(question_url(assignment), sent(assignment) | csrf)
    assert back.status_code == 409
    assert "belongs to somebody else" in text_of(back)
    assert not Response.objects.exists()
    stored = client.post(question_url(assignment), form_of(back))
    assert "Your answer is stored" in text_of(stored)
    assert Response.objects.get().assignment == assignment
    # The browser goes on as whoever it knew.
    assert other.pseudonym in text_of(stored)
    assert assignment.participant.link_secret not in text_of(stored)
    assert client.session[SESSION_KEY][other.study.slug][0] == other.pk


def test_pausing_in_a_browser_of_another_gives_the_answer_back_too() -> None:
    assignment = at_question(n_number=2)
    client = client_of(make_participant(assignment.participant.study))
    back = client.post(reverse("survey:pause", args=[assignment.participant.study.slug]), sent(assignment))
    assert form_of(back)["typed_text"] == ["4.15e-21"]


def test_without_a_token_the_page_of_another_shows_what_was_typed_and_stores_nothing() -> None:
    assignment = at_question(n_number=2)
    client = client_of(make_participant(assignment.participant.study))
    for given_back in ({}, {"given_back": "1"}):
        page = client.post(question_url(assignment), post_data(assignment, typed_text="<b>7", **given_back))
        assert page.status_code == 409
        assert "belongs to somebody else" in text_of(page)
        assert "&lt;b&gt;7" in text_of(page)
    assert not Response.objects.exists()


def test_a_new_link_ends_the_pages_that_were_opened_by_the_old_one() -> None:
    assignment = at_question(n_number=2)
    person = assignment.participant
    old = sent(assignment, typed_text="7", read_back="7")
    stolen, own = client_of(person), client_of(person)
    own.get(question_url(assignment))
    link = text_of(own.get(reverse("survey:link", args=[person.study.slug])))
    fingerprint = re.search(r'name="link" value="([^"]+)"', link)[1]
    own.post(reverse("survey:new-link", args=[person.study.slug]), {"link": fingerprint})
    for given_back in ({}, {"given_back": "1"}):
        page = stolen.post(question_url(assignment), old | given_back)
        assert page.status_code == 403
        assert "<code>7</code>" in text_of(page)
        assert "Open your personal link" in text_of(page)
    assert not Response.objects.exists()
    # A page that is open where the link was made anew is known by its session: nothing is lost.
    own.post(question_url(assignment), old)
    assert Response.objects.get().typed_text == "7"


def test_a_page_shown_after_the_link_was_renewed_has_a_token_of_now() -> None:
    assignment = at_question(n_choice=2)
    person = assignment.participant
    old = page_token(assignment)
    link_renew(participant=person, old_secret=person.link_secret)
    page = client_of(person).get(question_url(assignment))
    assert form_of(page)["token"] != [old]
    assert "not stored yet" in text_of(Client().post(question_url(assignment), form_of(page) | {"choice": ["A"]}))
