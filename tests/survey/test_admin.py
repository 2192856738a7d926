"""The survey in the admin: consent that counts is read, answers are evidence."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from survey.admin import ConsentTextForm, StudyBlockForm
from survey.models import Participant, Response, Study
from survey.services import consent_text_add
from tests.survey.factories import answer_next, make_participant, make_study, staff_client

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def admin_page(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("root", password="x"))
    return client


@pytest.mark.parametrize("model", ["study", "participant", "response"])
def test_lists_and_pages_open(admin_page: Client, model: str) -> None:
    study = make_study()
    response = answer_next(make_participant(study)).response
    pk = {"study": study.pk, "participant": Participant.objects.get().pk, "response": response.pk}[model]
    assert admin_page.get(reverse(f"admin:survey_{model}_changelist")).status_code == 200
    page = admin_page.get(reverse(f"admin:survey_{model}_change", args=[pk]))
    assert page.status_code == 200
    assert Participant.objects.get().link_secret not in page.content.decode()


def test_answers_can_be_read_but_not_changed_or_deleted(admin_page: Client) -> None:
    response = answer_next(make_participant(make_study())).response
    change = reverse("admin:survey_response_change", args=[response.pk])
    assert "standard@1" in admin_page.get(change).content.decode()
    assert admin_page.post(change, {"typed_text": "other"}).status_code == 403
    assert admin_page.post(reverse("admin:survey_response_delete", args=[response.pk])).status_code == 403
    assert admin_page.get(reverse("admin:survey_response_add")).status_code == 403
    assert Response.objects.get().typed_text == response.typed_text


def test_consent_that_someone_agreed_to_is_read_only() -> None:
    study = make_study()
    agreed_to = make_participant(study).consent_text
    new = consent_text_add(study=study, text="New.")
    assert all(field.disabled for field in ConsentTextForm(instance=agreed_to).fields.values())
    assert not any(field.disabled for field in ConsentTextForm(instance=new).fields.values())
    form = ConsentTextForm({"version": 9, "text": "changed"}, instance=agreed_to)
    assert form.is_valid()
    assert form.save(commit=False).text == "You may stop at any time."


def test_consent_that_someone_agrees_to_while_the_form_is_open_is_not_changed() -> None:
    study = make_study()
    form = ConsentTextForm({"version": 1, "text": "changed"}, instance=study.consent_texts.get())
    make_participant(study)
    assert not form.is_valid()
    assert "Add a new version" in str(form.errors)
    assert study.consent_texts.get().text == "You may stop at any time."


def test_rules_and_tools_of_a_block_are_fixed_once_questions_are_given() -> None:
    study = make_study()
    block = study.blocks.first()
    assert not StudyBlockForm(instance=block).fields["tools_allowed"].disabled
    make_participant(study)
    fields = StudyBlockForm(instance=block).fields
    assert [name for name, field in fields.items() if field.disabled] == [
        "slug",
        "rules",
        "tools_allowed",
        "questions_per_person",
    ]


def test_actions_open_what_is_ready_and_say_what_is_missing(admin_page: Client) -> None:
    ready, empty = make_study(opened=False), make_study(opened=False)
    empty.blocks.all().delete()
    url = reverse("admin:survey_study_changelist")
    data = {"action": "open_studies", "_selected_action": [ready.pk, empty.pk]}
    text = admin_page.post(url, data, follow=True).content.decode()
    assert "1 opened, 1 left as they were" in text
    assert "There is no block of questions" in text
    assert dict(Study.objects.values_list("pk", "status")) == {ready.pk: "open", empty.pk: "draft"}
    admin_page.post(url, {"action": "close_studies", "_selected_action": [ready.pk, empty.pk]})
    assert dict(Study.objects.values_list("pk", "status")) == {ready.pk: "closed", empty.pk: "draft"}


def test_slug_of_personal_links_is_refused(admin_page: Client) -> None:
    study = make_study()
    url = reverse("admin:survey_study_change", args=[study.pk])
    page = admin_page.post(url, {"title": "Resume", "slug": "resume", "block_order": "random"})
    assert "Personal links live at that address" in page.content.decode()


@pytest.mark.parametrize("n_number", [0, 1])
def test_keys_and_verdicts_are_for_those_who_may_see_keys(admin_page: Client, n_number: int) -> None:
    study = make_study(n_choice=1 - n_number, n_number=n_number, n_tools=0)
    response = answer_next(make_participant(study)).response
    listing = reverse("admin:survey_response_changelist")
    change = reverse("admin:survey_response_change", args=[response.pk])
    word = "Answer key" if n_number else "Credit"
    assert word in admin_page.get(change).content.decode()
    assert admin_page.get(listing, {"outcome": "right"}).status_code == 200
    staff = staff_client("view_participant", "view_response", "add_responsereading")
    shown = staff.get(listing).content.decode() + staff.get(change).content.decode()
    assert not [told for told in ("Answer key", "Credit", "Right", "outcome", "4.15E-21") if told in shown]
    for lookup in ("outcome", "credit__gte", "key_revision__isnull"):
        assert staff.get(listing, {lookup: "1"}).status_code == 400
    assert staff.get(reverse("admin:survey_response_correct", args=[response.pk])).status_code == 403
