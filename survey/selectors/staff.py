"""What staff see of a study: who is where, by pseudonym."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Q

from survey.models import Participant, Study


@dataclass(frozen=True, slots=True)
class StaffRow:
    """A participant's progress. `seconds` sums the server's times of their answers."""

    pseudonym: str
    is_demo: bool
    state: str
    answered: int
    total: int
    unjudged: int
    started_at: datetime
    last_answer_at: datetime | None
    finished_at: datetime | None


def staff_rows(study: Study) -> list[StaffRow]:
    """Return every participant of a study, the newest answer first. One query."""
    people = study.participants.annotate(
        n_assignments=Count("assignments"),
        n_answered=Count("assignments__response"),
        n_unjudged=Count("assignments__response", filter=Q(assignments__response__outcome="")),
        last_answer_at=Max("assignments__response__answered_at"),
    ).order_by("-last_answer_at", "-started_at")
    return [
        StaffRow(
            pseudonym=person.pseudonym,
            is_demo=person.is_demo,
            state=state_text(person),
            answered=person.n_answered,
            total=person.n_assignments,
            unjudged=person.n_unjudged,
            started_at=person.started_at,
            last_answer_at=person.last_answer_at,
            finished_at=person.finished_at,
        )
        for person in people
    ]


def state_text(participant: Participant) -> str:
    """Return where a participant is, in a word or two, from their own columns."""
    if participant.withdrawn_at:
        return "withdrawn"
    if participant.finished_at:
        return "finished"
    if participant.practised_at:
        return "answering"
    return "before practice" if participant.profile_answered_at else "before profile"
