"""What an importer of a survey hands over."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from corpus.importers.report_files import Report


class UnreadableSurveyError(ValueError):
    """The file or folder is no export of a survey; the message says what to do."""


class RefusedRow(NamedTuple):
    """What is left out: an answer, a question, a person or a report; where it is, a stable word, and why.

    `person` and `question` are the survey's own names, where known.
    """

    what: str
    place: str
    code: str
    reason: str
    person: str = ""
    question: str = ""


@dataclass(frozen=True, slots=True)
class SurveyPerson:
    """A person of the survey, by the id it gave them; education as the survey wrote it."""

    source_name: str
    education: str = ""
    years: int | None = None


@dataclass(frozen=True, slots=True)
class SurveyQuestion:
    """A question as the survey put it: `options` in the order it showed them, () for a number."""

    source_id: str
    name: str
    uuid: str
    stem: str
    options: tuple[str, ...]
    tools_allowed: bool


@dataclass(frozen=True, slots=True)
class SurveyAnswer:
    """One answer: `shown` and `ticked` are option texts, in the order shown and in that of ticking.

    `typed` is the number as typed. `record` holds the row's cells, without the long one that repeats the question.
    """

    source_id: str
    person: str
    question_id: str
    shown: tuple[str, ...]
    ticked: tuple[str, ...]
    typed: str
    seconds: float | None
    tools: str
    record: Mapping[str, str]


class SurveyReport(NamedTuple):
    """The report made of one answer, with the folder of its block."""

    block: str
    report: Report


@dataclass(frozen=True, slots=True)
class SurveyExport:
    """Everything an export holds; answers in the order in which they were given, reports by (person, question key)."""

    people: Mapping[str, SurveyPerson]
    questions: Mapping[str, SurveyQuestion]
    answers: tuple[SurveyAnswer, ...]
    reports: Mapping[tuple[str, str], SurveyReport]
    refused: tuple[RefusedRow, ...]


class Cells(NamedTuple):
    """A row of a table with the place to name it by."""

    place: str
    cells: Mapping[str, str]
