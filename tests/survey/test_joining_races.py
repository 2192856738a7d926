"""Joining results, closing, flags and an import, each while somebody does something else: all take their turn."""

from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from corpus.models import Benchmark
from corpus.services.rescoring import decisions as decisions_module
from survey.admin.studies import StudyAdmin
from survey.models import Assignment, Participant, ParticipantFlag, Response, Study
from survey.profile_words import coarse_years
from survey.selectors.inclusion import inclusions
from survey.services import (
    Given,
    consent_text_add,
    participant_withdraw,
    response_record,
    retention_apply,
    study_close,
    study_open,
)
from survey.services import flags as flags_module
from survey.services import responses as responses_module
from survey.services import survey_imports as imports_module
from survey.services import withdrawal as withdrawal_module
from survey.services.flags import flags_find_in_study
from survey.services.rescoring import study_rescore, study_rescoring_accept
from tests.survey.factories import answer_next, go_to_question, make_participant, make_study, right_given
from tests.survey.survey_exports import demo_bank, import_survey
from tests.survey.test_joining import finished
from tests.survey.test_study_settings import form_data
from tests.survey.test_withdrawal_races import meanwhile, needs_overlap, until_somebody_waits, withdraw

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def slow_withdrawal(monkeypatch: pytest.MonkeyPatch) -> Event:
    """Let a withdrawal hold its person's row until somebody waits for it; the event is set once it does."""
    delete, is_held = withdrawal_module._answers_delete, Event()

    def slow(*args: Any) -> None:
        is_held.set()
        until_somebody_waits()
        delete(*args)

    monkeypatch.setattr(withdrawal_module, "_answers_delete", slow)
    return is_held


@pytest.mark.postgres
def test_a_group_of_which_somebody_withdraws_meanwhile_does_not_join(slow_withdrawal: Event) -> None:
    needs_overlap()
    study = make_study(n_choice=2, n_number=0, n_tools=0)
    people = finished(study, 4)
    last = make_participant(study)
    response_record_next(last)
    assignment = go_to_question(last)
    with meanwhile(lambda: withdraw(people[0])) as done:
        assert slow_withdrawal.wait(timeout=20)
        response_record(participant=last, assignment_id=assignment.pk, given=right_given(assignment))
    assert done == [True]
    assert not Participant.objects.filter(counts_since__isnull=False).exists()
    finished(study)
    assert Participant.objects.filter(counts_since__isnull=False).count() == 5


def response_record_next(person: Participant) -> None:
    assignment = go_to_question(person)
    response_record(participant=person, assignment_id=assignment.pk, given=right_given(assignment))


@pytest.mark.postgres
def test_a_study_is_closed_while_flags_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    needs_overlap()
    study = make_study(n_choice=2, n_number=0, n_tools=0)
    finished(study)
    is_held, calls = Event(), []

    def findings(responses: list[Response]) -> dict[str, str]:
        calls.append(1)
        is_held.set()
        until_somebody_waits()
        return {"too_fast": "made up"}

    monkeypatch.setattr(flags_module, "_findings", findings)
    with meanwhile(lambda: flags_find_in_study(study=study)) as found:
        assert is_held.wait(timeout=20)
        study_close(study=Study.objects.get())
    assert (found, len(calls)) == ([(1, 0)], 1)
    assert Study.objects.get().status == Study.Status.CLOSED


@pytest.mark.postgres
def test_a_rescoring_is_accepted_while_somebody_under_way_withdraws(slow_withdrawal: Event) -> None:
    needs_overlap()
    study = make_study(n_choice=3, n_number=0, n_tools=0)
    leaving, staying = make_participant(study), make_participant(study)
    for person in (leaving, staying):
        answer_next(person)
    (proposed,) = study_rescore(study=study, rule="chempro-exact")
    with meanwhile(lambda: withdraw(leaving)) as done:
        assert slow_withdrawal.wait(timeout=20)
        accepted = study_rescoring_accept(rescoring_id=proposed.rescoring.pk)
    assert done == [True]
    assert (accepted.is_new, accepted.n_scores, accepted.n_stale) == (True, 1, 0)
    assert Response.objects.get().assignment.participant == staying


@pytest.mark.postgres
def test_a_study_is_finished_by_a_new_person_while_a_rescoring_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    needs_overlap()
    study = make_study(n_choice=2, n_number=0, n_tools=0)
    answer_next(make_participant(study))
    (proposed,) = study_rescore(study=study, rule="chempro-exact")
    last = make_participant(study)
    answer_next(last)
    assignment = go_to_question(last)
    decide, insert, is_held, calls = decisions_module._accepted, responses_module._response_insert, Event(), []

    def slow(*args: Any) -> Any:
        calls.append("accept")
        is_held.set()
        until_somebody_waits()
        return decide(*args)

    def noted(*args: Any, **kwargs: Any) -> Any:
        calls.append("answer")
        return insert(*args, **kwargs)

    monkeypatch.setattr(decisions_module, "_accepted", slow)
    monkeypatch.setattr(responses_module, "_response_insert", noted)
    with meanwhile(lambda: study_rescoring_accept(rescoring_id=proposed.rescoring.pk)) as done:
        assert is_held.wait(timeout=20)
        response_record(participant=last, assignment_id=assignment.pk, given=right_given(assignment))
    # Neither was ended by the database and done again.
    assert (done[0].n_scores, calls) == (1, ["accept", "answer"])
    assert Participant.objects.get(pk=last.pk).finished_at


