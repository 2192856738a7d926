"""Flag answers that look as if nobody had read the questions, and store what a reviewer decides about them."""

import logging
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from corpus.markup.segments import ReactionSmiles, Smiles, parse
from corpus.scoring.types import Kind, Outcome
from corpus.services.results import action_log
from survey.drawing.orders import LAST_OPTION
from survey.errors import FlagRefusedError
from survey.flagging import Choice, Timed, attention_missed, straight_line, too_fast
from survey.models import Participant, ParticipantFlag, Response, Study
from survey.selectors.inclusion import NOT_JUDGED
from survey.services.holding import done_again, person_hold
from survey.services.inclusion import people_join, results_change, study_versions_raise

logger = logging.getLogger(__name__)

Code = ParticipantFlag.Code
REASON_LENGTH: int = ParticipantFlag._meta.get_field("review_reason").max_length or 0


class Flagged(NamedTuple):
    """What a search for flags changed: new ones, and those not reviewed that no longer hold."""

    found: int
    dropped: int


def flags_find(*, participant: Participant, now: datetime | None = None) -> Flagged:
    """Compute a person's flags from their stored answers.

    A flag that was reviewed stays as it is, and what it says. One that was not is brought up to date, or dropped where
    it no longer holds. Call it as often as you like.
    """
    changed = _flags_find_and_tell(participant, now)
    if any(changed):
        _join(participant.study_id)
    return changed


@done_again
def _flags_find_and_tell(participant: Participant, now: datetime | None) -> Flagged:
    with transaction.atomic():
        changed = _flags_update(participant, now)
        if any(changed):
            study_versions_raise(study_id=participant.study_id)
    return changed


@done_again
def _join(study_id: int) -> None:
    """Let people join, and tell the boards, in a transaction of its own: who holds one person waits for no others."""
    with transaction.atomic():
        if people_join(study_id=study_id):
            study_versions_raise(study_id=study_id)


def _flags_update(participant: Participant, now: datetime | None) -> Flagged:
    """Bring a person's flags up to date; call it in a transaction, which is to tell the boards."""
    if not person_hold(participant):
        return Flagged(0, 0)
    details = _findings(_responses(participant))
    waiting = ParticipantFlag.objects.filter(participant=participant, is_left_out__isnull=True)
    dropped, _ = waiting.exclude(code__in=details).delete()
    found = sum(_store(participant, code, detail, now or timezone.now()) for code, detail in details.items())
    return Flagged(found, dropped)


def _responses(participant: Participant) -> list[Response]:
    return list(
        Response.objects.filter(assignment__participant=participant)
        .select_related("assignment__question_revision")
        .prefetch_related("assignment__question_revision__options")
        .order_by("assignment__position")
    )


def _findings(responses: list[Response]) -> dict[str, str]:
    asked = [response for response in responses if not response.assignment.is_attention_check]
    checks = [response.outcome for response in responses if response.assignment.is_attention_check]
    judged = [outcome for outcome in checks if outcome not in NOT_JUDGED]
    found = {
        Code.STRAIGHT_LINE.value: straight_line(list(_choices(asked))),
        Code.TOO_FAST.value: too_fast(list(_times(asked))),
        Code.ATTENTION.value: attention_missed(sum(outcome != Outcome.RIGHT.value for outcome in judged), len(judged)),
    }
    return {code: detail for code, detail in found.items() if detail}


def _choices(responses: list[Response]) -> Iterator[Choice]:
    """Return the place of each single choice among the options whose places were drawn, in the order shown."""
    for response in responses:
        revision, chosen = response.assignment.question_revision, response.chosen_option_keys
        if revision.kind != Kind.CHOICE.value or len(chosen) != 1:
            continue
        # "None of the above" is always last: to choose it says nothing about places.
        pinned = {option.option_key for option in revision.options.all() if LAST_OPTION.fullmatch(option.text)}
        drawn = [key for key in response.assignment.option_order if key not in pinned]
        if chosen[0] in drawn:
            yield Choice(drawn.index(chosen[0]), len(drawn))


def _times(responses: list[Response]) -> Iterator[Timed]:
    """Return the times of the answers that were timed; not to know takes no time."""
    for response in responses:
        if response.seconds is None or response.do_not_know:
            continue
        seconds = max(0.0, response.seconds - (response.away_seconds or 0.0))
        yield Timed(seconds, readable_characters(response.assignment.question_revision.stem))


def readable_characters(stem: str) -> int:
    """Return how many characters of a question are read: all but the text behind drawn structures."""
    return sum(len(part.source) for part in parse(stem) if not isinstance(part, Smiles | ReactionSmiles))


def _store(participant: Participant, code: str, detail: str, now: datetime) -> bool:
    """Store a flag, or bring one that waits for review up to date; return whether it is new."""
    flag, created = ParticipantFlag.objects.get_or_create(
        participant=participant, code=code, defaults={"detail": detail, "found_at": now}
    )
    if not created and flag.detail != detail:
        ParticipantFlag.objects.filter(pk=flag.pk, is_left_out__isnull=True).update(detail=detail, found_at=now)
    return created


def flags_find_safely(*, participant: Participant, now: datetime | None = None) -> None:
    """Compute a person's flags where nothing may go wrong: at the finish, beside the last answer.

    The boards are told by the finish, once: how often says nothing about flags.
    """
    try:
        with transaction.atomic():
            _flags_update(participant, now)
    except Exception:
        # The answer is worth more than the flag, which `flag_answers` finds again.
        logger.exception("flags of participant %s could not be computed", participant.pk)


def flags_find_in_study(*, study: Study, now: datetime | None = None) -> Flagged:
    """Compute the flags of everybody in a study who gave an answer and has not withdrawn."""
    people = study.participants.filter(withdrawn_at__isnull=True, assignments__response__isnull=False).distinct()
    changes = [_flags_find_and_tell(person, now) for person in people]
    found = Flagged(sum(change.found for change in changes), sum(change.dropped for change in changes))
    if any(found):
        _join(study.pk)
    return found


@done_again
def flag_review(
    *,
    flag: ParticipantFlag,
    is_left_out: bool,
    reason: str,
    actor: AbstractBaseUser | None,
    now: datetime | None = None,
) -> None:
    """Store whether somebody with a flag is left out of results, and why; a later review takes the place of this one.

    Raises FlagRefusedError without a reason, and for a flag that is gone meanwhile. Boards follow at once: deciding
    moves one person, so do it for all people of a study together where you can
    (docs/decisions/0008-who-counts-where.md).
    """
    reason = reason.strip()
    if not reason:
        raise FlagRefusedError("Say why: the reason is kept with the decision.")
    if len(reason) > REASON_LENGTH:
        raise FlagRefusedError(f"The reason has {len(reason)} characters; {REASON_LENGTH} are kept. Shorten it.")
    with results_change(study_id=flag.participant.study_id, also=Q(pk=flag.participant_id)):
        reviewed = ParticipantFlag.objects.filter(pk=flag.pk).update(
            is_left_out=is_left_out, review_reason=reason, reviewed_at=now or timezone.now(), reviewed_by=actor
        )
        if not reviewed:
            raise FlagRefusedError("This flag is gone: the person withdrew, or it held no longer. Nothing was stored.")
        action_log(
            code="flag.reviewed",
            target=flag,
            actor=actor,
            detail={"code": flag.code, "is_left_out": is_left_out, "was_left_out": flag.is_left_out},
        )
    flag.refresh_from_db()
