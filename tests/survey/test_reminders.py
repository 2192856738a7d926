"""Reminders: only for those who asked, few, once each, without an address in any log, and easy to stop."""

import json
import logging
import re
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core import mail, signing
from django.core.mail.backends.locmem import EmailBackend
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from survey.errors import ReminderRefusedError, WithdrawnError
from survey.models import Assignment, Participant, ReminderAddress, Response, Study
from survey.selectors.reminders import MOST_REMINDERS, STOP_SALT, stop_token
from survey.services import (
    draft_save,
    participant_withdraw,
    reminder_address_remove,
    reminder_address_set,
    reminders_send,
    study_close,
)
from survey.services import reminders as reminders_module
from tests.survey.factories import answer_next, client_of, make_participant, make_study

pytestmark = pytest.mark.django_db
EMAIL = "chemist@university.example"


class FailingBackend(EmailBackend):
    """A mail server that refuses everybody, and says whom."""

    def send_messages(self, messages: Any) -> int:
        raise OSError(f"refused: {messages[0].to[0]}")


@pytest.fixture
def study() -> Study:
    study = make_study(n_choice=2, n_number=0, n_tools=0)
    Study.objects.update(offers_reminders=True)
    study.refresh_from_db()
    return study


def stopped(study: Study, *, days: int = 30, email: str = EMAIL) -> Participant:
    """Make someone with one answer who asked for reminders and has done nothing for so many days."""
    person = make_participant(study)
    answer_next(person)
    then = timezone.now() - timedelta(days=days)
    reminder_address_set(participant=person, email=email, now=then)
    Assignment.objects.filter(participant=person, served_at__isnull=False).update(served_at=then)
    Response.objects.filter(assignment__participant=person).update(answered_at=then)
    Participant.objects.filter(pk=person.pk).update(started_at=then)
    person.refresh_from_db()
    return person


def send(study: Study, **options: Any) -> tuple[int, int, int]:
    report = reminders_send(study=study, **options)
    return report.sent, report.failed, report.taken


# Who is reminded


@pytest.mark.parametrize(
    ("days", "is_due"),
    [(6, False), (7, True), (400, True)],
)
def test_whoever_stopped_for_so_many_days_is_due(study: Study, days: int, is_due: bool) -> None:
    stopped(study, days=days)
    assert send(study) == (int(is_due), 0, 0)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda p: Participant.objects.update(finished_at=timezone.now()), id="finished"),
        pytest.param(lambda p: participant_withdraw(participant=p), id="withdrawn"),
        pytest.param(lambda p: reminder_address_remove(participant=p), id="address removed"),
        pytest.param(lambda p: study_close(study=p.study), id="study closed"),
        pytest.param(lambda p: Study.objects.update(offers_reminders=False), id="no reminders offered"),
        pytest.param(lambda p: answer_next_of_two(p), id="answered lately"),
    ],
)
def test_who_is_not_reminded(study: Study, change: Any) -> None:
    person = stopped(study)
    change(person)
    study.refresh_from_db()
    assert send(study) == (0, 0, 0)
    assert not mail.outbox


def answer_next_of_two(person: Participant) -> None:
    Assignment.objects.filter(participant=person, position=1).update(served_at=timezone.now())


def test_the_mail_has_the_personal_link_and_one_that_stops(study: Study, settings: Any) -> None:
    settings.SITE_URL = "https://site.example"
    Study.objects.update(title="Chemistry\r\nBcc: everyone@x.example", contact="us@x.example")
    person = stopped(study)
    send(study)
    (message,) = mail.outbox
    assert message.to == [EMAIL]
    assert "\n" not in message.subject
    assert f"https://site.example/survey/resume/{person.link_secret}/" in message.body
    stop = re.search(r"https://site\.example(/survey/reminders/stop/\S+)", message.body)
    assert message.extra_headers["List-Unsubscribe"] == f"<{stop[0]}>"
    assert message.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert "Question" not in message.body.replace("Questions about the study", "")
    assert message.message()


