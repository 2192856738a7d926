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
    assignment = _first_unanswered(participant)
    if assignment is None:
        return Step(StepKind.FINISH)
    if participant.study.status != Study.Status.OPEN:
        return Step(StepKind.NOT_OPEN)
    if not _has_begun(participant, assignment):
        return Step(StepKind.RULES, block=assignment.block)
    return Step(StepKind.QUESTION, block=assignment.block, assignment=assignment)


def answerable_assignment(participant: Participant) -> Assignment | None:
    """Return the question whose answer is taken now, or None: the one a person is at, once it has been shown.

    When the study closes after that, the answer to this one question is still taken.
    """
    if participant.withdrawn_at or participant.study.status == Study.Status.DRAFT:
        return None
    assignment = _first_unanswered(participant)
    if assignment is None or assignment.served_at is None or not _has_begun(participant, assignment):
        return None
    return assignment


def _first_unanswered(participant: Participant) -> Assignment | None:
    return (
        participant.assignments.filter(response__isnull=True)
        .select_related("block__study", "question_revision", "participant__study")
        .order_by("position")
        .first()
    )


def _has_begun(participant: Participant, assignment: Assignment) -> bool:
    return BlockVisit.objects.filter(participant=participant, block_id=assignment.block_id).exists()


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
