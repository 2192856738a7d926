"""A person's own verdicts, for their own result."""

from typing import NamedTuple

from survey.models import Participant, Response, Study
from survey.selectors.steps import answerable_assignment


class OwnAnswer(NamedTuple):
    """The current verdict on one question of a person; `outcome` is "" where it could not be judged.

    `block_id` is the part of the study in which they were given it, `set_id` the set that part asks now.
    """

    question_id: int
    benchmark_id: int
    block_id: int
    set_id: int
    question_key: str
    stem: str
    position: int
    outcome: str


def may_see_result(participant: Participant) -> bool:
    """Say whether a person may see their own result: after their end, or once the study is closed to them.

    While somebody answers, a result would tell them how they are doing; the question shown as the study closed is
    answered still.
    """
    if participant.withdrawn_at:
        return False
    if participant.finished_at is not None:
        return True
    return participant.study.status == Study.Status.CLOSED and answerable_assignment(participant) is None


def own_answers(participant: Participant) -> list[OwnAnswer]:
    """Return a person's answers in their order, without attention checks, which never count. One query."""
    rows = (
        Response.objects.filter(assignment__participant=participant, assignment__is_attention_check=False)
        .select_related("assignment__question_revision__question", "assignment__block__set_revision")
        .order_by("assignment__position")
    )
    return [
        OwnAnswer(
            question_id=row.assignment.question_revision.question_id,
            benchmark_id=row.assignment.question_revision.question.benchmark_id,
            block_id=row.assignment.block_id,
            set_id=row.assignment.block.set_revision.question_set_id,
            question_key=row.assignment.question_revision.question.key,
            stem=row.assignment.question_revision.stem,
            position=row.assignment.position,
            outcome=row.outcome,
        )
        for row in rows
    ]
