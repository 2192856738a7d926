"""What staff see of the people of a study: who is where, by pseudonym, and where people stop."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.utils import timezone

from survey.inclusion_rules import REASON_WORDS
from survey.models import Absence, Assignment, Participant, ParticipantFlag, Response, Study
from survey.selectors.balance import ACTIVE_DAYS
from survey.selectors.inclusion import Inclusions, inclusions
from survey.selectors.study_answers import net_seconds


@dataclass(frozen=True, slots=True)
class StaffRow:
    """A participant's progress, attention checks included.

    `median_seconds` is over their answers, without the time away. `left_out` says in words why they do not count; empty
    for those who do. The moments of somebody who was imported are those of the import.
    """

    pseudonym: str
    is_demo: bool
    is_imported: bool
    state: str
    answered: int
    total: int
    unjudged: int
    median_seconds: float | None
    started_at: datetime
    last_answer_at: datetime | None
    last_seen_at: datetime
    finished_at: datetime | None
    flags: tuple[ParticipantFlag, ...]
    left_out: str


def staff_rows(study: Study, *, found: Inclusions | None = None) -> list[StaffRow]:
    """Return every participant of a study, who was last seen first. Five queries; three where `found` is given."""
    found = found or inclusions(study=study)
    medians = _median_seconds(study)
    rows = [_row(person, medians.get(person.pk), found) for person in _people(study)]
    return sorted(rows, key=lambda row: row.last_seen_at, reverse=True)


def _people(study: Study) -> QuerySet[Participant]:
    away = Absence.objects.filter(assignment__participant=OuterRef("pk"), ended_at__isnull=True)
    return (
        study.participants.annotate(
            n_assignments=Count("assignments"),
            n_answered=Count("assignments__response"),
            n_unjudged=Count("assignments__response", filter=Q(assignments__response__outcome="")),
            last_answer_at=Max("assignments__response__answered_at"),
            last_served_at=Max("assignments__served_at"),
            last_draft_at=Max("assignments__draft__saved_at"),
            is_away=Exists(away.exclude(kind=Absence.Kind.HIDDEN)),
        )
        .prefetch_related("flags__reviewed_by")
        .order_by("pk")
    )


def _row(person: Participant, median_seconds: float | None, found: Inclusions) -> StaffRow:
    counts = vars(person)
    moments = (counts["last_answer_at"], counts["last_served_at"], counts["last_draft_at"], person.started_at)
    inclusion = found.people[person.pk]
    return StaffRow(
        pseudonym=person.pseudonym,
        is_demo=person.is_demo,
        is_imported=bool(person.source_name),
        state=state_text(person, is_away=counts["is_away"]),
        answered=counts["n_answered"],
        total=counts["n_assignments"],
        unjudged=counts["n_unjudged"],
        median_seconds=median_seconds,
        started_at=person.started_at,
        last_answer_at=counts["last_answer_at"],
        last_seen_at=max(moment for moment in moments if moment),
        finished_at=person.finished_at,
        flags=tuple(person.flags.all()),
        left_out=REASON_WORDS.get(inclusion.reason, ""),
    )


def _median_seconds(study: Study) -> dict[int, float]:
    rows = Response.objects.filter(
        assignment__participant__study=study, assignment__is_attention_check=False, seconds__isnull=False
    ).order_by()
    times: dict[int, list[float]] = {}
    for person, seconds, away in rows.values_list("assignment__participant_id", "seconds", "away_seconds").iterator():
        times.setdefault(person, []).append(net_seconds(seconds, away) or 0.0)
    return {person: float(np.median(values)) for person, values in times.items()}


def state_text(participant: Participant, *, is_away: bool = False) -> str:
    """Return where a participant is, in a word or two, from their own columns."""
    if participant.withdrawn_at:
        return "withdrawn"
    if participant.finished_at:
        return "finished"
    if participant.practised_at:
        return "pausing" if is_away else "answering"
    return "before practice" if participant.profile_answered_at else "before profile"


class Waiting(NamedTuple):
    """Where somebody is who has not finished: the place of their first question without an answer.

    `question_key` is empty where that question was never shown; `has_stopped` says that it will stay unanswered.
    """

    pseudonym: str
    position: int
    question_key: str
    has_stopped: bool


@dataclass(frozen=True, slots=True)
class PositionRun:
    """Neighbouring positions that equally many people were given and answered, and who is at one of them."""

    first: int
    last: int
    n_given: int
    n_answered: int
    waiting: tuple[Waiting, ...]

    @property
    def stopped(self) -> list[Waiting]:
        """Who stopped here."""
        return [person for person in self.waiting if person.has_stopped]

    @property
    def under_way(self) -> list[Waiting]:
        """Who is here now."""
        return [person for person in self.waiting if not person.has_stopped]


@dataclass(frozen=True, slots=True)
class DropOff:
    """How many people answered the question at each position of their own order (from 1), and who is where."""

    answered: tuple[int, ...]
    runs: tuple[PositionRun, ...]

    @property
    def most(self) -> int:
        """The greatest number of people who answered the question at one position."""
        return max(self.answered, default=0)


def drop_off(study: Study, *, now: datetime | None = None) -> DropOff:
    """Return how far people got, attention checks included. Three queries. People who withdrew are in none of it.

    Somebody has stopped when the study is closed, or when nothing of them was seen for ACTIVE_DAYS.
    """
    given = Assignment.objects.filter(participant__study=study, participant__withdrawn_at__isnull=True).order_by()
    rows = given.values("position").annotate(n_given=Count("pk"), n_answered=Count("response"))
    counts = {row["position"]: (row["n_given"], row["n_answered"]) for row in rows}
    places = [counts.get(position, (0, 0)) for position in range(1, max(counts, default=0) + 1)]
    return DropOff(
        answered=tuple(n_answered for _, n_answered in places),
        runs=tuple(_runs(places, people_waiting(study, now=now))),
    )


def people_waiting(study: Study, *, now: datetime | None = None) -> list[Waiting]:
    """Return where everybody is who was given questions and has not answered them all, by position. Two queries."""
    since = (now or timezone.now()) - timedelta(days=ACTIVE_DAYS)
    unanswered = Assignment.objects.filter(
        participant__study=study, participant__withdrawn_at__isnull=True, response__isnull=True
    )
    by_position = unanswered.order_by("-position").values_list("participant_id", "pk")
    # The last entry of a person wins: their first question without an answer.
    first_of = dict(by_position.iterator())
    answers = Response.objects.filter(assignment__participant=OuterRef("participant"), answered_at__gte=since)
    rows = (
        Assignment.objects.filter(pk__in=first_of.values())
        .annotate(is_active=Exists(answers) | Q(participant__started_at__gte=since) | Q(served_at__gte=since))
        .order_by("position", "participant__pseudonym")
        .values_list("participant__pseudonym", "position", "question_revision__question__key", "served_at", "is_active")
    )
    is_open = study.status == Study.Status.OPEN
    return [
        Waiting(pseudonym, position, key if served_at else "", has_stopped=not (is_open and is_active))
        for pseudonym, position, key, served_at, is_active in rows
    ]


def _runs(places: list[tuple[int, int]], waiting: list[Waiting]) -> list[PositionRun]:
    found: list[PositionRun] = []
    for position, (n_given, n_answered) in enumerate(places, start=1):
        here = tuple(person for person in waiting if person.position == position)
        before = found[-1] if found else None
        # Somebody who waits here answered nothing here, so a run with people in it begins at their position.
        if before and not here and (before.n_given, before.n_answered) == (n_given, n_answered):
            found[-1] = PositionRun(before.first, position, n_given, n_answered, before.waiting)
        else:
            found.append(PositionRun(position, position, n_given, n_answered, here))
    return found


class StudyTotals(NamedTuple):
    """How a study stands, in a line."""

    n_people: int
    n_finished: int
    n_withdrawn: int
    n_counting: int
    n_answers: int
    n_unjudged: int
    n_flags_waiting: int


def study_totals(rows: list[StaffRow]) -> StudyTotals:
    """Return the sums of what the list of people says."""
    return StudyTotals(
        n_people=len(rows),
        n_finished=sum(row.state == "finished" for row in rows),
        n_withdrawn=sum(row.state == "withdrawn" for row in rows),
        n_counting=sum(not row.left_out for row in rows),
        n_answers=sum(row.answered for row in rows),
        n_unjudged=sum(row.unjudged for row in rows),
        n_flags_waiting=sum(flag.is_left_out is None for row in rows for flag in row.flags),
    )
