"""Whoever withdraws leaves a tombstone: that someone was there, and nothing they said."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from corpus.models import ActionLog, Benchmark
from survey.errors import WithdrawnError
from survey.models import Assignment, BlockVisit, Participant, Response, ResponseReading, ResponseScore
from survey.selectors.board import board_answers
from survey.selectors.steps import StepKind, current_step
from survey.services import participant_withdraw, practice_record, profile_record, response_record
from survey.services.rescoring import study_rescore
from tests.survey.factories import (
    answer_next,
    client_of,
    go_to_question,
    make_participant,
    make_study,
    right_given,
    staff_client,
)

pytestmark = pytest.mark.django_db
CHANGELIST = "admin:survey_participant_changelist"


def someone_with_answers() -> Participant:
    """Return a person with a profile, two answers and a rescoring that looked at them."""
    study = make_study(n_choice=2, n_number=1, n_tools=0)
    person = make_participant(study, practised=False)
    profile_record(participant=person, education="doctorate", years_experience=9, specialties=["glass blowing"])
    practice_record(participant=person)
    answer_next(person)
    answer_next(person)
    study_rescore(study=study, rule="chempro-exact")
    return person


def test_everything_the_person_said_is_gone_and_a_tombstone_stays() -> None:
    person, staying = someone_with_answers(), someone_with_answers()
    Participant.objects.filter(pk=person.pk).update(finished_at=timezone.now(), counts_since=timezone.now())
    link, actor = person.link_secret, User.objects.create_user("maintainer")
    benchmark_id = Assignment.objects.filter(participant=person).first().question_revision.question.benchmark_id
    before = Benchmark.objects.get(pk=benchmark_id).results_version
    assert participant_withdraw(participant=person, actor=actor)
    tombstone = Participant.objects.get(pk=person.pk)
    assert tombstone.withdrawn_at is not None
    assert (tombstone.education, tombstone.years_experience, tombstone.specialties) == ("", None, [])
    times = ("profile_answered_at", "practised_at", "finished_at", "counts_since")
    assert [getattr(tombstone, name) for name in times] == [None] * 4
    assert not Participant.objects.filter(link_secret=link).exists()
    for model in (Assignment, BlockVisit):
        assert set(model.objects.values_list("participant", flat=True)) == {staying.pk}
    assert Response.objects.count() == ResponseReading.objects.count() == 2
    assert set(ResponseScore.objects.values_list("answer__assignment__participant", flat=True)) == {staying.pk}
    assert Benchmark.objects.get(pk=benchmark_id).results_version > before
    log = ActionLog.objects.get(code="participant.withdrawn")
    assert (log.object_id, log.actor, log.detail) == (str(person.pk), actor, {"n_responses": 2})


def test_withdrawn_person_counts_on_no_board() -> None:
    person = someone_with_answers()
    roots = [assignment.question_revision.root_id for assignment in person.assignments.all()]
    # Also where people who are under way are asked for.
    assert len(board_answers(root_ids=roots, rule="standard@1", with_under_way=True)) == 2
    participant_withdraw(participant=person)
    assert board_answers(root_ids=roots, rule="standard@1", with_under_way=True) == []


def test_withdrawing_again_changes_nothing() -> None:
    person = someone_with_answers()
    assert participant_withdraw(participant=person)
    withdrawn_at = Participant.objects.get().withdrawn_at
    assert not participant_withdraw(participant=person)
    assert Participant.objects.get().withdrawn_at == withdrawn_at
    assert ActionLog.objects.filter(code="participant.withdrawn").count() == 1


def test_nothing_is_stored_about_a_person_after_they_withdrew() -> None:
    study = make_study()
    person = make_participant(study)
    before = Participant.objects.get()
    assignment = go_to_question(before)
    participant_withdraw(participant=person)
    assert not profile_record(participant=before, education="doctorate")
    with pytest.raises(WithdrawnError):
        practice_record(participant=before)
    with pytest.raises(WithdrawnError):
        response_record(participant=before, assignment_id=assignment.pk, given=right_given(assignment))
    assert not Assignment.objects.exists()
    assert Participant.objects.get().education == ""


def test_browser_that_knew_the_person_says_that_they_withdrew_and_the_link_leads_nowhere() -> None:
    person = someone_with_answers()
    client, link = client_of(person), person.link_secret
    participant_withdraw(participant=person)
    slug = person.study.slug
    assert "You have withdrawn" in client.get(reverse("survey:continue", args=[slug])).content.decode()
    for page in ("link", "start"):
        shown = client.get(reverse(f"survey:{page}", args=[slug]), follow=True)
        assert Participant.objects.get().link_secret not in shown.content.decode()
    assert "no longer" in client.get(reverse("survey:link", args=[slug])).content.decode()
    assert "I have read" in client.get(reverse("survey:consent", args=[slug])).content.decode()
    assert Client().get(reverse("survey:resume", args=[link])).status_code == 404
    assert current_step(Participant.objects.get()).kind is StepKind.WITHDRAWN


# The action of the admin


def test_action_asks_first_and_then_withdraws() -> None:
    person, staying = someone_with_answers(), someone_with_answers()
    client = staff_client("view_participant", "delete_participant")
    data = {"action": "withdraw", "_selected_action": [str(person.pk)]}
    page = client.post(reverse(CHANGELIST), data)
    text = page.content.decode()
    assert person.pseudonym in text
    assert staying.pseudonym not in text
    assert "2 answers" in text
    assert Response.objects.count() == 4
    page = client.post(reverse(CHANGELIST), data | {"confirm": "yes"}, follow=True)
    assert "1 withdrawn" in page.content.decode()
    assert list(Participant.objects.filter(withdrawn_at__isnull=False)) == [person]
    assert Response.objects.count() == 2
    assert ActionLog.objects.get(code="participant.withdrawn").actor.username.startswith("staff-")


def test_action_needs_the_permission_to_delete_participants() -> None:
    person = someone_with_answers()
    client = staff_client("view_participant", "change_participant")
    assert 'value="withdraw"' not in client.get(reverse(CHANGELIST)).content.decode()
    client.post(reverse(CHANGELIST), {"action": "withdraw", "_selected_action": [str(person.pk)], "confirm": "yes"})
    assert Participant.objects.get().withdrawn_at is None
