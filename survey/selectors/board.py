"""People's answers as the leaderboard needs them."""

from collections.abc import Collection
from decimal import Decimal
from typing import NamedTuple

from django.db.models import BooleanField, Case, Exists, ExpressionWrapper, F, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.functions import Coalesce

from corpus.scoring.types import Outcome
from survey.models import Assignment, Participant, Response, ResponseScore


class BoardAnswer(NamedTuple):
    """One person's verdict on one question under one rule."""

    participant_id: int
    pseudonym: str
    is_demo: bool
    study_slug: str
    root_id: int
    outcome: str
    credit: Decimal
    tools_allowed: bool


class FinishedPerson(NamedTuple):
    """Someone who answered every question of a benchmark they were given."""

    participant_id: int
    study_id: int


def board_answers(*, root_ids: Collection[int], rule: str) -> list[BoardAnswer]:
    """Return the verdicts of people who agreed and have not withdrawn, for these comparable questions.

    Under the rule kept on the answer the current verdict counts, under any other the newest score by the same key, a
    person's corrected reading first; an answer never judged under that rule is left out. An answer that could not be
    judged at all is an `error`. One query.
    """
    rows = (
        _answers_of_people()
        .annotate(
            root_id=_root_id(),
            judged_outcome=_judged_outcome(rule),
            judged_credit=Case(When(rule=rule, then=F("credit")), default=Subquery(_scores(rule).values("credit")[:1])),
        )
        .filter(root_id__in=root_ids, judged_outcome__isnull=False)
        .order_by("assignment__participant_id", "assignment__position")
        .values_list(
            "assignment__participant_id",
            "assignment__participant__pseudonym",
            "assignment__participant__is_demo",
            "assignment__participant__study__slug",
            "root_id",
            "judged_outcome",
            "judged_credit",
            "assignment__block__tools_allowed",
        )
    )
    return [BoardAnswer(*row[:5], row[5] or Outcome.ERROR.value, row[6] or Decimal(0), row[7]) for row in rows]


def finished_people(*, benchmark_id: int, rule: str) -> list[FinishedPerson]:
    """Return who agreed, has not withdrawn, and answered every question of this benchmark that was given to them.

    Whose answer is not judged under the rule, or could not be judged, is left out: whoever is returned has a verdict
    on every question of the benchmark they were given. By id; one query.
    """
    given = Assignment.objects.filter(
        participant=OuterRef("pk"), question_revision__question__benchmark=benchmark_id
    ).order_by()
    unjudged = (
        Response.objects.filter(
            assignment__participant=OuterRef("pk"),
            assignment__question_revision__question__benchmark=benchmark_id,
        )
        .annotate(judged_outcome=_judged_outcome(rule))
        .filter(Q(judged_outcome__isnull=True) | Q(judged_outcome__in=["", Outcome.ERROR.value]))
    )
    rows = (
        Participant.objects.filter(consented_at__isnull=False, withdrawn_at__isnull=True)
        .filter(Exists(given), ~Exists(given.filter(response__isnull=True)), ~Exists(unjudged))
        .order_by("pk")
        .values_list("pk", "study_id")
    )
    return [FinishedPerson(*row) for row in rows]


def _scores(rule: str) -> QuerySet[ResponseScore]:
    """Return the scores of an answer (the outer row) under a rule by the same key, the one that counts first."""
    return (
        ResponseScore.objects.filter(answer=OuterRef("pk"), rule=rule)
        .annotate(
            key=Coalesce(F("key_revision_id"), 0),
            is_corrected=ExpressionWrapper(Q(reading__corrected_by__isnull=False), BooleanField()),
        )
        .filter(key=Coalesce(OuterRef("key_revision_id"), 0))
        .order_by("-is_corrected", "-id")
    )


def _judged_outcome(rule: str) -> Case:
    return Case(
        When(rule=rule, then=F("outcome")),
        When(rule="", then=F("outcome")),
        default=Subquery(_scores(rule).values("outcome")[:1]),
    )


def _answers_of_people() -> QuerySet[Response]:
    return Response.objects.filter(
        assignment__participant__consented_at__isnull=False,
        assignment__participant__withdrawn_at__isnull=True,
    )


def _root_id() -> Coalesce:
    """Return the root of the revision whose key was used: the corrected one where there is one, else the one asked."""
    return Coalesce(
        F("key_revision__comparison_root_id"),
        F("key_revision_id"),
        F("assignment__question_revision__comparison_root_id"),
        F("assignment__question_revision_id"),
    )
