"""A study's settings in the admin: what stays changeable, copies, reminders, flags, comments worked through."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core import mail
from django.core.exceptions import ValidationError
from django.db import connection
from django.forms.models import model_to_dict
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from corpus.models import ActionLog, Benchmark
from corpus.question_panels import QuestionPanel, panels_of, register_panel
from survey.admin import StudyForm
from survey.admin.studies import CopyForm
from survey.errors import CommentRefusedError, StudyNotReadyError
from survey.models import Participant, QuestionComment, ReminderAddress, Study, StudyBlock
from survey.services import consent_text_add, study_close
from survey.services import copies as copies_module
from survey.services.copies import NOT_COPIED, study_copy
from survey.services.curation import comment_reopen, comment_resolve
from survey.services.studies import study_edit
from tests.corpus.factories import make_benchmark, make_question, make_set
from tests.survey.factories import answer_next, go_to_question, make_participant, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def admin_page(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("root", password="x"))
    return client


def form_data(study: Study, **changed: Any) -> dict[str, Any]:
    """Return what the admin's form of a study sends, its inlines untouched."""
    fields = {name: getattr(study, name) for name in StudyForm.Meta.fields if name not in ("attention_set",)}
    data = {name: value for name, value in (fields | changed).items() if value not in (None, False)}
    for prefix, rows in (("consent_texts", study.consent_texts.all()), ("blocks", study.blocks.all())):
        data |= {f"{prefix}-TOTAL_FORMS": len(rows), f"{prefix}-INITIAL_FORMS": len(rows)}
        for place, row in enumerate(rows):
            for name, value in model_to_dict(row).items():
                if value not in (None, False):
                    data[f"{prefix}-{place}-{name}"] = value
    return data


# What stays changeable


def test_saving_a_form_read_before_the_study_closed_opens_nothing(admin_page: Client) -> None:
    study = make_study()
    stale = Study.objects.get(pk=study.pk)
    study_close(study=study)
    stale.title = "Another title"
    form = StudyForm(form_data(stale), instance=Study.objects.get(pk=study.pk))
    assert form.changed_data == ["title"]
    study_edit(study=stale, changed=form.changed_data)
    stored = Study.objects.get(pk=study.pk)
    assert (stored.title, stored.status, stored.closed_at is None) == ("Another title", Study.Status.CLOSED, False)


def test_parts_exchange_their_places(admin_page: Client) -> None:
    study = make_study()
    first, second = study.blocks.all()
    data = form_data(study) | {"blocks-0-position": second.position, "blocks-1-position": first.position}
    page = admin_page.post(reverse("admin:survey_study_change", args=[study.pk]), data)
    assert page.status_code == 302
    assert list(study.blocks.all()) == [second, first]
    assert [block.position for block in study.blocks.all()] == [first.position, second.position]


@pytest.mark.parametrize(
    ("before", "changed", "after"),
    [
        pytest.param((1, 2), {"blocks-1-DELETE": "on", "blocks-0-position": 2}, [("a", 2)], id="place of one deleted"),
        pytest.param((1, 2), {"blocks-1-DELETE": "on", "blocks-0-slug": "b"}, [("b", 1)], id="slug of one deleted"),
        pytest.param((1, 2), {"blocks-0-slug": "b", "blocks-1-slug": "a"}, [("b", 1), ("a", 2)], id="slugs exchanged"),
        pytest.param(
            (1, 2), {"blocks-0-slug": "b", "blocks-1-slug": "c"}, [("b", 1), ("c", 2)], id="slug that is given up"
        ),
        pytest.param(
            (32767, 32766),
            {"blocks-0-position": 32767, "blocks-1-position": 32766},
            [("a", 32766), ("b", 32767)],
            id="the last places",
        ),
    ],
)
def test_parts_take_what_others_give_up(
    admin_page: Client, before: tuple[int, int], changed: dict[str, Any], after: list[tuple[str, int]]
) -> None:
    study = make_study()
    first, second = study.blocks.all()
    StudyBlock.objects.filter(pk=first.pk).update(slug="a", position=before[0])
    StudyBlock.objects.filter(pk=second.pk).update(slug="b", position=before[1])
    page = admin_page.post(reverse("admin:survey_study_change", args=[study.pk]), form_data(study) | changed)
    assert page.status_code == 302
    assert list(study.blocks.values_list("slug", "position")) == after


