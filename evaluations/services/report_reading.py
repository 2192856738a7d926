"""A published report as one item: read twice, as it was read then and as everybody is read now."""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from corpus.importers.report_files import Report
from corpus.importers.report_options import LetteredOptions, lettered_options
from corpus.models import QuestionSetMember
from corpus.scoring.published import UnmatchedOptionsError, reading_from_parsed
from corpus.scoring.reading import read_answer
from corpus.scoring.rules import resolve_rule
from corpus.scoring.types import Kind, Outcome, Reading, Target
from corpus.selectors.targets import asked_from_prompt, target_of
from evaluations.models import Item

STANDARD_READER = "standard@1"


class Note(NamedTuple):
    """Something about one question's report that a maintainer should know; `code` can be counted."""

    key: str
    code: str
    message: str


class PreparedReport(NamedTuple):
    """An item not yet saved, with its readings and its key; no readings when it cannot be judged."""

    item: Item
    target: Target
    readings: tuple[tuple[Reading, str], ...]
    notes: tuple[Note, ...]


def prepared_report(*, report: Report, member: QuestionSetMember) -> PreparedReport:
    """Read one report twice, as it was read then and as everybody is read now."""
    revision = member.question_revision
    target = target_of(revision)
    item = Item(
        question_revision=revision,
        position=member.position,
        status=Item.Status.ANSWERED,
        prompt=report.prompt,
        completion=report.completion,
        attempts=1,
        source_flags=dict(report.flags),
    )
    try:
        lettered = _lettered(report=report, target=target)
    except UnmatchedOptionsError as error:
        return _not_judged(item=item, target=target, key=report.key, message=str(error))
    item.options_shown = [list(option) for option in lettered.shown]
    asked = asked_from_prompt(revision, item.options_shown, report.prompt)
    readings = (
        (reading_from_parsed(parsed_output=report.parsed_output, asked=asked), resolve_rule("as-published")),
        (
            read_answer(text=report.completion, asked=asked, reader=STANDARD_READER),
            resolve_rule("standard"),
        ),
    )
    return PreparedReport(item, target, readings, _notes(report=report, target=target, lettered=lettered))


def _lettered(*, report: Report, target: Target) -> LetteredOptions:
    is_choice = isinstance(report.targets, Mapping)
    if is_choice != (target.kind is Kind.CHOICE) or target.kind not in {Kind.CHOICE, Kind.NUMBER}:
        raise UnmatchedOptionsError(f"The report is not about a question of kind {target.kind.value}.")
    if isinstance(report.targets, str):
        return LetteredOptions(shown=())
    return lettered_options(prompt=report.prompt, targets=report.targets, options=target.options)


def _not_judged(*, item: Item, target: Target, key: str, message: str) -> PreparedReport:
    """Keep the raw text of a report whose letters cannot be settled, and judge nothing."""
    item.status = Item.Status.FAILED
    item.outcome = Outcome.ERROR.value
    item.error_code = "options-unmatched"
    item.error_message = message[:500]
    return PreparedReport(item, target, (), (Note(key, "options-unmatched", message),))


def _notes(*, report: Report, target: Target, lettered: LetteredOptions) -> tuple[Note, ...]:
    """Say where the report's question differs from ours; the verdict is always by our key."""
    notes = [
        Note(report.key, "option-text-changed", f"The report has {then!r}, the question has {now!r}.")
        for then, now in lettered.changed_texts
    ]
    notes += [
        Note(report.key, "key-differs", f"The report and the question differ in the credit of {text!r}.")
        for text in lettered.changed_credits
    ]
    if isinstance(report.targets, str) and not _is_same_number(report.targets, target.number):
        notes.append(Note(report.key, "key-differs", f"The report's target is {report.targets!r}."))
    return tuple(notes)


def _is_same_number(text: str, number: Decimal | None) -> bool:
    try:
        return Decimal(text.strip()) == number
    except InvalidOperation:
        return False