def test_at_most_so_many_and_one_in_an_interval(study: Study) -> None:
    stopped(study)
    now = timezone.now()
    sent = [reminders_send(study=study, now=now + timedelta(days=day)).sent for day in range(60)]
    assert [day for day, count in enumerate(sent) if count] == [0, 7, 14]
    assert sum(sent) == MOST_REMINDERS == len(mail.outbox)
    assert ["last reminder" in message.body for message in mail.outbox] == [False, False, True]
    # Another address does not begin the count again.
    reminder_address_set(participant=Participant.objects.get(), email="other@x.example", now=now)
    assert reminders_send(study=study, now=now + timedelta(days=90)).sent == 0


def test_leaving_the_address_again_does_not_begin_the_count_again(study: Study) -> None:
    person = stopped(study)
    now, sent = timezone.now(), []
    for day in range(0, 100, 10):
        moment = now + timedelta(days=day)
        sent.append(reminders_send(study=study, now=moment).sent)
        reminder_address_remove(participant=person)
        reminder_address_set(participant=person, email=EMAIL, now=moment)
    assert sent == [1] * MOST_REMINDERS + [0] * (10 - MOST_REMINDERS)
    assert ["last reminder" in message.body for message in mail.outbox] == [False, False, True]


def test_the_link_of_an_older_mail_stops_an_address_that_was_left_again(study: Study) -> None:
    person = stopped(study)
    send(study)
    (message,) = mail.outbox
    reminder_address_remove(participant=person)
    reminder_address_set(participant=person, email=EMAIL)
    Client().post(re.search(r"/survey/reminders/stop/\S+", message.body)[0])
    assert not ReminderAddress.objects.exists()


def test_a_link_from_before_the_count_was_kept_with_the_person_still_stops(study: Study) -> None:
    stopped(study)
    token = signing.dumps(ReminderAddress.objects.get().pk, salt=STOP_SALT)
    Client().post(reverse("survey:reminders-stop", args=[token]))
    assert not ReminderAddress.objects.exists()


def test_whoever_fills_in_an_answer_is_not_quiet(study: Study) -> None:
    person = stopped(study)
    assignment = person.assignments.get(position=2)
    now = timezone.now()
    draft_save(assignment=assignment, fields={"choice": ["A"]}, now=now - timedelta(days=6))
    assert send(study, now=now) == (0, 0, 0)
    assert send(study, now=now + timedelta(days=1)) == (1, 0, 0)


