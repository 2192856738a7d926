"""Read an export of the published ChemBench survey: a zip or a folder of three tables, and the reports made of them.

`users.csv`, `questions.csv` and `responses.csv`, with `reports/<block>/<person>/<question key>.json` where there are
any. What was ticked is an index into the options *in the order shown*, which is the order of the row's own `answer`
cell; a report lists the same letters over another order.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from corpus.importers.report_files import report_from_file
from corpus.importers.sources import SourceError, export_files
from corpus.importers.types import BankFile
from survey.importers.tables import CellError, literal_of, options_in, read_table, text_in
from survey.importers.types import (
    Cells,
    RefusedRow,
    SurveyAnswer,
    SurveyExport,
    SurveyPerson,
    SurveyQuestion,
    SurveyReport,
    UnreadableSurveyError,
)

IMPORTER = "chembench-survey@1"
REPORTS_FOLDER = "reports"
LONGEST_NAME = 60
LONGEST_TYPED = 1000
LONGEST_TOOLS = 2000
MOST_SECONDS = 10_000_000
MOST_YEARS = 100
_INDICES = re.compile(r"\d{1,3}(?:\s*,\s*\d{1,3})*", re.ASCII)
_NAME = re.compile(rf"[\w.@+-]{{1,{LONGEST_NAME}}}")
_BAD_NAME = f"`id` is no name of up to {LONGEST_NAME} letters, digits and . @ + -."
_COLUMNS = {
    "users.csv": ("id", "highestEducation", "experience"),
    "questions.csv": ("id", "example", "raw", "toolUseAllowed"),
    "responses.csv": ("id", "answer", "time", "questionId", "userId", "correctAnswer", "givenAnswer", "toolsUsed"),
}
_KEPT = ("id", "questionId", "givenAnswer", "correctAnswer", "score", "time", "toolsUsed")


def read_survey(path: Path) -> SurveyExport:
    """Read a zip or a folder. Raise `UnreadableSurveyError` when a table is missing or damaged.

    A row or a report that cannot be used is refused with the reason, and the others go on.
    """
    try:
        files = export_files(path)
    except SourceError as error:
        raise UnreadableSurveyError(str(error)) from None
    refused: list[RefusedRow] = []
    people = _people(_rows(files, "users.csv", path), refused)
    questions = _questions(_rows(files, "questions.csv", path), refused)
    answers = _answers(_rows(files, "responses.csv", path), questions, refused)
    reports = _reports(files, refused)
    return SurveyExport(people, questions, answers, reports, tuple(refused))


def _rows(files: Iterable[BankFile], name: str, path: Path) -> list[Cells]:
    found = [file for file in files if file.path.rsplit("/", 1)[-1] == name]
    if len(found) != 1:
        count = "no file" if not found else f"{len(found)} files"
        raise UnreadableSurveyError(f"{path} holds {count} {name}; an export of the survey has one.")
    return read_table(found[0], columns=_COLUMNS[name])


# People and questions


def _people(rows: Iterable[Cells], refused: list[RefusedRow]) -> dict[str, SurveyPerson]:
    people: dict[str, SurveyPerson] = {}
    for place, cells in rows:
        name = cells["id"].strip()
        if not _NAME.fullmatch(name):
            refused.append(RefusedRow("person", place, "person-invalid", _BAD_NAME))
        elif name in people:
            refused.append(RefusedRow("person", place, "person-repeated", f"The person {name} is there already.", name))
        else:
            people[name] = SurveyPerson(name, cells["highestEducation"].strip(), _whole(cells["experience"]))
    return people


def _whole(cell: str) -> int | None:
    """Return the years a cell names, None where it names none that can be."""
    text = cell.strip()
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(MOST_YEARS))
    return int(text) if is_number and int(text) <= MOST_YEARS else None


def _questions(rows: Iterable[Cells], refused: list[RefusedRow]) -> dict[str, SurveyQuestion]:
    questions: dict[str, SurveyQuestion] = {}
    for place, cells in rows:
        number = cells["id"].strip()
        try:
            question = _question(number, cells)
        except CellError as error:
            refused.append(RefusedRow("question", place, "cell-invalid", str(error), question=number))
            continue
        if number in questions:
            refused.append(
                RefusedRow("question", place, "question-repeated", f"Question {number} is there already.", "", number)
            )
        else:
            questions[number] = question
    return questions


def _question(number: str, cells: Mapping[str, str]) -> SurveyQuestion:
    example = literal_of(cells["example"], column="example")
    raw = literal_of(cells["raw"], column="raw")
    allowed = cells["toolUseAllowed"].strip().lower()
    if not number or allowed not in {"true", "false"}:
        raise CellError("`id` must be given, and `toolUseAllowed` be True or False.")
    return SurveyQuestion(
        source_id=number,
        name=cells.get("name", "").strip(),
        uuid=text_in(raw, "uuid", column="raw"),
        stem=text_in(example, "input", column="example"),
        options=tuple(text for text, _ in options_in(example, column="example")),
        tools_allowed=allowed == "true",
    )


# Answers


def _answers(
    rows: Iterable[Cells], questions: Mapping[str, SurveyQuestion], refused: list[RefusedRow]
) -> tuple[SurveyAnswer, ...]:
    """Return the answers by their number; of two answers of one person to one question the first counts."""
    read: list[tuple[str, SurveyAnswer]] = []
    for place, cells in rows:
        person, question = cells["userId"].strip(), cells["questionId"].strip()
        try:
            read.append((place, _answer(cells)))
        except CellError as error:
            refused.append(RefusedRow("answer", place, "cell-invalid", str(error), person, question))
    kept: dict[tuple[str, str], SurveyAnswer] = {}
    for place, answer in sorted(read, key=lambda entry: int(entry[1].source_id)):
        whose = (answer.person, answer.question_id)
        if answer.question_id not in questions:
            reason = f"The export has no usable question {answer.question_id}."
            refused.append(RefusedRow("answer", place, "question-unknown", reason, *whose))
        elif whose in kept:
            reason = f"The answer {kept[whose].source_id} to this question came first."
            refused.append(RefusedRow("answer", place, "answered-twice", reason, *whose))
        else:
            kept[whose] = answer
    return tuple(kept.values())


def _answer(cells: Mapping[str, str]) -> SurveyAnswer:
    number, person = cells["id"].strip(), cells["userId"].strip()
    if not (number.isascii() and number.isdigit() and len(number) < 16):
        raise CellError("`id` is no whole number.")
    if not _NAME.fullmatch(person):
        raise CellError(f"`userId` is no name of up to {LONGEST_NAME} characters.")
    given = cells["givenAnswer"].strip()
    shown = options_in(literal_of(cells["answer"], column="answer"), column="answer")
    if shown:
        ticked = _ticked(given, shown, cells["correctAnswer"])
    elif not given or len(given) > LONGEST_TYPED:
        raise CellError(f"`givenAnswer` is empty or longer than {LONGEST_TYPED} characters.")
    return SurveyAnswer(
        source_id=number,
        person=person,
        question_id=cells["questionId"].strip(),
        shown=tuple(text for text, _ in shown),
        ticked=ticked if shown else (),
        typed="" if shown else cells["givenAnswer"],
        seconds=_seconds(cells["time"]),
        tools=_tools(cells["toolsUsed"]),
        record={name: cells.get(name, "") for name in _KEPT},
    )


def _ticked(given: str, shown: tuple[tuple[str, float], ...], keys: str) -> tuple[str, ...]:
    """Return the texts that were ticked: places in the order shown, which the row marks with 1 as well."""
    if keys.strip() and len(keys.split(",")) != len(shown):
        raise CellError("`correctAnswer` and `answer` differ in the number of options; a text may be there twice.")
    if not _INDICES.fullmatch(given):
        raise CellError("`givenAnswer` is no list of places such as 2,0.")
    places = list(dict.fromkeys(int(place) for place in given.split(",")))
    if max(places) >= len(shown):
        raise CellError(f"`givenAnswer` names place {max(places)} of {len(shown)} options, counted from 0.")
    ticked = tuple(shown[place][0] for place in places)
    if set(ticked) != {text for text, figure in shown if figure}:
        raise CellError("`givenAnswer` and `answer` do not mark the same options.")
    return ticked


def _seconds(cell: str) -> float | None:
    text = cell.strip()
    if not text:
        return None
    if not re.fullmatch(r"\d{1,8}(\.\d{1,6})?", text, re.ASCII) or float(text) > MOST_SECONDS:
        raise CellError("`time` is no number of seconds.")
    return float(text)


def _tools(cell: str) -> str:
    if len(cell) > LONGEST_TOOLS:
        raise CellError(f"`toolsUsed` is longer than {LONGEST_TOOLS} characters.")
    return cell.strip()


# Reports


def _reports(files: Iterable[BankFile], refused: list[RefusedRow]) -> dict[tuple[str, str], SurveyReport]:
    reports: dict[tuple[str, str], SurveyReport] = {}
    for file in files:
        if len(file.folders) < 3 or file.folders[-3] != REPORTS_FOLDER:
            continue
        block, person = file.folders[-2:]
        try:
            if file.problem:
                raise ValueError(file.problem)
            report = report_from_file(file.path, file.content)
            if (person, report.key) in reports:
                raise ValueError(f"This person has a report of {report.key} already.")
            reports[person, report.key] = SurveyReport(block, report)
        except ValueError as error:
            refused.append(RefusedRow("report", file.path, "report-invalid", str(error), person))
        except RecursionError:
            refused.append(
                RefusedRow("report", file.path, "report-invalid", "The file nests lists too deeply.", person)
            )
    return reports
