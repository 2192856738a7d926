"""Where a person is in a study: the one answer to "what comes next"."""

from dataclasses import dataclass
from enum import StrEnum

from survey.models import Assignment, BlockVisit, Participant, Study, StudyBlock


class StepKind(StrEnum):
    """What a person sees next."""

    WITHDRAWN = "withdrawn"
    FINISH = "finish"
    NOT_OPEN = "not_open"
    CONSENT = "consent"
    PROFILE = "profile"
    PRACTICE = "practice"
    RULES = "rules"
    QUESTION = "question"


@dataclass(frozen=True, slots=True)
class Step:
    """A step, with the block of a `rules` step and the block and assignment of a `question` step."""

    kind: StepKind
    block: StudyBlock | None = None
    assignment: Assignment | None = None


def current_step(participant: Participant) -> Step:
    """Return the step a person is at, from stored rows alone; it is the same wherever they continue."""
    early = _step_before_questions(participant)
    if early:
        return Step(early)
    assignment = (
        participant.assignments.filter(response__isnull=True)
        .select_related("block__study", "question_revision", "participant")
        .order_by("position")
        .first()
    )
    if assignment is None:
        return Step(StepKind.FINISH)
    if participant.study.status != Study.Status.OPEN:
        return Step(StepKind.NOT_OPEN)
    begun = BlockVisit.objects.filter(participant=participant, block_id=assignment.block_id).exists()
    if not begun:
        return Step(StepKind.RULES, block=assignment.block)
    return Step(StepKind.QUESTION, block=assignment.block, assignment=assignment)


def _step_before_questions(participant: Participant) -> StepKind | None:
    if participant.withdrawn_at:
        return StepKind.WITHDRAWN
    if participant.finished_at:
        return StepKind.FINISH
    if participant.practised_at:
        return None
    if participant.study.status != Study.Status.OPEN:
        return StepKind.NOT_OPEN
    if participant.consented_at is None:
        return StepKind.CONSENT
    return StepKind.PRACTICE if participant.profile_answered_at else StepKind.PROFILE
