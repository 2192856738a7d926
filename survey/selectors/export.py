"""The answers of a study as rows of a table that is safe to open in a spreadsheet."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import TypeAlias

from corpus.scoring.letters import option_letter
from survey.models import Assignment, Participant, Response, ResponseReading, Study

Cell: TypeAlias = str | int | float | Decimal | None

COLUMNS = (
    "study",
    "participant",
    "demo",
    "consent_version",
    "education",
    "years_experience",
    "specialties",
    "withdrawn",
    "finished_at_utc",
    "block",
    "tools_allowed",
    "position",
    "question_key",
    "question_revision",
    "kind",
    "served_at_utc",
    "answered_at_utc",
    "seconds",
    "options_shown",
    "letters_chosen",
    "options_chosen",
    "typed_text",
    "number_read",
    "unit_read",
    "do_not_know",
    "tools_used",
    "confidence",
    "outcome",
    "credit",
    "rule",
)
STARTS_OF_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")
CHUNK = 500


def export_rows(study: Study) -> Iterator[list[Cell]]:
    """Yield the header, then a row for every question shown to anyone, answered or not.

    Times are UTC, durations seconds. Text that a spreadsheet would take for a formula starts with an apostrophe;
    numbers stay numbers.
    """
    yield list(COLUMNS)
    assignments = (
        Assignment.objects.filter(participant__study=study, served_at__isnull=False)
        .select_related(
            "participant__consent_text", "participant__study", "block", "question_revision__question", "response"
        )
        .prefetch_related("question_revision__options", "response__readings")
        .order_by("participant_id", "position")
    )
    for assignment in assignments.iterator(chunk_size=CHUNK):
        yield [*_person(assignment.participant), *_question(assignment), *_answer(assignment)]


def safe_text(text: str) -> str:
    """Return text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(STARTS_OF_FORMULAS) else text


def _utc(moment: datetime | None) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds") if moment else ""


def _joined(texts: Sequence[str]) -> str:
    return safe_text(" | ".join(texts))


def _person(person: Participant) -> list[Cell]:
    return [
        person.study.slug,
        safe_text(person.pseudonym),
        int(person.is_demo),
        person.consent_text.version if person.consent_text else None,
        person.education,
        person.years_experience,
        _joined(person.specialties),
        int(person.withdrawn_at is not None),
        _utc(person.finished_at),
    ]


def _question(assignment: Assignment) -> list[Cell]:
    revision = assignment.question_revision
    return [
        assignment.block.slug,
        int(assignment.block.tools_allowed),
        assignment.position,
        safe_text(revision.question.key),
        revision.number,
        revision.kind,
        _utc(assignment.served_at),
    ]


def _answer(assignment: Assignment) -> list[Cell]:
    texts = {option.option_key: option.text for option in assignment.question_revision.options.all()}
    order = assignment.option_order
    options_shown = _joined([f"{option_letter(place)}. {texts[key]}" for place, key in enumerate(order)])
    response = getattr(assignment, "response", None)
    if response is None:
        return ["", None, options_shown, *[None] * (len(COLUMNS) - 19)]
    chosen = [key for key in order if key in response.chosen_option_keys]
    return [
        _utc(response.answered_at),
        round(response.seconds, 3) if response.seconds is not None else None,
        options_shown,
        _joined([option_letter(order.index(key)) for key in chosen]),
        _joined([texts[key] for key in chosen]),
        safe_text(response.typed_text),
        *_read(response),
        int(response.do_not_know),
        _joined(response.tools_used),
        response.confidence,
        response.outcome,
        response.credit,
        response.rule,
    ]


def _read(response: Response) -> list[Cell]:
    readings: list[ResponseReading] = sorted(response.readings.all(), key=lambda reading: reading.pk)
    if not readings:
        return [None, ""]
    newest = readings[-1]
    return [Decimal(newest.number) if newest.number else None, safe_text(newest.unit)]
