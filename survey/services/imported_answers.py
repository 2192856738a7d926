"""What an imported answer becomes: the answer as given, and a reading for each rule it can be judged by."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from corpus.importers.report_files import Report
from corpus.importers.report_options import LetteredOptions, lettered_options
from corpus.scoring.published import UnmatchedOptionsError, reading_from_parsed
from corpus.scoring.rules import judge, resolve_rule
from corpus.scoring.survey_reports import KEPT_AS_REPORTED, reading_from_survey
from corpus.scoring.types import Kind, Outcome, Reading, Target
from corpus.selectors.targets import asked_from_prompt
from corpus.services.questions import option_key
from survey.importers.types import SurveyAnswer, SurveyReport
from survey.models import Assignment
from survey.services.imported_questions import MatchedQuestion, option_keys_of
from survey.services.responses import NO_TOOLS, Given, reading_of

PUBLISHED_RULE = "as-published"
SURVEY_RULE = "survey-option-text"
STANDARD_RULE = "standard"
OTHER_TOOL = "other: "
LONGEST_OTHER_TOOL = 120
_TOOLS = {
    **dict.fromkeys(("none", "no tool", "no tools", "no tool used"), NO_TOOLS),
    **dict.fromkeys(("websearch", "web search", "google", "web"), "web search"),
    **dict.fromkeys(("calculator", "excel"), "calculator"),
    **dict.fromkeys(("pubchem", "chemspider", "gestis-stoffdatenbank"), "database"),
    "chemdraw": "drawing",
    "rdkit": "RDKit",
}


class Note(NamedTuple):
    """Something about an imported answer that a maintainer should know; `code` can be counted."""

    person: str
    key: str
    code: str
    message: str


class RuleReading(NamedTuple):
    """A reading and the rule, by name and version, that judges it."""

    reading: Reading
    rule: str


@dataclass(frozen=True, slots=True)
class PreparedAnswer:
    """An answer ready to be stored, with the option order its person saw."""

    question: MatchedQuestion
    option_order: tuple[str, ...]
    fields: Mapping[str, Any]
    readings: tuple[RuleReading, ...]
    notes: tuple[Note, ...]

    @property
    def is_kept_as_reported(self) -> bool:
        """Whether the option-text rule keeps what the report stored, because question and survey differ in text."""
        return not self.question.is_same_text and any(
            KEPT_AS_REPORTED in entry.reading.notes for entry in self.readings
        )


def prepare_answer(*, answer: SurveyAnswer, question: MatchedQuestion, report: SurveyReport | None) -> PreparedAnswer:
    """Read one answer for every rule. Raise `UnmatchedOptionsError` when what was shown cannot be told apart."""
    if bool(answer.shown) != (question.target.kind is Kind.CHOICE):
        raise UnmatchedOptionsError(f"The bank's question asks for a {question.target.kind.value}.")
    keys = option_keys_of(texts=answer.shown, target=question.target) if answer.shown else {}
    order = tuple(keys[text] for text in answer.shown)
    given = Given(
        option_keys=tuple(keys[text] for text in answer.ticked),
        typed_text=answer.typed,
        tools_used=tools_named(answer.tools),
    )
    shown_to_them = Assignment(question_revision=question.revision, option_order=list(order))
    own = reading_of(assignment=shown_to_them, given=given)
    reported, notes = _reported(answer, question, report)
    return PreparedAnswer(
        question=question,
        option_order=order,
        fields={
            "chosen_option_keys": list(given.option_keys),
            "typed_text": given.typed_text,
            "tools_used": list(given.tools_used),
            "seconds": answer.seconds,
            "imported_record": record_of(answer, report),
        },
        readings=_readings(question, own=own, reported=reported),
        notes=(*notes, *_changed_texts(answer, question, keys), *_own_score(answer, question, own)),
    )


def tools_named(text: str) -> tuple[str, ...]:
    """Return tools in the words of this site where every part of a list is known, else the text as written."""
    parts = [part.strip().casefold() for part in text.split(",") if part.strip()]
    if not parts:
        return ()
    if all(part in _TOOLS for part in parts):
        return tuple(dict.fromkeys(_TOOLS[part] for part in parts))
    return (OTHER_TOOL + text[:LONGEST_OTHER_TOOL],)


def record_of(answer: SurveyAnswer, report: SurveyReport | None) -> dict[str, Any]:
    """Return what the survey and its report stored of an answer, for as long as the answer is kept."""
    record: dict[str, Any] = {"survey": dict(answer.record)}
    if report is not None:
        block, stored = report
        targets = stored.targets if isinstance(stored.targets, str) else dict(stored.targets)
        record["report"] = {
            "block": block,
            "prompt": stored.prompt,
            "targets": targets,
            "text": stored.completion,
            **stored.flags,
        }
    return record


def _readings(question: MatchedQuestion, *, own: Reading, reported: Reading | None) -> tuple[RuleReading, ...]:
    survey = reading_from_survey(
        kind=question.target.kind, ticked=own, reported=reported, is_same_text=question.is_same_text
    )
    pairs = ((reported, PUBLISHED_RULE), (survey, SURVEY_RULE), (own, STANDARD_RULE))
    return tuple(RuleReading(reading, resolve_rule(rule)) for reading, rule in pairs if reading is not None)


def _reported(
    answer: SurveyAnswer, question: MatchedQuestion, report: SurveyReport | None
) -> tuple[Reading | None, tuple[Note, ...]]:
    """Return the report's reading, its letters taken through the options of the report's own prompt."""
    if report is None:
        message = "There is no report of this answer: it has no verdict as published."
        return None, (Note(answer.person, question.key, "report-missing", message),)
    stored = report.report
    try:
        lettered = _lettered(stored, question.target)
    except (UnmatchedOptionsError, TypeError, ValueError, OverflowError) as error:
        return None, (Note(answer.person, question.key, "report-unmatched", str(error)[:300]),)
    asked = asked_from_prompt(question.revision, lettered.shown, stored.prompt)
    reading = reading_from_parsed(parsed_output=stored.parsed_output, asked=asked)
    return reading, _key_notes(answer.person, question, stored, lettered)


def _lettered(report: Report, target: Target) -> LetteredOptions:
    if isinstance(report.targets, str) != (target.kind is Kind.NUMBER):
        raise UnmatchedOptionsError(f"The report is not about a question of kind {target.kind.value}.")
    if isinstance(report.targets, str):
        return LetteredOptions(shown=())
    return lettered_options(prompt=report.prompt, targets=report.targets, options=target.options)


def _key_notes(person: str, question: MatchedQuestion, report: Report, lettered: LetteredOptions) -> tuple[Note, ...]:
    """Say where the report's key differs from ours; every verdict is by our key."""
    notes = [f"The report and the question differ in the credit of {text!r}." for text in lettered.changed_credits]
    if isinstance(report.targets, str) and _number(report.targets) != question.target.number:
        notes.append(f"The report's target is {report.targets!r}.")
    return tuple(Note(person, question.key, "key-differs", message) for message in notes)


def _changed_texts(answer: SurveyAnswer, question: MatchedQuestion, keys: Mapping[str, str]) -> Sequence[Note]:
    """Say which options the survey worded otherwise than the bank does."""
    ours = {option.key: option.text for option in question.target.options}
    return [
        Note(answer.person, question.key, "option-text-changed", f"The survey has {text!r}, the bank {ours[key]!r}.")
        for text, key in keys.items()
        if option_key(text) != key
    ]


def _own_score(answer: SurveyAnswer, question: MatchedQuestion, own: Reading) -> Sequence[Note]:
    """Say where the survey's own score of a choice is not what its ticked options give by our key."""
    score = answer.record.get("score", "").strip()
    if question.target.kind is not Kind.CHOICE or score not in {"0", "1"}:
        return ()
    verdict = judge(reading=own, target=question.target, rule=STANDARD_RULE)
    if (verdict.outcome is Outcome.RIGHT) == (score == "1"):
        return ()
    message = f"The survey's score is {score}, the ticked options are {verdict.outcome.value} by our key."
    return (Note(answer.person, question.key, "score-differs", message),)


def _number(text: str) -> Decimal | None:
    try:
        return Decimal(text.strip())
    except InvalidOperation:
        return None
