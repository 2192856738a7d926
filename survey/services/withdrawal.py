"""Let a person take back everything they said."""

from datetime import datetime

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.utils import timezone

from corpus.services.results import action_log
from survey.models import Participant, QuestionComment, ReminderAddress, Response, new_link_secret
from survey.services.holding import done_again
from survey.services.inclusion import study_versions_raise


@done_again
def participant_withdraw(
    *, participant: Participant, actor: AbstractBaseUser | None = None, now: datetime | None = None
) -> bool:
    """Delete all that a person said and was asked; return False (and change nothing) when it was done before.

    Answers go with their readings, scores and rows of rescorings; so do the questions given, drafts, absences, flags,
    the blocks begun, the reminder address, the profile and the personal link. Comments on questions stay without their
    author. What stays of the person is that someone was there: the pseudonym, when they agreed to which text, began and
    withdrew.
    """
    changed = _withdraw(participant, actor, now or timezone.now())
    participant.refresh_from_db()
    return changed


def _withdraw(participant: Participant, actor: AbstractBaseUser | None, now: datetime) -> bool:
    with transaction.atomic():
        # First the person's row: an answer that is being stored waits for it, or is waited for.
        changed = Participant.objects.filter(pk=participant.pk, withdrawn_at__isnull=True).update(
            withdrawn_at=now,
            # Nobody is told the new secret, so no link leads here.
            link_secret=new_link_secret(),
            education="",
            years_experience=None,
            specialties=[],
            reminders_sent=0,
            profile_answered_at=None,
            practised_at=None,
            finished_at=None,
            counts_since=None,
        )
        if changed:
            _answers_delete(participant, actor)
    return bool(changed)


def _answers_delete(participant: Participant, actor: AbstractBaseUser | None) -> None:
    responses = Response.objects.filter(assignment__participant=participant)
    benchmark_ids = set(responses.values_list("assignment__question_revision__question__benchmark_id", flat=True))
    detail = {"n_responses": responses.count()}
    participant.assignments.all().delete()
    participant.block_visits.all().delete()
    participant.flags.all().delete()
    ReminderAddress.objects.filter(participant=participant).delete()
    QuestionComment.objects.filter(participant=participant).update(participant=None)
    if benchmark_ids:
        # Not only where they answered: with everybody of a study who counts having a question, or not, its people are
        # on the board of a set or off it.
        study_versions_raise(study_id=participant.study_id, also=benchmark_ids)
    action_log(code="participant.withdrawn", target=participant, actor=actor, detail=detail)
