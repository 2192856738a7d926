"""Tables of the question bank, and the abstract ones every answer builds on."""

from corpus.models.answers import AbstractAnswer, AbstractReading, AbstractScore
from corpus.models.changes import ResultsChange
from corpus.models.findings import ActionLog, Finding
from corpus.models.labels import Grouping, Label
from corpus.models.questions import (
    Benchmark,
    Molecule,
    Option,
    Question,
    QuestionRevision,
    Source,
)
from corpus.models.rescorings import AbstractRescored, AbstractRescoring
from corpus.models.sets import QuestionSet, QuestionSetMember, QuestionSetRevision

__all__ = [
    "AbstractAnswer",
    "AbstractReading",
    "AbstractRescored",
    "AbstractRescoring",
    "AbstractScore",
    "ActionLog",
    "Benchmark",
    "Finding",
    "Grouping",
    "Label",
    "Molecule",
    "Option",
    "Question",
    "QuestionRevision",
    "QuestionSet",
    "QuestionSetMember",
    "QuestionSetRevision",
    "ResultsChange",
    "Source",
]
