"""Time away from a question, by the server's clock: when it begins and ends, how much of an answer's time it is."""

from collections.abc import Iterable
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils import timezone

from survey.models import Absence, Assignment, Response
from survey.services.holding import person_hold

Interval = tuple[datetime, datetime | None]


def absence_begin(*, assignment: Assignment, kind: Absence.Kind, now: datetime | None = None) -> bool:
    """Note that the person is away from a question; return False (and change nothing) where that is known already.

    A question that has an answer, or has not been shown, has no time to be away from; only a break comes before its
    question is shown. Someone who has withdrawn is away from nothing.
    """
    try:
        with transaction.atomic():
            if not person_hold(assignment.participant):
                return False
            if kind is not Absence.Kind.BREAK and not _is_waiting_for_an_answer(assignment):
                return False
            Absence.objects.create(assignment=assignment, kind=kind, began_at=now or timezone.now())
    except IntegrityError:
        # Begun by another tab, or (a break) had before: the constraints let one through.
        return False
    return True


def absences_end(*, assignment: Assignment, now: datetime | None = None) -> int:
    """Note that the person is back at a question; return how many absences ended."""
    with transaction.atomic():
        person_hold(assignment.participant)
        going_on = Absence.objects.filter(assignment=assignment, ended_at__isnull=True)
        return going_on.update(ended_at=now or timezone.now())


def away_seconds(absences: Iterable[Absence], *, served_at: datetime, answered_at: datetime) -> float:
    """Return for how many seconds between two times the person was away.

    Absences of several tabs and kinds that overlap count once; one without an end lasts until the answer. Never
    negative, never more than the time between.
    """
    spans: list[Interval] = [(absence.began_at, absence.ended_at) for absence in absences]
    return union_seconds(spans, served_at, answered_at)


def union_seconds(spans: Iterable[Interval], start: datetime, end: datetime) -> float:
    """Return the length in seconds of the union of spans, cut to [start, end]; a span without an end is open."""
    total, covered_until = 0.0, start
    for began, ended in sorted(spans, key=lambda span: span[0]):
        first, last = max(began, covered_until), min(ended or end, end)
        if last > first:
            total += (last - first).total_seconds()
            covered_until = last
    return total


def _is_waiting_for_an_answer(assignment: Assignment) -> bool:
    return assignment.served_at is not None and not Response.objects.filter(assignment=assignment).exists()
