"""Store an answer: once, whatever was pressed how often."""

import logging
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.utils import timezone

from corpus.scoring.reading import read_chosen, read_typed_number
from corpus.scoring.types import Kind, Reading, ReadStatus
from corpus.selectors.later_keys import keys_in_force
from corpus.selectors.targets import asked_of
from corpus.services.results import results_changed
from corpus.services.verdicts import Judged, store_verdicts_in_bulk
from survey.errors import (
    AnswerRefusedError,
    NotYoursError,
    NotYourTurnError,
    StudyNotOpenError,
    WithdrawnError,
)
from survey.models import Assignment, Participant, Response, ResponseReading, ResponseScore, Study
from survey.reading_back import READABLE_EXAMPLES
from survey.selectors.inclusion import is_running
from survey.selectors.steps import is_answerable, stored_response, with_turn
from survey.services.absences import absences_end, away_seconds
from survey.services.drafts import draft_delete
from survey.services.holding import WITHDRAWN, done_again, refuse_withdrawn
from survey.services.participants import participant_finish

logger = logging.getLogger(__name__)

NO_TOOLS = "none"


@dataclass(frozen=True, slots=True)
class Given:
    """An answer as a person gave it.

    `typed_first` is what was typed before the person said which of two numbers they meant ("" when they were not
    asked); `tools_used` is ("none",) when tools were allowed and none was used.
    """

    option_keys: tuple[str, ...] = ()
    typed_text: str = ""
    typed_first: str = ""
    do_not_know: bool = False
    tools_used: tuple[str, ...] = ()
    confidence: int | None = None


class Recorded(NamedTuple):
    """The stored answer, and whether this call stored it."""

    response: Response
    created: bool


@done_again
def response_record(
    *, participant: Participant, assignment_id: int, given: Given, now: datetime | None = None
) -> Recorded:
    """Store the answer to the question a person is at, with its verdict.

    The answer to a question that was shown before its study closed is taken too. A question that has an answer keeps
    it: the call returns that answer with `created` False. An option named twice is chosen once. The seconds run from
    the time the question was shown; `away_seconds` is how many of them the person was known to be away. Raises
    NotYoursError, NotYourTurnError, WithdrawnError, StudyNotOpenError, or AnswerRefusedError with what to do.
    """
    assignment = _assignment_of(participant, assignment_id)
    stored = stored_response(assignment)
    if stored:
        return Recorded(stored, created=False)
    _refuse_out_of_turn(assignment)
    given = replace(given, option_keys=tuple(dict.fromkeys(given.option_keys)))
    reading = reading_of(assignment=assignment, given=given)
    _refuse_incomplete(assignment, given, reading)
    try:
        with transaction.atomic():
            response = _response_store(participant, assignment, given, reading, now or timezone.now())
    except IntegrityError:
        first = Response.objects.filter(assignment=assignment).first()
        if first is None:
            raise
        return Recorded(first, created=False)
    _closing_noticed(assignment)
    return Recorded(response, created=True)


def _response_store(
    participant: Participant, assignment: Assignment, given: Given, reading: Reading, now: datetime
) -> Response:
    """Store an answer with all that follows from it; call it in a transaction."""
    refuse_withdrawn(participant)
    response = _response_insert(assignment, given, now)
    draft_delete(assignment=assignment)
    _verdict_store(response, assignment, reading)
    participant_finish(participant=participant, now=now)
    if not is_running(assignment.participant):
        results_changed(benchmark_id=assignment.question_revision.question.benchmark_id, of_people=True)
    return response


def _closing_noticed(assignment: Assignment) -> None:
    """Tell the boards of an answer whose study closed while it was being stored.

    What somebody says who is under way in an open study is on no board, so that storing it changes no results and
    nobody waits for the benchmark's row. Closing tells the boards of what was stored before it; this, of the rest.
    """
    if not is_running(assignment.participant):
        return
    if not Study.objects.filter(pk=assignment.participant.study_id, status=Study.Status.OPEN).exists():
        results_changed(benchmark_id=assignment.question_revision.question.benchmark_id, of_people=True)