def test_a_part_that_was_given_stays_with_its_benchmark(admin_page: Client) -> None:
    study = make_study(n_choice=1, n_number=0, n_tools=0)
    (block,) = study.blocks.all()
    before = block.set_revision.question_set.benchmark
    other = make_benchmark()
    revision = make_set(other, revisions=[make_question(other)]).current_revision
    url = reverse("admin:survey_study_change", args=[study.pk])
    person = make_participant(study)
    refused = admin_page.post(url, form_data(study) | {"blocks-0-set_revision": revision.pk})
    assert "Choose a set of that benchmark" in refused.text
    assert study.blocks.get().set_revision == block.set_revision
    person.assignments.all().delete()
    versions = [Benchmark.objects.get(pk=pk).results_version for pk in (before.pk, other.pk)]
    saved = admin_page.post(url, form_data(study) | {"blocks-0-set_revision": revision.pk})
    assert (saved.status_code, study.blocks.get().set_revision) == (302, revision)
    for pk, version in zip((before.pk, other.pk), versions, strict=True):
        assert Benchmark.objects.get(pk=pk).results_version > version


def test_a_version_of_the_consent_that_is_there_already_is_refused(admin_page: Client) -> None:
    study = make_study()
    data = form_data(study) | {
        "consent_texts-TOTAL_FORMS": 2,
        "consent_texts-1-study": study.pk,
        "consent_texts-1-version": 2,
        "consent_texts-1-text": "Mine, long in writing.",
    }
    consent_text_add(study=study, text="The other editor's.")
    page = admin_page.post(reverse("admin:survey_study_change", args=[study.pk]), data)
    assert "Consent text with this Study and Version already exists." in page.text
    assert "Mine, long in writing." in page.text
    assert study.consent_texts.get(version=2).text == "The other editor's."


def test_saving_holds_people_before_the_study(admin_page: Client) -> None:
    study = make_study(n_choice=1, n_number=0, n_tools=0)
    answer_next(make_participant(study))
    url = reverse("admin:survey_study_change", args=[study.pk])
    with CaptureQueriesContext(connection) as queries:
        assert admin_page.post(url, form_data(study, title="Another title")).status_code == 302
    written = [query["sql"].split('"')[1] for query in queries if query["sql"].startswith("UPDATE")]
    assert written.index("survey_participant") < written.index("survey_study")


def test_design_is_fixed_once_people_have_begun_and_inclusion_is_not() -> None:
    study = make_study()
    assert not [name for name, field in StudyForm(instance=study).fields.items() if field.disabled]
    make_participant(study)
    fixed = {name for name, field in StudyForm(instance=study).fields.items() if field.disabled}
    assert {"block_order", "attention_set", "attention_every", "offers_do_not_know", "balance_grouping"} <= fixed
    assert not fixed & {"completion_rule", "minimum_years", "counts_unknown_experience", "title", "retention_days"}


def test_change_of_who_counts_is_logged_and_boards_follow(admin_page: Client) -> None:
    study = make_study(n_choice=1, n_number=0, n_tools=0)
    answer_next(make_participant(study))
    study_close(study=study)
    benchmark = Benchmark.objects.get()
    url = reverse("admin:survey_study_change", args=[study.pk])
    page = admin_page.get(url).content.decode()
    assert "Who counts" in page
    rule = {"minimum_years": 2, "counts_unknown_experience": False}
    asked = admin_page.post(url, form_data(study, **rule), follow=True).content.decode()
    assert "Tick the box to do it all the same" in asked
    study.refresh_from_db()
    assert study.minimum_years is None
    data = form_data(study, **rule) | {"moves_few_people": "on"}
    saved = admin_page.post(url, data, follow=True)
    assert "0 people count now: 0 more than before, 1 no longer." in saved.content.decode(), saved.context.get("errors")
    study.refresh_from_db()
    assert (study.minimum_years, study.counts_unknown_experience) == (2, False)
    assert Benchmark.objects.get().results_version > benchmark.results_version
    assert ActionLog.objects.filter(code="study.inclusion_changed").count() == 1
    admin_page.post(url, form_data(study, title="Another title"), follow=True)
    study.refresh_from_db()
    assert (study.title, study.minimum_years) == ("Another title", 2)
    assert ActionLog.objects.filter(code="study.inclusion_changed").count() == 1, "a title moves nobody"


@pytest.mark.parametrize(("field", "value"), [("attention_every", 5), ("attention_set", "set")])
def test_attention_checks_need_both_a_set_and_a_number(field: str, value: Any) -> None:
    study = make_study()
    value = study.blocks.first().set_revision_id if value == "set" else value
    form = StudyForm({**model_to_dict(study, StudyForm.Meta.fields), field: value}, instance=study)
    assert not form.is_valid()
    assert set(form.errors) == {"attention_every", "attention_set"} - {field}


