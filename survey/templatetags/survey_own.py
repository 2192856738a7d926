"""Pieces of pages that need to know more of a person than the page around them does."""

from typing import Any

from django import template
from django.conf import settings

from survey.models import Participant
from survey.selectors.own_answers import may_see_result
from survey.selectors.reminders import MOST_REMINDERS, NO_MAIL, reminder_address_of

register = template.Library()


@register.inclusion_tag("survey/_reminder.html", takes_context=True)
def reminder_form(context: dict[str, Any], participant: Participant) -> dict[str, Any]:
    """Ask where to remind a person, or let them remove the address; nothing where the study offers no reminders."""
    study = participant.study
    is_on_the_way = participant.finished_at is None and participant.withdrawn_at is None
    is_offered = study.offers_reminders and is_on_the_way and settings.EMAIL_BACKEND != NO_MAIL
    return {
        "study": study,
        "is_offered": is_offered,
        "address": reminder_address_of(participant) if is_offered else None,
        "most_reminders": MOST_REMINDERS,
        "error": context.get("reminder_error", ""),
        "email": context.get("reminder_email", ""),
    }


@register.inclusion_tag("survey/_own_links.html")
def own_links(participant: Participant) -> dict[str, Any]:
    """List what is a person's own: their result once they may see it, their data, withdrawing, what is stored."""
    return {"study": participant.study, "participant": participant, "may_see_result": may_see_result(participant)}
