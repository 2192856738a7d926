"""One answer of a person with everything that led to its verdict, for maintainers."""

from corpus.scoring.types import Asked
from corpus.selectors.evidence import AnswerEvidence, answer_evidence
from corpus.selectors.later_keys import keys_in_force
from corpus.selectors.targets import asked_of
from survey.models import Response


def response_evidence(*, response: Response) -> AnswerEvidence:
    """Return everything stored about a person's answer; what they typed is the text, ticked options are marked."""
    revision_id = response.assignment.question_revision_id
    key = keys_in_force([revision_id])[revision_id]
    return answer_evidence(answer=response, text=response.typed_text, asked=response_asked(response), key=key)


def response_asked(response: Response) -> Asked:
    """Return what the person saw: the options by letter in the order shown."""
    assignment = response.assignment
    return asked_of(assignment.question_revision, assignment.option_order)
