"""Studies, the people who take part, the questions they are given, and what they answered."""

from survey.models.answers import RescoredResponse, Response, ResponseReading, ResponseRescoring, ResponseScore
from survey.models.assignments import Absence, Assignment, Draft
from survey.models.comments import QuestionComment
from survey.models.links import UnknownLinkCount
from survey.models.people import BlockVisit, Participant, ParticipantFlag, ReminderAddress, new_link_secret
from survey.models.studies import ConsentText, Study, StudyBlock

__all__ = [
    "Absence",
    "Assignment",
    "BlockVisit",
    "ConsentText",
    "Draft",
    "Participant",
    "ParticipantFlag",
    "QuestionComment",
    "ReminderAddress",
    "RescoredResponse",
    "Response",
    "ResponseReading",
    "ResponseRescoring",
    "ResponseScore",
    "Study",
    "StudyBlock",
    "UnknownLinkCount",
    "new_link_secret",
]