def test_page_says_what_is_missing(admin_page: Client) -> None:
    study = make_study(opened=False)
    url = reverse("admin:survey_study_change", args=[study.pk])
    assert "Nothing: it can be opened." in admin_page.get(url).content.decode()
    study.consent_texts.all().delete()
    assert "There is no consent text." in admin_page.get(url).content.decode()
    assert admin_page.get(reverse("admin:survey_study_add")).status_code == 200


# Copies


def test_copy_has_the_design_and_nobody() -> None:
    study = make_study(asks_confidence=True, offers_do_not_know=True, is_demo=True)
    Study.objects.filter(pk=study.pk).update(
        break_every=20, minimum_years=2, completion_rule="block", retention_days=90, n_draws=4, closed_at=timezone.now()
    )
    study.blocks.update(questions_per_person=1)
    consent_text_add(study=study, text="The newest text.")
    study.refresh_from_db()
    answer_next(make_participant(study))
    copy = study_copy(study=study, slug="second", title="Second")
    copy.refresh_from_db()
    for field in Study._meta.concrete_fields:
        if field.name not in NOT_COPIED:
            assert getattr(copy, field.attname) == getattr(study, field.attname), field.name
    assert (copy.status, copy.n_draws, copy.closed_at, copy.is_demo) == ("draft", 0, None, False)
    assert list(copy.consent_texts.values_list("version", "text")) == [(1, "The newest text.")]
    names = [field.name for field in StudyBlock._meta.concrete_fields if field.name not in ("id", "study")]
    assert list(copy.blocks.values_list(*names)) == list(study.blocks.values_list(*names))
    assert not copy.participants.exists()
    assert study.participants.count() == 1


@pytest.mark.parametrize(("slug", "error"), [("resume", StudyNotReadyError), ("taken", ValidationError)])
def test_copy_needs_a_free_name(slug: str, error: type[Exception]) -> None:
    study = make_study(slug="taken")
    with pytest.raises(error):
        study_copy(study=study, slug=slug, title="Second")
    assert Study.objects.count() == 1


def test_copy_by_the_admins_button(admin_page: Client) -> None:
    study = make_study(slug="first")
    chosen = {"action": "copy_study", "_selected_action": [study.pk]}
    page = admin_page.post(reverse("admin:survey_study_changelist"), chosen, follow=True)
    assert 'value="first-copy"' in page.content.decode()
    url = reverse("admin:survey_study_copy", args=[study.pk])
    assert "already exists" in admin_page.post(url, {"title": "X", "slug": "first"}).content.decode()
    assert "Personal links" in admin_page.post(url, {"title": "X", "slug": "resume"}).content.decode()
    assert "is a draft now" in admin_page.post(url, {"title": "X", "slug": "new"}, follow=True).content.decode()
    assert Study.objects.get(slug="new").status == "draft"


