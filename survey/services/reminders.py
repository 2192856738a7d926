"""Reminders by e-mail, for those who asked for them: kept apart from answers, few, and easy to stop."""

import logging
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import F
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from survey.errors import ReminderRefusedError
from survey.models import Participant, ReminderAddress, Study
from survey.selectors.reminders import MOST_REMINDERS, NO_MAIL, address_of_token, due_addresses, may_be_sent, stop_token
from survey.services.holding import person_hold, refuse_withdrawn

logger = logging.getLogger(__name__)

LONGEST_ADDRESS = 254
DEFAULT_DAYS = 7
MOST_DAYS = 36_500


@dataclass(frozen=True, slots=True)
class RemindersSent:
    """Who was due, by pseudonym, and how many reminders went out, failed, or were sent by another process meanwhile."""

    study: str
    due: tuple[str, ...]
    sent: int = 0
    failed: int = 0
    taken: int = 0
    is_dry_run: bool = False


def reminder_address_set(*, participant: Participant, email: str, now: datetime | None = None) -> ReminderAddress:
    """Store where a person wants to be reminded; another address takes the place of the first.

    How many reminders were sent stays counted, also where the address was removed in between. Raises WithdrawnError, or
    ReminderRefusedError with what to do.
    """
    email = email.strip()
    try:
        validate_email(email)
        if '"' in email or not email.isprintable():
            # Valid, but nobody's: quoted names let line breaks and further addresses into a mail's head.
            raise ValidationError("quoted")
    except ValidationError as error:
        raise ReminderRefusedError("Write an e-mail address such as name@university.example.") from error
    if len(email) > LONGEST_ADDRESS:
        raise ReminderRefusedError("No mail can be sent to an address that long.")
    with transaction.atomic():
        # Holds the person's row: the end of the study at the same moment waits, and then erases the address.
        refuse_withdrawn(participant)
        current = Participant.objects.select_related("study").get(pk=participant.pk)
        if not current.study.offers_reminders or current.finished_at:
            raise ReminderRefusedError("There is nothing to remind you of: no address was stored.")
        address, _ = ReminderAddress.objects.update_or_create(
            participant=participant,
            defaults={"email": email, "opted_in_at": now or timezone.now(), "n_sent": current.reminders_sent},
        )
    return address


def reminder_address_remove(*, participant: Participant) -> bool:
    """Erase a person's address; return False when there was none."""
    deleted, _ = ReminderAddress.objects.filter(participant=participant).delete()
    return bool(deleted)


def reminders_stop(*, token: str) -> bool:
    """Erase the address a link in a reminder was made for; return False when there is none (any more)."""
    address = address_of_token(token)
    if address is None:
        return False
    deleted, _ = ReminderAddress.objects.filter(pk=address.pk).delete()
    return bool(deleted)


def reminders_send(
    *, study: Study, days: int = DEFAULT_DAYS, dry_run: bool = False, now: datetime | None = None
) -> RemindersSent:
    """Send the personal link to everyone who asked for it and has stopped for `days` days.

    Each gets at most MOST_REMINDERS, and one in `days` days, however many processes send at once: a row is claimed
    before its mail is sent, and put back when sending fails. Raises ReminderRefusedError where no mail can be sent.
    """
    if days < 1:
        raise ReminderRefusedError("Reminders are at least one day apart.")
    if days > MOST_DAYS:
        raise ReminderRefusedError(f"Give at most {MOST_DAYS} days: nobody is reminded later than a hundred years.")
    moment = now or timezone.now()
    due = list(due_addresses(study=study, days=days, now=moment))
    pseudonyms = tuple(address.participant.pseudonym for address in due)
    if dry_run:
        return RemindersSent(study.slug, pseudonyms, is_dry_run=True)
    if settings.EMAIL_BACKEND == NO_MAIL:
        raise ReminderRefusedError("No mail server is set, so nothing was sent: set EMAIL_URL (see .env.example).")
    connection = get_connection()
    ends = [_remind(address, connection, days=days, now=moment) for address in due]
    return RemindersSent(
        study.slug, pseudonyms, sent=ends.count("sent"), failed=ends.count("failed"), taken=ends.count("taken")
    )


def _remind(address: ReminderAddress, connection: BaseEmailBackend, *, days: int, now: datetime) -> str:
    if not _claim(address, days=days, now=now):
        return "taken"
    try:
        _message(address, connection).send()
    except Exception as error:  # noqa: BLE001 - one address that fails must not keep the others from their mail
        # The text of the error can hold the address, so only its kind is logged.
        logger.warning("reminder to participant %s failed: %s", address.participant_id, type(error).__name__)
        _put_back(address, now=now)
        return "failed"
    return "sent"


def _claim(address: ReminderAddress, *, days: int, now: datetime) -> bool:
    """Count a reminder as sent, with the address and with the person; return whether it may be sent."""
    free = ReminderAddress.objects.filter(may_be_sent(days=days, now=now), pk=address.pk, email=address.email)
    with transaction.atomic():
        if not person_hold(address.participant) or not free.update(last_sent_at=now, n_sent=F("n_sent") + 1):
            return False
        Participant.objects.filter(pk=address.participant_id).update(reminders_sent=F("reminders_sent") + 1)
    return True


def _put_back(address: ReminderAddress, *, now: datetime) -> None:
    with transaction.atomic():
        person_hold(address.participant)
        claimed = ReminderAddress.objects.filter(pk=address.pk, last_sent_at=now)
        if claimed.update(last_sent_at=address.last_sent_at, n_sent=F("n_sent") - 1):
            Participant.objects.filter(pk=address.participant_id).update(reminders_sent=F("reminders_sent") - 1)


def _message(address: ReminderAddress, connection: BaseEmailBackend) -> EmailMessage:
    person = address.participant
    stop = settings.SITE_URL + reverse("survey:reminders-stop", args=[stop_token(address)])
    context = {
        "study": person.study,
        "pseudonym": person.pseudonym,
        "personal_link": settings.SITE_URL + reverse("survey:resume", args=[person.link_secret]),
        "stop_link": stop,
        "is_last": address.n_sent + 1 >= MOST_REMINDERS,
    }
    title = " ".join(person.study.title.split())
    return EmailMessage(
        subject=f"Your place in “{title}”",
        body=render_to_string("survey/mail/reminder.txt", context),
        to=[address.email],
        headers={"List-Unsubscribe": f"<{stop}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"},
        connection=connection,
    )