@pytest.mark.postgres
def test_an_import_stores_nothing_of_who_withdraws_meanwhile(slow_withdrawal: Event) -> None:
    needs_overlap()
    demo_bank()
    import_survey()
    person = Participant.objects.order_by("pk")[1]
    Response.objects.filter(assignment__participant=person).first().delete()
    with meanwhile(lambda: withdraw(person)) as done:
        assert slow_withdrawal.wait(timeout=20)
        import_survey()
    assert done == [True]
    assert not Assignment.objects.filter(participant=person).exists()


def test_an_import_asks_again_whether_somebody_has_withdrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    demo_bank()
    import_survey()
    person = Participant.objects.earliest("pk")
    person_import = imports_module.person_import

    def withdrawn_after(**arguments: Any) -> tuple[Participant, str]:
        found, done = person_import(**arguments)
        if found.pk == person.pk:
            participant_withdraw(participant=Participant.objects.get(pk=person.pk))
        return found, done

    monkeypatch.setattr(imports_module, "person_import", withdrawn_after)
    import_survey()
    assert not Assignment.objects.filter(participant=person).exists()


# An imported study later


def test_everybody_of_an_imported_study_who_counts_has_joined_and_goes_on_when_it_is_opened() -> None:
    demo_bank()
    import_survey()
    study = Study.objects.get()
    ended = {person.pk for person in Participant.objects.filter(finished_at__isnull=False)}
    before = {pk for pk, person in inclusions(study=study).people.items() if person.counts} & ended
    assert before
    assert before == set(Participant.objects.filter(counts_since__isnull=False).values_list("pk", flat=True))
    # As of an import that had not stored who joined.
    Participant.objects.update(counts_since=None)
    study_open(study=study)
    assert {pk for pk, person in inclusions(study=study).people.items() if person.counts} == before


def test_importing_again_does_not_bring_back_years_that_were_rounded() -> None:
    demo_bank()
    import_survey()
    # Exact years nobody keeps, of whom the export says others.
    Participant.objects.update(years_experience=4)
    Study.objects.update(retention_days=1, closed_at=timezone.now() - timedelta(days=5))
    retention_apply()
    import_survey()
    assert set(Participant.objects.values_list("years_experience", flat=True)) == {coarse_years(4)}


# What the version tells


def test_the_version_rises_the_same_whether_a_finish_found_a_flag() -> None:
    study = make_study(n_choice=10, n_number=0, n_tools=0)
    rises = []
    for seconds in (60, 0):
        before, person, now = Benchmark.objects.get().results_version, make_participant(study), timezone.now()
        for number in range(10):
            assignment = go_to_question(person)
            Assignment.objects.filter(pk=assignment.pk).update(served_at=now - timedelta(seconds=seconds))
            given = Given(option_keys=(assignment.option_order[number % 3],), confidence=3)
            response_record(participant=person, assignment_id=assignment.pk, given=given, now=now)
        rises.append(Benchmark.objects.get().results_version - before)
    assert ParticipantFlag.objects.count() == 1
    assert rises == [1, 1]


@pytest.mark.postgres
def test_two_editors_add_the_same_version_of_the_consent(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    needs_overlap()
    study = make_study(n_choice=1, n_number=0, n_tools=0)
    version = study.consent_texts.latest("version").version + 1
    save, results = StudyAdmin.save_formset, []

    def late(*args: Any, **kwargs: Any) -> None:
        if not results:
            with meanwhile(lambda: consent_text_add(study=study, text="The other editor's.")) as done:
                pass
            results.extend(done)
        save(*args, **kwargs)

    monkeypatch.setattr(StudyAdmin, "save_formset", late)
    client.force_login(User.objects.create_superuser("root", password="x"))
    data = form_data(study) | {
        "consent_texts-TOTAL_FORMS": 2,
        "consent_texts-1-study": study.pk,
        "consent_texts-1-version": version,
        "consent_texts-1-text": "Mine, long in writing.",
    }
    page = client.post(reverse("admin:survey_study_change", args=[study.pk]), data)
    assert page.status_code == 200
    assert "already exists" in page.text
    assert "Mine, long in writing." in page.text
    assert study.consent_texts.get(version=version).text == "The other editor's."