def test_a_copy_whose_name_was_taken_a_moment_before_says_so(
    admin_page: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = make_study(slug="first")
    check = Study.full_clean

    def overtaken(copy: Study, **options: Any) -> None:
        check(copy, **options)
        if copy.title == "Mine":
            Study.objects.get_or_create(slug=copy.slug, title="Pressed before")

    monkeypatch.setattr(copies_module.Study, "full_clean", overtaken)
    monkeypatch.setattr(CopyForm, "_post_clean", lambda form: None)
    url = reverse("admin:survey_study_copy", args=[study.pk])
    page = admin_page.post(url, {"title": "Mine", "slug": "second"})
    assert "Study with this Slug already exists." in page.text
    assert Study.objects.get(slug="second").title == "Pressed before"


# Reminders and flags


def test_reminders_are_sent_after_a_question(admin_page: Client, settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    study = make_study()
    Study.objects.update(offers_reminders=True)
    person = make_participant(study)
    long_ago = timezone.now() - timedelta(days=30)
    Participant.objects.update(started_at=long_ago, practised_at=long_ago)
    ReminderAddress.objects.create(participant=person, email="someone@example.org", opted_in_at=long_ago)
    url, chosen = reverse("admin:survey_study_changelist"), {"action": "send_reminders", "_selected_action": [study.pk]}
    asked = admin_page.post(url, chosen).content.decode()
    assert "1 person asked" in " ".join(asked.split())
    assert "someone@example.org" not in asked
    assert not mail.outbox
    sent = admin_page.post(url, {**chosen, "confirm": "yes"}, follow=True)
    assert "1 sent, 0 failed" in sent.content.decode()
    assert len(mail.outbox) == 1


def test_flags_can_be_looked_for_again(admin_page: Client) -> None:
    study = make_study()
    chosen = {"action": "find_flags", "_selected_action": [study.pk]}
    page = admin_page.post(reverse("admin:survey_study_changelist"), chosen, follow=True)
    assert "0 new flags" in page.content.decode()


# Comments


def make_comment(**fields: Any) -> QuestionComment:
    assignment = go_to_question(make_participant(make_study()))
    given = {"kind": "error", "text": "<b>The key</b> is wrong.", "created_at": timezone.now()}
    return QuestionComment.objects.create(
        question_revision=assignment.question_revision, participant=assignment.participant, **(given | fields)
    )


def test_comment_is_resolved_with_a_note_and_opened_again() -> None:
    comment, actor = make_comment(), User.objects.create_user("curator")
    with pytest.raises(CommentRefusedError):
        comment_resolve(comment=comment, resolution="  ", actor=actor)
    comment_resolve(comment=comment, resolution=" The key was corrected. ", actor=actor)
    assert (comment.resolution, comment.resolved_by) == ("The key was corrected.", actor)
    assert comment.resolved_at is not None
    comment_reopen(comment=comment, actor=actor)
    assert (comment.resolution, comment.resolved_by, comment.resolved_at) == ("", None, None)
    assert comment.text == "<b>The key</b> is wrong."
    assert list(ActionLog.objects.order_by("pk").values_list("code", flat=True))[-2:] == [
        "comment.resolved",
        "comment.reopened",
    ]


def test_comments_are_worked_through_in_the_admin(admin_page: Client) -> None:
    comment = make_comment()
    QuestionComment.objects.create(
        question_revision=comment.question_revision, kind="comment", text="Nice.", created_at=timezone.now()
    )
    url = reverse("admin:survey_questioncomment_changelist")
    study = comment.participant.study
    for query, n in (
        ({"state": "open"}, 2),
        ({"state": "resolved"}, 0),
        ({"study": study.slug}, 1),
        ({"study": "-"}, 1),
        ({"kind__exact": "error"}, 1),
    ):
        assert admin_page.get(url, query).context["cl"].result_count == n, query
    change = reverse("admin:survey_questioncomment_change", args=[comment.pk])
    assert "&lt;b&gt;The key&lt;/b&gt; is wrong." in admin_page.get(change).content.decode()
    admin_page.post(change, {"resolution": "Corrected.", "text": "changed", "kind": "comment"})
    comment.refresh_from_db()
    assert (comment.resolution, comment.text, comment.kind) == ("Corrected.", "<b>The key</b> is wrong.", "error")
    assert comment.resolved_by.username == "root"
    assert admin_page.get(url, {"state": "resolved"}).context["cl"].result_count == 1


def test_question_page_of_the_admin_lists_what_people_said(client: Client) -> None:
    comment = make_comment()
    question = comment.question_revision.question
    answer_next(comment.participant)
    url = reverse("admin:corpus_question_change", args=[question.pk])
    curator = User.objects.create_user("curator", is_staff=True)
    curator.user_permissions.add(Permission.objects.get(codename="view_question"))
    client.force_login(curator)
    assert "What people said" not in client.get(url).content.decode()
    curator.user_permissions.add(Permission.objects.get(codename="view_questioncomment"))
    page = client.get(url).content.decode()
    assert "What people said about it (1 open)" in page
    assert "&lt;b&gt;The key&lt;/b&gt; is wrong." in page
    assert reverse("admin:survey_questioncomment_change", args=[comment.pk]) in page
    address = reverse("survey:staff-question", args=[comment.participant.study.slug, question.current_revision_id])
    assert address in page


def test_panels_are_shown_in_order_and_registered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpus.question_panels._registered", [])
    question, viewer = make_comment().question_revision.question, User(username="someone")

    def first(*_: Any) -> QuestionPanel:
        return QuestionPanel("First", "first.html", {})

    def nothing(*_: Any) -> None:
        return None

    def second(*_: Any) -> QuestionPanel:
        return QuestionPanel("Second", "second.html", {})

    for panel in (first, nothing, second, first):
        register_panel(panel)
    assert [panel.title for panel in panels_of(question, viewer)] == ["First", "Second"]