def reading_of(*, assignment: Assignment, given: Given) -> Reading:
    """Return what is read from a person's answer."""
    if given.do_not_know:
        return Reading(status=ReadStatus.DO_NOT_KNOW, reason="The person said that they do not know.")
    revision = assignment.question_revision
    if revision.kind == Kind.CHOICE:
        return read_chosen(given.option_keys, asked_of(revision, assignment.option_order))
    reading = read_typed_number(given.typed_text, unit=revision.unit)
    if given.typed_first and given.typed_first != given.typed_text:
        return replace(
            reading,
            notes=(*reading.notes, "clarified-by-person"),
            reason=f"Typed {given.typed_first!r}; asked which number was meant, the person chose this one.",
        )
    return reading


def _assignment_of(participant: Participant, assignment_id: int) -> Assignment:
    """Read an assignment again, whatever is in hand: the person may have withdrawn, or the study closed."""
    assignment = (
        with_turn(Assignment.objects.filter(pk=assignment_id, participant=participant))
        .select_related("question_revision__question__benchmark")
        .prefetch_related("question_revision__options")
        .first()
    )
    if assignment is None:
        if Participant.objects.filter(pk=participant.pk, withdrawn_at__isnull=False).exists():
            raise WithdrawnError(WITHDRAWN)
        raise NotYoursError("This page belongs to another participant or another study.")
    if assignment.participant.withdrawn_at:
        raise WithdrawnError(WITHDRAWN)
    return assignment


def _refuse_out_of_turn(assignment: Assignment) -> None:
    if is_answerable(assignment):
        return
    if assignment.participant.study.status != Study.Status.OPEN:
        raise StudyNotOpenError("This study takes no answers now.")
    raise NotYourTurnError("Questions come in order; this one has not been shown to you yet.")


def _refuse_incomplete(assignment: Assignment, given: Given, reading: Reading) -> None:
    study = assignment.block.study
    if given.do_not_know and not study.offers_do_not_know:
        raise AnswerRefusedError("This study needs an answer to every question.")
    if not given.do_not_know and reading.status is not ReadStatus.READ:
        raise AnswerRefusedError(refusal_text(Kind(assignment.question_revision.kind), given.typed_text))
    if given.tools_used and not assignment.block.tools_allowed:
        raise AnswerRefusedError("This part is answered without tools.")
    if assignment.block.tools_allowed and not given.tools_used:
        raise AnswerRefusedError("Say which tools you used, or that you used none.")
    if study.asks_confidence and given.confidence is None and not given.do_not_know:
        raise AnswerRefusedError("Say how sure you are.")


def refusal_text(kind: Kind, typed: str) -> str:
    """Return what to do about an answer that could not be read."""
    if kind is Kind.CHOICE:
        return "Choose at least one option."
    if not typed.strip():
        return f"Type a number, for example {READABLE_EXAMPLES}."
    return f"No number could be read from “{typed.strip()[:60]}”. Type it like {READABLE_EXAMPLES}."


def _response_insert(assignment: Assignment, given: Given, now: datetime) -> Response:
    seconds, away = _times(assignment, now)
    return Response.objects.create(
        assignment=assignment,
        chosen_option_keys=list(given.option_keys),
        typed_text=given.typed_text,
        do_not_know=given.do_not_know,
        tools_used=list(given.tools_used),
        confidence=None if given.do_not_know else given.confidence,
        answered_at=now,
        seconds=seconds,
        away_seconds=away,
    )


def _times(assignment: Assignment, now: datetime) -> tuple[float | None, float | None]:
    """Return the seconds from served to now, and how many of them the person was away; open absences end now."""
    if assignment.served_at is None:
        return None, None
    absences = list(assignment.absences.order_by("began_at"))
    if any(absence.ended_at is None for absence in absences):
        absences_end(assignment=assignment, now=now)
    away = away_seconds(absences, served_at=assignment.served_at, answered_at=now)
    return (now - assignment.served_at).total_seconds(), away


def _verdict_store(response: Response, assignment: Assignment, reading: Reading) -> None:
    rule = assignment.question_revision.question.benchmark.default_rule
    try:
        with transaction.atomic():
            key = keys_in_force([assignment.question_revision_id])[assignment.question_revision_id]
            judged = Judged(response, reading, key.target, (rule,), key.revision_id)
            # The answer is new in this transaction, so nothing has been read from it yet.
            store_verdicts_in_bulk(
                judged=[judged], reading_model=ResponseReading, score_model=ResponseScore, current_rule=rule
            )
    except Exception:
        # A person's answer is worth more than its verdict, which can be made again from the stored answer.
        logger.exception("response %s is stored but could not be judged", response.pk)
