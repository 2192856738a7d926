"""Who is to be reminded, and whose address a link in a reminder is about."""

from datetime import datetime, timedelta

from django.core import signing
from django.db.models import Max, Q, QuerySet
from django.db.models.functions import Coalesce, Greatest

from survey.models import Participant, ReminderAddress, Study

MOST_REMINDERS = 3
# Django's backend that drops every mail: what the site has until EMAIL_URL is set.
NO_MAIL = "django.core.mail.backends.dummy.EmailBackend"
STOP_SALT = "survey.reminders-stop"


def may_be_sent(*, days: int, now: datetime) -> Q:
    """Return the condition under which an address may get a reminder now."""
    is_time = Q(last_sent_at__isnull=True) | Q(last_sent_at__lte=now - timedelta(days=days))
    return is_time & Q(n_sent__lt=MOST_REMINDERS)


def due_addresses(*, study: Study, days: int, now: datetime) -> QuerySet[ReminderAddress]:
    """Return the addresses of people of an open study who have not finished and did nothing for `days` days."""
    quiet = now - timedelta(days=days)
    return (
        ReminderAddress.objects.filter(
            may_be_sent(days=days, now=now),
            participant__study=study,
            participant__study__status=Study.Status.OPEN,
            participant__study__offers_reminders=True,
            participant__finished_at__isnull=True,
            participant__withdrawn_at__isnull=True,
            opted_in_at__lte=quiet,
        )
        .annotate(
            last_seen=Greatest(
                "participant__started_at",
                Coalesce(Max("participant__assignments__served_at"), "participant__started_at"),
                Coalesce(Max("participant__assignments__response__answered_at"), "participant__started_at"),
                Coalesce(Max("participant__assignments__draft__saved_at"), "participant__started_at"),
            )
        )
        .filter(last_seen__lte=quiet)
        .select_related("participant__study")
        .order_by("pk")
    )


def reminder_address_of(participant: Participant) -> ReminderAddress | None:
    """Return where a person is reminded, or None."""
    return ReminderAddress.objects.filter(participant=participant).first()


def stop_token(address: ReminderAddress) -> str:
    """Return a signed note by which whoever reads the reminder can stop further ones. It does nothing else.

    It is about the person: an address they leave again later is stopped by it as well.
    """
    return signing.dumps([address.participant_id], salt=STOP_SALT)


def address_of_token(token: str) -> ReminderAddress | None:
    """Return the address a note was made for, or None for a forged one or an address that is gone."""
    try:
        signed = signing.loads(token, salt=STOP_SALT)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    # Mails that were sent earlier name the address itself.
    named = {"participant": signed[0]} if isinstance(signed, list) else {"pk": signed}
    return ReminderAddress.objects.select_related("participant__study").filter(**named).first()
