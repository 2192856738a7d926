"""Erase what is no longer needed: of one person on request, of a whole study some time after its end."""

import logging
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from corpus.services.results import action_log
from survey.errors import NoSuchParticipantError, RetentionFailedError
from survey.models import (
    Absence,
    Draft,
    Participant,
    QuestionComment,
    ReminderAddress,
    Study,
    new_link_secret,
)
from survey.profile_words import coarse_specialties, coarse_years
from survey.selectors.retention import RETENTION_APPLIED, studies_due
from survey.services.holding import done_again, people_hold, person_hold
from survey.services.inclusion import study_results_changed
from survey.services.links import unknown_links_forget
from survey.services.withdrawal import participant_withdraw

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Erased:
    """What was erased of one person: answers and comments counted; whether they had withdrawn before."""

    study: str
    pseudonym: str
    answers: int
    comments: int
    had_withdrawn: bool


@dataclass(frozen=True, slots=True)
class Retained:
    """What a study's retention erased (or, in a dry run, would erase), counted when it began.

    `profiles` are those that become coarser, `years` those of them whose years of experience do.
    """

    study: str
    links: int
    addresses: int
    drafts: int
    absences: int
    authors: int
    profiles: int
    years: int


@done_again
def participant_erase(*, study: Study, pseudonym: str, actor: AbstractBaseUser | None = None) -> Erased:
    """Withdraw a person and erase all else but a tombstone: pseudonym, study, when they began and withdrew.

    Their comments go with their text. The id of a person who came with an imported study stays, so that importing
    again does not bring them back. Again changes nothing. Raises NoSuchParticipantError.
    """
    participant = Participant.objects.filter(study=study, pseudonym=pseudonym).first()
    if participant is None:
        raise NoSuchParticipantError(f"Nobody in the study {study.slug} is called “{pseudonym}”.")
    with transaction.atomic():
        person_hold(participant)
        answers = participant.assignments.filter(response__isnull=False).count()
        comments, _ = QuestionComment.objects.filter(participant=participant).delete()
        withdrew = participant_withdraw(participant=participant, actor=actor)
        Participant.objects.filter(pk=participant.pk).update(
            consent_text=None,
            consent_page_key=None,
            consented_at=None,
        )
        if withdrew or comments:
            action_log(code="participant.erased", target=participant, actor=actor)
    return Erased(study.slug, pseudonym, answers, comments, had_withdrawn=not withdrew)


def retention_apply(*, now: datetime | None = None, dry_run: bool = False) -> list[Retained]:
    """Erase what studies whose time is up keep of people beside their answers; return what, by study.

    Links lead nowhere, reminder addresses, drafts and absences go (an answer keeps how long its person was away),
    comments lose their author, profiles are coarsened. Answers, verdicts and flags stay. Done once for each closing.
    Counts of unknown links, which are no study's, go as well once they are old; see `unknown_links_forget`.
    A study that fails stops no other: RetentionFailedError is raised when all of them are through, and names it.
    """
    done, failed = [], []
    for study in studies_due(now=now or timezone.now()):
        try:
            found = _found(study)
            if not dry_run:
                _apply(study, found)
        except Exception:
            logger.exception("retention of study %s failed", study.pk)
            failed.append(study.slug)
        else:
            done.append(found)
    if not dry_run:
        unknown_links_forget(now=now)
    if failed:
        raise RetentionFailedError(
            f"The retention of {', '.join(failed)} could not be applied (the log says why); "
            f"{len(done)} other studies are done. Run it again once that is mended."
        )
    return done


def _found(study: Study) -> Retained:
    people = Participant.objects.filter(study=study, withdrawn_at__isnull=True)
    changes = [(_profile(person), _coarse(person, study)) for person in people]
    return Retained(
        study=study.slug,
        links=len(changes),
        addresses=_addresses(study).count(),
        drafts=_drafts(study).count(),
        absences=_absences(study).count(),
        authors=_authored(study).count(),
        profiles=sum(before != after for before, after in changes),
        years=sum(before["years_experience"] != after["years_experience"] for before, after in changes),
    )


@done_again
def _apply(study: Study, found: Retained) -> None:
    with transaction.atomic():
        people_hold(study.participants.all())
        for doomed in (_addresses(study), _drafts(study), _absences(study)):
            doomed.delete()
        _authored(study).update(participant=None)
        for person in Participant.objects.filter(study=study, withdrawn_at__isnull=True):
            # One by one and only while they have not withdrawn: nothing that was erased meanwhile comes back.
            Participant.objects.filter(pk=person.pk, withdrawn_at__isnull=True).update(
                link_secret=new_link_secret(), **_coarse(person, study)
            )
        if found.years:
            # Who counts is asked of years: boards are built again from what is stored now.
            study_results_changed(study_id=study.pk)
        action_log(code=RETENTION_APPLIED, target=study, detail=asdict(found))


def _profile(person: Participant) -> dict[str, Any]:
    return {"years_experience": person.years_experience, "specialties": person.specialties}


def _coarse(person: Participant, study: Study) -> dict[str, Any]:
    return {
        "years_experience": coarse_years(person.years_experience, minimum=study.minimum_years),
        "specialties": coarse_specialties(person.specialties),
    }


def _addresses(study: Study) -> QuerySet[ReminderAddress]:
    return ReminderAddress.objects.filter(participant__study=study)


def _drafts(study: Study) -> QuerySet[Draft]:
    return Draft.objects.filter(assignment__participant__study=study)


def _absences(study: Study) -> QuerySet[Absence]:
    return Absence.objects.filter(assignment__participant__study=study)


def _authored(study: Study) -> QuerySet[QuestionComment]:
    return QuestionComment.objects.filter(participant__study=study)
