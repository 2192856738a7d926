"""People's answers as the leaderboard needs them."""

from collections.abc import Collection
from decimal import Decimal
from typing import NamedTuple

from django.db.models import BooleanField, Case, ExpressionWrapper, F, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.functions import Coalesce

from corpus.scoring.types import Outcome
from survey.models import Response, ResponseScore
from survey.selectors.inclusion import NOT_JUDGED, in_time, people_under_way


class BoardAnswer(NamedTuple):
    """One person's verdict on one question under one rule; `is_judged` says whether the current verdict is one."""

    participant_id: int
    pseudonym: str
    is_demo: bool
    study_slug: str
    root_id: int
    outcome: str
    credit: Decimal
    tools_allowed: bool
    block_id: int
    is_judged: bool


class StatedLevel(NamedTuple):
    """How sure a person says they are of one answer, from 1 to 5."""

    participant_id: int
    root_id: int
    level: int


class OtherAnswer(NamedTuple):
    """An answer that is known by another root than those looked at, and the revision that was asked."""

    participant_id: int
    block_id: int
    revision_id: int


def board_answers(
    *, root_ids: Collection[int], rule: str, with_unjudged: bool = False, with_under_way: bool = False
) -> list[BoardAnswer]:
    """Return the verdicts of people who agreed and have not withdrawn, for these comparable questions.

    Under the rule kept on the answer the current verdict counts, under any other the newest score by the same key, a
    person's corrected reading first; an answer never judged under that rule is left out or, `with_unjudged`, has the
    outcome "". An answer that could not be judged at all is an `error`. Attention checks are no answers to the
    question, and what was given after its study closed is on no board. Nor is anything of a person who is under way in
    an open study; `with_under_way`, for staff, returns it as well. Who counts is another matter:
    `survey.selectors.inclusion`. One query.
    """
    answers = _answers_of_people().annotate(
        root_id=_root_id(),
        judged_outcome=_judged_outcome(rule),
        judged_credit=Case(When(rule=rule, then=F("credit")), default=Subquery(_scores(rule).values("credit")[:1])),
    )
    if not with_unjudged:
        answers = answers.filter(judged_outcome__isnull=False)
    if not with_under_way:
        answers = answers.exclude(assignment__participant__in=people_under_way().values("pk"))
    rows = (
        answers.filter(root_id__in=root_ids)
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
            "assignment__block_id",
            "outcome",
        )
    )
    return [
        BoardAnswer(*row[:5], _outcome(row[5]), row[6] or Decimal(0), *row[7:9], row[9] not in NOT_JUDGED)
        for row in rows
    ]


def stated_levels(*, participant_ids: Collection[int], root_ids: Collection[int]) -> list[StatedLevel]:
    """Return how sure these people say they are of their answers to these comparable questions, where asked. One query.

    Only answers that `board_answers` returns.
    """
    rows = (
        _answers_of_people()
        .annotate(root_id=_root_id())
        .filter(assignment__participant__in=participant_ids, root_id__in=root_ids, confidence__isnull=False)
        .order_by("assignment__participant_id", "assignment__position")
        .values_list("assignment__participant_id", "root_id", "confidence")
    )
    return [StatedLevel(person, root_id, level) for person, root_id, level in rows if level is not None]


def other_answers(*, block_ids: Collection[int], root_ids: Collection[int]) -> list[OtherAnswer]:
    """Return what people answered in these blocks that is no answer to these comparable questions. One query."""
    others = _answers_of_people().annotate(root_id=_root_id()).filter(assignment__block__in=block_ids)
    rows = (
        others.exclude(root_id__in=root_ids)
        .order_by()
        .values_list("assignment__participant_id", "assignment__block_id", "assignment__question_revision_id")
    )
    return [OtherAnswer(*row) for row in rows]


def _outcome(judged: str | None) -> str:
    return "" if judged is None else judged or Outcome.ERROR.value


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
        in_time(),
        assignment__participant__consented_at__isnull=False,
        assignment__participant__withdrawn_at__isnull=True,
        assignment__is_attention_check=False,
    )


def _root_id() -> Coalesce:
    """Return the root of the revision whose key was used: the corrected one where there is one, else the one asked."""
    return Coalesce(
        F("key_revision__comparison_root_id"),
        F("key_revision_id"),
        F("assignment__question_revision__comparison_root_id"),
        F("assignment__question_revision_id"),
    )
