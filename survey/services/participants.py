"""From consent to the end: what is stored about a participant."""

import random
from collections.abc import Sequence
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from corpus.services.results import action_log
from survey.errors import BegunAlreadyError, ConsentOutdatedError, StudyNotOpenError, StudyNotReadyError
from survey.models import ConsentText, Participant, ReminderAddress, Study, new_link_secret
from survey.selectors.studies import current_consent, study_problems, words_key
from survey.services.assignments import assignments_draw
from survey.services.flags import flags_find_safely
from survey.services.holding import consent_text_hold, done_again, refuse_withdrawn
from survey.services.inclusion import study_results_changed
from survey.services.pseudonyms import pseudonym_draw

PSEUDONYM_ATTEMPTS = 20
PAGE_KEY_SALT = "survey.consent-page-key"


def participant_begin(
    *,
    study: Study,
    consent_text_id: int,
    link_secret: str,
    words_seen: str | None = None,
    now: datetime | None = None,
    pseudonym: str = "",
    is_demo: bool = False,
) -> Participant:
    """Store that someone agreed to the current consent text, and return the participant.

    `words_seen` is the `words_key` of the text they were shown: what was edited since is not what they agreed to. None
    where nobody reads, for made-up people. `link_secret` comes from the consent page: sending the same page again
    returns the same participant. Once they have another link, the page makes nobody and lets nobody in. Raises
    BegunAlreadyError, StudyNotOpenError, StudyNotReadyError or ConsentOutdatedError.
    """
    existing = _begun_with(study, link_secret)
    if existing:
        return existing
    _refuse_unless_open(study)
    for _ in range(PSEUDONYM_ATTEMPTS):
        name = pseudonym or pseudonym_draw()
        with transaction.atomic():
            consent = _consent_hold(study, consent_text_id, words_seen)
            participant = _participant_insert(study, consent, link_secret, name, now, is_demo)
        if participant:
            return participant
    raise StudyNotReadyError("No free pseudonym was found. Please try again.")


def _consent_hold(study: Study, consent_text_id: int, words_seen: str | None) -> ConsentText:
    """Return the text of now, its words held until the transaction ends; raise ConsentOutdatedError for another one."""
    consent_text_hold(consent_text_id=consent_text_id)
    consent = current_consent(study)
    if consent is None or consent.pk != consent_text_id or words_seen not in (None, words_key(consent.text)):
        raise ConsentOutdatedError(
            "The text has changed since you opened the page, so nothing was stored. Here it is as it is now: please "
            "read it again."
        )
    return consent


def _begun_with(study: Study, link_secret: str) -> Participant | None:
    """Return the participant of a consent page whose link is still that page's; raise BegunAlreadyError for another."""
    existing = Participant.objects.filter(study=study, link_secret=link_secret).first()
    if existing is None:
        begun = Participant.objects.filter(consent_page_key=_page_key(link_secret)).first()
        if begun and begun.study_id == study.pk and begun.link_secret == link_secret:
            # A second press stored them between the two looks.
            return begun
        if begun:
            raise BegunAlreadyError(begun.pk)
    return existing


def _page_key(link_secret: str) -> str:
    return salted_hmac(PAGE_KEY_SALT, link_secret, algorithm="sha256").hexdigest()


def _refuse_unless_open(study: Study) -> None:
    if study.status != Study.Status.OPEN:
        raise StudyNotOpenError("This study takes no new participants now.")
    problems = study_problems(study)
    if problems:
        raise StudyNotReadyError(" ".join(problems))


def _participant_insert(
    study: Study, consent: ConsentText, secret: str, name: str, now: datetime | None, is_demo: bool
) -> Participant | None:
    """Return the new participant, the one with the same secret, or None when the name is taken."""
    try:
        with transaction.atomic():
            return Participant.objects.create(
                study=study,
                consent_text=consent,
                consented_at=now or timezone.now(),
                link_secret=secret,
                consent_page_key=_page_key(secret),
                pseudonym=name,
                is_demo=is_demo,
            )
    except IntegrityError:
        return _begun_with(study, secret)


def profile_record(
    *,
    participant: Participant,
    education: str = "",
    years_experience: int | None = None,
    specialties: Sequence[str] = (),
    now: datetime | None = None,
) -> bool:
    """Store the profile once; return False (and change nothing) when it was stored before, or the person withdrew."""
    waiting = Participant.objects.filter(pk=participant.pk, profile_answered_at__isnull=True, withdrawn_at__isnull=True)
    changed = waiting.update(
        education=education,
        years_experience=years_experience,
        specialties=list(specialties),
        profile_answered_at=now or timezone.now(),
    )
    participant.refresh_from_db()
    return bool(changed)


@done_again
def practice_record(
    *, participant: Participant, now: datetime | None = None, generator: random.Random | None = None
) -> None:
    """Note that the practice is done and draw the person's questions; again changes nothing.

    Raises WithdrawnError, and StudyNotReadyError when the study has no questions.
    """
    with transaction.atomic():
        refuse_withdrawn(participant)
        assignments_draw(participant=participant, generator=generator)
        Participant.objects.filter(pk=participant.pk, practised_at__isnull=True).update(
            practised_at=now or timezone.now()
        )
    participant.refresh_from_db()


def participant_finish(*, participant: Participant, now: datetime | None = None) -> bool:
    """Note the end once every question has an answer; return whether the person has finished.

    Where they wanted to be reminded is erased with it.
    """
    if participant.practised_at is None or participant.assignments.filter(response__isnull=True).exists():
        return False
    going_on = Participant.objects.filter(pk=participant.pk, finished_at__isnull=True, withdrawn_at__isnull=True)
    with transaction.atomic():
        if going_on.update(finished_at=now or timezone.now()):
            ReminderAddress.objects.filter(participant=participant).delete()
            flags_find_safely(participant=participant, now=now)
            # Whoever has finished counts from now on, in every benchmark the study asks.
            study_results_changed(study_id=participant.study_id)
    return True


def link_renew(*, participant: Participant, old_secret: str) -> bool:
    """Give a person a new personal link in place of the one with `old_secret`, which leads nowhere from now on.

    Sessions that were entered by the old link end with it. Return False (and change nothing) when the person has
    another link already, or has withdrawn.
    """
    current = Participant.objects.filter(pk=participant.pk, link_secret=old_secret, withdrawn_at__isnull=True)
    with transaction.atomic():
        changed = current.update(link_secret=new_link_secret())
        if changed:
            action_log(code="participant.link_renewed", target=participant)
    participant.refresh_from_db()
    return bool(changed)
