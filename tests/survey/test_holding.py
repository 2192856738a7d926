"""Whoever holds several people holds them in one order, and an edited consent text waits for who agrees to it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Event
from time import monotonic, sleep
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from corpus.scoring.types import Reading, ReadStatus
from survey.admin.study_forms import AGREED_TO, ConsentTextForm
from survey.errors import ConsentOutdatedError
from survey.models import ConsentText, Participant, ParticipantFlag, Response, Study
from survey.selectors.studies import words_key
from survey.services import flag_review, participant_begin, retention_apply
from survey.services import participants as participants_module
from survey.services.rescoring import response_reading_correct
from tests.survey.factories import make_participant, make_study
from tests.survey.survey_exports import demo_bank, import_survey
from tests.survey.test_joining import finished
from tests.survey.test_joining_races import response_record_next
from tests.survey.test_study_settings import form_data
from tests.survey.test_withdrawal_races import meanwhile, needs_overlap, somebody_waits, until_somebody_waits

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]
HOLDS = 'UPDATE "survey_participant" SET "withdrawn_at" = NULL'
NEW_WORDS = "Other words."


class Meeting:
    """Two transactions that hold people; each stops at its first one until the other has one, or waits for this one."""

    def __init__(self) -> None:
        self.begun: list[object] = []
        self.ended_by_the_database: list[OperationalError] = []

    @contextmanager
    def joined(self) -> Iterator[None]:
        me = object()

        def execute_and_stop(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
            try:
                result = execute(sql, *rest)
            except OperationalError as error:
                self.ended_by_the_database.append(error)
                raise
            if sql.startswith(HOLDS) and me not in self.begun:
                self.begun.append(me)
                self._wait_for_the_other()
            return result

        with connection.execute_wrapper(execute_and_stop):
            yield

    def _wait_for_the_other(self) -> None:
        end = monotonic() + 10
        while len(self.begun) < 2 and not somebody_waits():
            assert monotonic() < end, "the other did not come"
            sleep(0.02)


def one_ended_and_a_later_one_under_way() -> Participant:
    study = make_study(n_choice=2, n_number=0, n_tools=0)
    finished(study, 1)
    person = make_participant(study)
    response_record_next(person)
    Study.objects.update(status="closed", closed_at=timezone.now() - timedelta(days=5), retention_days=1)
    return person


def imported_and_the_last_one_under_way() -> Participant:
    demo_bank()
    import_survey()
    Participant.objects.update(counts_since=None)
    person = Participant.objects.latest("pk")
    Participant.objects.filter(pk=person.pk).update(finished_at=None)
    assert Participant.objects.filter(finished_at__isnull=False, pk__lt=person.pk).exists()
    return person


def review(person: Participant) -> None:
    flag_review(flag=ParticipantFlag.objects.get(), is_left_out=False, reason="Read it.", actor=None)


def correct(person: Participant) -> None:
    response = Response.objects.filter(assignment__participant=person).first()
    reading = Reading(status=ReadStatus.DO_NOT_KNOW, reason="")
    response_reading_correct(response=response, reading=reading, reason="Read it.", actor=User.objects.get())


@pytest.mark.parametrize("of_one", [review, correct])
@pytest.mark.parametrize(
    ("prepared", "of_all"),
    [
        pytest.param(one_ended_and_a_later_one_under_way, retention_apply, id="retention"),
        pytest.param(imported_and_the_last_one_under_way, import_survey, id="import"),
    ],
)
def test_everybody_is_held_in_one_order(
    prepared: Callable[[], Participant], of_all: Callable[[], Any], of_one: Callable[[Participant], None]
) -> None:
    needs_overlap()
    person, meeting = prepared(), Meeting()
    User.objects.create_user("reviewer")
    ParticipantFlag.objects.create(participant=person, code="too_fast", detail="-", found_at=timezone.now())

    def met() -> None:
        with meeting.joined():
            of_all()

    with meanwhile(met) as done, meeting.joined():
        of_one(person)
    assert len(meeting.begun) == 2
    assert (done, meeting.ended_by_the_database) == ([None], [])


# The consent text


@pytest.fixture
def editor() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    return client


def edit(client: Client, study: Study) -> HttpResponse:
    data = form_data(study) | {"consent_texts-0-text": NEW_WORDS}
    return client.post(reverse("admin:survey_study_change", args=[study.pk]), data)


def agree(study: Study, text: ConsentText) -> Participant:
    return participant_begin(
        study=study, consent_text_id=text.pk, link_secret="secret", words_seen=words_key(text.text)
    )


def test_nobody_agrees_to_words_that_are_being_changed(editor: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    needs_overlap()
    study = make_study()
    text, is_held, clean = study.consent_texts.get(), Event(), ConsentTextForm.clean

    def checked(form: ConsentTextForm) -> Any:
        data = clean(form)
        is_held.set()
        until_somebody_waits()
        return data

    monkeypatch.setattr(ConsentTextForm, "clean", checked)
    with meanwhile(lambda: edit(editor, study).status_code) as edited:
        assert is_held.wait(timeout=20)
        with pytest.raises(ConsentOutdatedError):
            agree(study, text)
    assert edited == [302]
    assert study.consent_texts.get().text == NEW_WORDS
    assert not Participant.objects.exists()


def test_words_that_somebody_is_agreeing_to_are_not_changed(editor: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    needs_overlap()
    study = make_study()
    text, is_held, insert = study.consent_texts.get(), Event(), participants_module._participant_insert

    def inserted(*args: Any) -> Any:
        participant = insert(*args)
        is_held.set()
        until_somebody_waits()
        return participant

    monkeypatch.setattr(participants_module, "_participant_insert", inserted)
    with meanwhile(lambda: agree(study, text).consent_text_id) as agreed:
        assert is_held.wait(timeout=20)
        page = edit(editor, study)
    assert agreed == [text.pk]
    assert AGREED_TO in page.content.decode()
    assert study.consent_texts.get().text == text.text
