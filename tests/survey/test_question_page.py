"""Answering on the question page: no skipping, numbers read back, tools, no key before the answer."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from survey.models import Response
from survey.reading_back import number_choices
from tests.survey.factories import (
    client_of,
    go_to_question,
    make_participant,
    make_study,
    post_data,
    question_url,
)

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

PAGES = ("start", "consent", "profile", "link", "practice", "continue", "rules", "finish")


def text_of(response: object) -> str:
    """Return a page's words with runs of white space as one space."""
    return re.sub(r"\s+", " ", response.content.decode())


# SV-11: no skipping


@pytest.mark.parametrize(
    "change",
    [
        {"typed_text": ""},
        {"typed_text": "   "},
        {"typed_text": "asdf"},
        {"typed_text": "no idea"},
        {"do_not_know": "1"},
    ],
)
def test_sv11_number_without_a_number_is_refused_with_a_reason(change: dict[str, str]) -> None:
    participant = make_participant(make_study(n_choice=0, n_number=1, n_tools=0))
    assignment = go_to_question(participant)
    response = client_of(participant).post(question_url(assignment), post_data(assignment, **change))
    assert response.status_code == 422
    assert 'role="alert"' in text_of(response)
    assert not Response.objects.exists()


@pytest.mark.parametrize("choice", [[], ["Z"], ["E"], [""]])
def test_sv11_choice_of_nothing_is_refused(choice: list[str]) -> None:
    participant = make_participant(make_study(n_choice=1, n_number=0, n_tools=0))
    assignment = go_to_question(participant)
    response = client_of(participant).post(question_url(assignment), post_data(assignment, choice=choice))
    assert response.status_code == 422
    assert not Response.objects.exists()


def test_sv11_unreadable_number_comes_back_with_an_example_and_its_field_is_marked() -> None:
    participant = make_participant(make_study(n_choice=0, n_number=1, n_tools=0))
    assignment = go_to_question(participant)
    response = client_of(participant).post(question_url(assignment), post_data(assignment, typed_text="asdf"))
    text = text_of(response)
    assert 'value="asdf"' in text
    assert "4.15e-21" in text
    assert re.search(r'aria-describedby="hint-typed error-typed_text"', text)
    assert 'id="error-typed_text"' in text


def test_sv11_address_of_a_later_question_leads_back() -> None:
    participant = make_participant(make_study(n_choice=3, n_number=0, n_tools=0))
    client = client_of(participant)
    first = go_to_question(participant)
    later = participant.assignments.get(position=3)
    response = client.get(question_url(later), follow=True)
    assert response.context["page"].position == 1
    assert "Questions come in order" in text_of(response)
    client.post(question_url(later), post_data(later))
    assert not Response.objects.exists()
    assert first.pk != later.pk


def test_sv11_do_not_know_is_stored_where_it_is_offered() -> None:
    participant = make_participant(make_study(offers_do_not_know=True, asks_confidence=True))
    assignment = go_to_question(participant)
    client_of(participant).post(question_url(assignment), {"assignment": assignment.pk, "do_not_know": "1"})
    response = Response.objects.get()
    assert (response.do_not_know, response.outcome, response.chosen_option_keys) == (True, "do_not_know", [])


# AP-09: read back


def post_typed(typed: str, **fields: str) -> tuple[Client, object, str]:
    participant = make_participant(make_study(n_choice=0, n_number=1, n_tools=0))
    assignment = go_to_question(participant)
    client = client_of(participant)
    data = {"assignment": assignment.pk, "typed_text": typed, **fields}
    return client, assignment, text_of(client.post(question_url(assignment), data))


def test_number_is_read_back_before_it_is_stored() -> None:
    _, _, text = post_typed("4.15×10−21")
    assert "We read <strong" in text
    assert "4.15 × 10⁻²¹" in text
    assert not Response.objects.exists()


def test_decimal_comma_is_asked_back_as_a_point() -> None:
    client, assignment, text = post_typed("12,5")
    assert ">12.5<" in text
    client.post(question_url(assignment), post_data(assignment, typed_text="12,5", read_back="12.5"))
    response = Response.objects.get()
    assert (response.typed_text, response.readings.get().number) == ("12,5", "12.5")


@pytest.mark.parametrize(("said", "stored"), [("1234", "1,234"), ("1.234", "1.234")])
def test_comma_that_may_mean_two_numbers_is_asked_about(said: str, stored: str) -> None:
    client, assignment, text = post_typed("1,234")
    assert "Which number do you mean?" in text
    assert ">1234<" in text
    assert ">1.234<" in text
    client.post(question_url(assignment), post_data(assignment, typed_text="1,234", read_back=said))
    response = Response.objects.get()
    assert (response.typed_text, response.readings.get().number) == (stored, said)


def test_yes_to_another_number_than_the_one_typed_is_asked_again() -> None:
    _, _, text = post_typed("5", read_back="6")
    assert "We read <strong" in text
    assert not Response.objects.exists()


