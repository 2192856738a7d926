"""Where a person is in a study: the one answer to "what comes next"."""

from dataclasses import dataclass
from enum import StrEnum

from django.db.models import Exists, OuterRef, QuerySet

from survey.models import Absence, Assignment, BlockVisit, Participant, Response, Study, StudyBlock


class StepKind(StrEnum):
    """What a person sees next."""

    WITHDRAWN = "withdrawn"
    FINISH = "finish"
    NOT_OPEN = "not_open"
    CONSENT = "consent"
    PROFILE = "profile"
    PRACTICE = "practice"
    BREAK = "break"
    RULES = "rules"
    QUESTION = "question"


@dataclass(frozen=True, slots=True)
class Step:
    """A step, with the block of a `rules` step, and the block and assignment of a `question` or `break` step.

    The assignment of a `break` step is the question that comes after the break.
    """

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
    if _break_is_due(participant.study, assignment):
        return Step(StepKind.BREAK, block=assignment.block, assignment=assignment)
    if not assignment.has_begun_block:  # type: ignore[attr-defined]
        return Step(StepKind.RULES, block=assignment.block)
    return Step(StepKind.QUESTION, block=assignment.block, assignment=assignment)


def answerable_assignment(participant: Participant) -> Assignment | None:
    """Return the question whose answer is taken now, or None: the one a person is at, once it has been shown.

    When the study closes after that, the answer to this one question is still taken.
    """
    assignment = _first_unanswered(participant)
    return assignment if assignment and is_answerable(assignment) else None


def is_answerable(assignment: Assignment) -> bool:
    """Say whether the answer to a question from `with_turn` is taken now; see `answerable_assignment`."""
    participant = assignment.participant
    if participant.withdrawn_at or participant.study.status == Study.Status.DRAFT:
        return False
    if stored_response(assignment) or assignment.served_at is None:
        return False
    return assignment.has_begun_block and assignment.is_next  # type: ignore[attr-defined, no-any-return]


def is_paused(assignment: Assignment) -> bool:
    """Say whether a pause at a question goes on."""
    return assignment.absences.filter(kind=Absence.Kind.PAUSE, ended_at__isnull=True).exists()


def is_changed_by_looking(step: Step) -> bool:
    """Say whether opening the page of a step would begin or end a time: of a question, of being away, of a break."""
    if step.assignment is None:
        return False
    if step.kind is StepKind.BREAK:
        return not step.assignment.absences.filter(kind=Absence.Kind.BREAK).exists()
    return step.assignment.served_at is None or step.assignment.absences.filter(ended_at__isnull=True).exists()


def stored_response(assignment: Assignment) -> Response | None:
    """Return the answer to a question from `with_turn`, or None."""
    return getattr(assignment, "response", None)


def with_turn(assignments: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Read with questions all that says whose turn it is: their answers and drafts, blocks begun, what comes before."""
    waiting_before = Assignment.objects.filter(
        participant=OuterRef("participant"), position__lt=OuterRef("position"), response__isnull=True
    )
    visits = BlockVisit.objects.filter(participant=OuterRef("participant"), block=OuterRef("block"))
    return assignments.select_related(
        "block__study", "question_revision", "participant__study", "response", "draft"
    ).annotate(has_begun_block=Exists(visits), is_next=~Exists(waiting_before))


def _first_unanswered(participant: Participant) -> Assignment | None:
    return with_turn(participant.assignments.filter(response__isnull=True)).order_by("position").first()


def _break_is_due(study: Study, assignment: Assignment) -> bool:
    """Questions are answered in order, so the place of the next one says how many are answered."""
    answered = assignment.position - 1
    if not study.break_every or not answered or answered % study.break_every or assignment.served_at:
        return False
    breaks = Absence.objects.filter(assignment=assignment, kind=Absence.Kind.BREAK)
    return not breaks.filter(ended_at__isnull=False).exists()


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