def test_of_two_that_send_at_once_one_sends(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped(study)
    late = list(reminders_module.due_addresses(study=study, days=7, now=timezone.now()))
    assert send(study) == (1, 0, 0)
    # The other process had read who is due before the first one wrote.
    monkeypatch.setattr(reminders_module, "due_addresses", lambda **_: late)
    assert send(study) == (0, 0, 1)
    assert len(mail.outbox) == 1


def test_a_mail_that_fails_is_put_back_and_no_address_is_logged(study: Study, caplog: pytest.LogCaptureFixture) -> None:
    person = stopped(study)
    with caplog.at_level(logging.DEBUG), pytest.MonkeyPatch.context() as patch:
        patch.setattr(reminders_module, "get_connection", FailingBackend)
        assert send(study) == (0, 1, 0)
    assert "OSError" in caplog.text
    assert EMAIL not in caplog.text
    assert person.link_secret not in caplog.text
    address = ReminderAddress.objects.get()
    assert (address.n_sent, address.last_sent_at) == (0, None)
    assert send(study) == (1, 0, 0)


def test_without_a_mail_server_nothing_is_claimed(study: Study, settings: Any) -> None:
    stopped(study)
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    with pytest.raises(ReminderRefusedError, match="EMAIL_URL"):
        send(study)
    assert ReminderAddress.objects.get().n_sent == 0


# The address


@pytest.mark.parametrize(
    "email",
    [
        *("", "nobody", "a@b", "a b@x.example", "x@y.example\nBcc: z@y.example", "a" * 250 + "@x.example"),
        *('"a\x0bBcc:z@y.example"@x.example', '"a, z@y.example"@x.example'),
    ],
)
def test_what_is_no_address_is_not_stored(study: Study, email: str) -> None:
    person = make_participant(study)
    with pytest.raises(ReminderRefusedError):
        reminder_address_set(participant=person, email=email)
    page = client_of(person).post(reverse("survey:reminder", args=[study.slug]), {"email": email})
    assert page.status_code == 422
    assert not ReminderAddress.objects.exists()


def test_an_address_is_erased_at_the_end_and_by_withdrawing(study: Study) -> None:
    finishing, leaving = stopped(study), stopped(study)
    answer_next(finishing)
    participant_withdraw(participant=leaving)
    assert not ReminderAddress.objects.exists()
    with pytest.raises(ReminderRefusedError):
        reminder_address_set(participant=finishing, email=EMAIL)
    with pytest.raises(WithdrawnError):
        reminder_address_set(participant=leaving, email=EMAIL)


def test_the_page_of_the_link_asks_where_reminders_are_offered(study: Study) -> None:
    person = make_participant(study)
    client, link = client_of(person), reverse("survey:link", args=[study.slug])
    assert "Shall we remind you?" in client.get(link).content.decode()
    client.post(reverse("survey:reminder", args=[study.slug]), {"email": f" {EMAIL} "})
    assert ReminderAddress.objects.get().email == EMAIL
    assert EMAIL in client.get(link).content.decode()
    client.post(reverse("survey:reminder", args=[study.slug]), {"remove": "yes"})
    assert not ReminderAddress.objects.exists()
    Study.objects.update(offers_reminders=False)
    assert "Shall we remind you?" not in client.get(link).content.decode()


def test_the_link_in_the_mail_asks_first_and_needs_no_login(study: Study) -> None:
    stopped(study)
    url = reverse("survey:reminders-stop", args=[stop_token(ReminderAddress.objects.get())])
    client = Client(enforce_csrf_checks=True)
    page = client.get(url).content.decode()
    assert "Stop reminders and erase my address" in page
    assert EMAIL not in page
    assert ReminderAddress.objects.exists()
    # As a mail program sends it: no session, no form token.
    for _ in range(2):
        assert "You get no reminders" in client.post(url, {"List-Unsubscribe": "One-Click"}).content.decode()
    assert not ReminderAddress.objects.exists()
    assert Response.objects.count() == 1


@pytest.mark.parametrize("token", ["x", "MQ:1tTtTt:forged", "W10:a:b"])
def test_a_forged_note_stops_nothing(study: Study, token: str) -> None:
    stopped(study)
    page = Client().post(reverse("survey:reminders-stop", args=[token]))
    assert page.status_code == 200
    assert ReminderAddress.objects.exists()


# The command


def command(*arguments: str) -> str:
    out = StringIO()
    call_command("send_reminders", *arguments, stdout=out)
    return out.getvalue()


def test_command_says_who_is_due_and_sends(study: Study) -> None:
    person = stopped(study)
    report = json.loads(command("--study", study.slug, "--dry-run", "--json"))
    assert (report["due"], report["sent"], report["is_dry_run"]) == ([person.pseudonym], 0, True)
    assert not mail.outbox
    assert "nobody" in command("--study", study.slug, "--days", "90", "--dry-run")
    assert command("--study", study.slug).startswith("1 sent, 0 failed")
    assert len(mail.outbox) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--study", "nowhere"], "There is no study"),
        (["--study", "{}", "--days", "0"], "one day apart"),
        (["--study", "{}", "--days", "999999999999"], "at most 36500 days"),
    ],
)
def test_command_refuses_with_what_to_do(study: Study, arguments: list[str], words: str) -> None:
    with pytest.raises(CommandError, match=words):
        command(*(argument.format(study.slug) for argument in arguments))


def test_command_fails_when_a_mail_failed(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped(study)
    monkeypatch.setattr(reminders_module, "get_connection", FailingBackend)
    with pytest.raises(CommandError, match="1 of 1"):
        command("--study", study.slug)