def test_a_long_number_that_is_read_can_be_confirmed() -> None:
    typed = f"-{'9' * 60}.{'9' * 60}"
    (choice,) = number_choices(typed)
    post_typed(typed, read_back=choice.value)
    assert Response.objects.get().typed_text == typed


def test_an_option_sent_twice_is_chosen_once() -> None:
    participant = make_participant(make_study(n_choice=1, n_number=0, n_tools=0))
    assignment = go_to_question(participant)
    client_of(participant).post(question_url(assignment), post_data(assignment, choice=["A", "A"]))
    assert Response.objects.get().chosen_option_keys == [assignment.option_order[0]]


def test_change_brings_the_typed_text_back() -> None:
    _, _, text = post_typed("5 mol", change="1", read_back="5")
    assert 'value="5 mol"' in text
    assert not Response.objects.exists()


# SV-14: tools


def test_sv14_tools_are_asked_per_question_and_rules_shown_at_each_block() -> None:
    study = make_study(n_choice=1, n_number=0, n_tools=1)
    participant = make_participant(study)
    client = client_of(participant)
    rules = text_of(client.get(reverse("survey:rules", args=[study.slug])))
    assert "Rules of no-tools." in rules
    assert "No language models" in rules
    without = go_to_question(participant)
    assert 'name="tools"' not in text_of(client.get(question_url(without)))
    refused = client.post(question_url(without), post_data(without, tools=["RDKit"]))
    assert "answered without tools" in text_of(refused)
    client.post(question_url(without), post_data(without))
    assert "Rules of tools." in text_of(client.get(reverse("survey:rules", args=[study.slug])))
    with_tools = go_to_question(participant)
    assert "Say which tools" in text_of(client.post(question_url(with_tools), post_data(with_tools, tools=[])))
    both = client.post(question_url(with_tools), post_data(with_tools, tools=["none", "RDKit"]))
    assert "Keep one or the other" in text_of(both)
    client.post(question_url(with_tools), post_data(with_tools, tools=["web search", "RDKit"], tools_other="abacus"))
    stored = Response.objects.get(assignment=with_tools)
    assert stored.tools_used == ["web search", "RDKit", "other: abacus"]


def test_refused_answer_keeps_everything_that_was_filled_in() -> None:
    participant = make_participant(make_study(n_choice=0, n_number=0, n_tools=1, asks_confidence=True))
    assignment = go_to_question(participant)
    data = post_data(assignment, choice=["B"], tools=["none", "book"], tools_other="abacus", confidence="4")
    text = text_of(client_of(participant).post(question_url(assignment), data))
    for field in ('value="B" checked', 'value="none" checked', 'value="book" checked', 'value="4" checked'):
        assert field in text
    assert 'value="abacus"' in text


# SE-04: no key before the answer


def test_se04_pages_before_the_answer_hold_no_key() -> None:
    study = make_study(n_choice=1, n_number=1, n_tools=0)
    participant = make_participant(study)
    client = client_of(participant)
    for _ in range(2):
        assignment = go_to_question(participant)
        pages = [
            client.get(question_url(assignment)),
            client.post(question_url(assignment), post_data(assignment, choice=[], typed_text="asdf")),
            client.post(question_url(assignment), {"assignment": assignment.pk, "typed_text": "7", "choice": ["Z"]}),
        ]
        for page in pages:
            assert page.status_code in (200, 422)
            assert_no_key(page.content.decode(), assignment)
        client.post(question_url(assignment), post_data(assignment))


def assert_no_key(body: str, assignment: object) -> None:
    revision = assignment.question_revision
    assert not (revision.target and revision.target in body)
    for option in revision.options.all():
        assert option.option_key not in body
    for word in ("credit", "target", "score", "outcome", "right_answer", "option_key"):
        assert word not in body.lower().replace('target="_blank"', "")


def test_se04_right_options_stand_in_every_place_and_say_nothing() -> None:
    study = make_study(n_choice=30, n_number=0, n_tools=0)
    places = set()
    for assignment in make_participant(study).assignments.prefetch_related("question_revision__options"):
        right = [option.option_key for option in assignment.question_revision.options.all() if option.credit == 1]
        places.add(assignment.option_order.index(right[0]))
    assert places == {0, 1, 2}


def test_answer_page_of_another_participant_stores_nothing() -> None:
    study = make_study(n_choice=2, n_number=0, n_tools=0)
    mine, theirs = make_participant(study), make_participant(study)
    go_to_question(mine)
    assignment = go_to_question(theirs)
    for data in (post_data(assignment), {"assignment": "x"}, {"assignment": "9" * 30}, {}):
        response = client_of(mine).post(question_url(assignment), data)
        assert response.status_code == 409
        assert "belongs to somebody else" in text_of(response)
    assert not Response.objects.exists()
