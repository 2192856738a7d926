"""The answers of a study as rows of a table that is safe to open in a spreadsheet."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import TypeAlias

from django.db.models import Min, Q

from corpus.scoring.letters import option_letter
from survey.models import Assignment, Participant, Response, ResponseReading, Study
from survey.selectors.inclusion import Inclusion, inclusions

Cell: TypeAlias = str | int | float | Decimal | None

PERSON_COLUMNS = (
    "study",
    "participant",
    "demo",
    "imported",
    "consent_version",
    "education",
    "years_experience",
    "specialties",
    "withdrawn",
    "finished_at_utc",
    "flags",
    "flags_not_reviewed",
    "counts_in_results",
    "left_out_because",
)
QUESTION_COLUMNS = (
    "block",
    "block_place",
    "tools_allowed",
    "block_counts_in_results",
    "position",
    "question_key",
    "question_revision",
    "kind",
    "attention_check",
    "options_shown",
    "served_at_utc",
)
ANSWER_COLUMNS = (
    "answered_at_utc",
    "seconds",
    "away_seconds",
    "net_seconds",
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
    "key_revision",
)
COLUMNS = (*PERSON_COLUMNS, *QUESTION_COLUMNS, *ANSWER_COLUMNS)
# What tells the keys: for those who may see them.
VERDICT_COLUMNS = frozenset({"outcome", "credit", "key_revision"})
# What a spreadsheet drops or does not show before it looks for a formula: spaces, quotes, control characters with NUL,
# soft hyphens, zero-width and bidirectional marks, variation selectors.
UNSEEN = (
    "\\s\"'\u2018-\u201f\x00-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202f\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"
)
STARTS = "=+\\-@\uff0b\uff0d\uff1d\uff20"
# What it takes for the beginning of a formula; a cell that begins with a line break or a tab is taken apart by some.
FORMULA = re.compile(f"^(?:[{UNSEEN}]*[{STARTS}]|[\t\r\n])")
# Where cells are divided at semicolons or tabs, quotes of a file divided by commas do not keep a cell together.
FORMULA_WITHIN = re.compile(f"([;\t\r\n])(?=[{UNSEEN}]*[{STARTS}])")
CHUNK = 500


def export_rows(study: Study, *, with_verdicts: bool = True) -> Iterator[list[Cell]]:
    """Yield the header, then a row for every question shown to anyone, answered or not.

    Without `with_verdicts` the columns are left out that tell which answers are right, and with them the keys.

    Times are UTC, durations seconds; `seconds` runs from shown to answered, `away_seconds` is how much of it the person
    was away, `net_seconds` the rest. `block_place` is the place of the block in this person's order. Text that a
    spreadsheet would take for a formula starts with an apostrophe; numbers stay numbers.
    """
    kept = [place for place, name in enumerate(COLUMNS) if with_verdicts or name not in VERDICT_COLUMNS]
    yield [COLUMNS[place] for place in kept]
    found = inclusions(study=study).people
    places = _block_places(study)
    assignments = (
        Assignment.objects.filter(participant__study=study)
        # When a question was shown is not known of every imported answer.
        .filter(Q(served_at__isnull=False) | Q(response__isnull=False))
        .select_related(
            "participant__consent_text",
            "participant__study",
            "block",
            "question_revision__question",
            "response__key_revision",
        )
        .prefetch_related("question_revision__options", "response__readings", "participant__flags")
        .order_by("participant_id", "position")
    )
    for assignment in assignments.iterator(chunk_size=CHUNK):
        inclusion = found.get(assignment.participant_id)
        place = places.get((assignment.participant_id, assignment.block_id))
        person = _person(assignment.participant, inclusion)
        row = [*person, *_question(assignment, inclusion, place), *_answer(assignment)]
        yield [row[place] for place in kept]


def safe_text(text: str) -> str:
    """Return text that no spreadsheet takes for a formula, whole or divided at semicolons, tabs or line breaks."""
    inside = FORMULA_WITHIN.sub(r"\1'", text)
    return f"'{inside}" if FORMULA.match(text) else inside


def net_seconds(response: Response) -> float | None:
    """Return how long a person was at a question: from shown to answered, less the time they were away."""
    if response.seconds is None:
        return None
    return max(0.0, response.seconds - (response.away_seconds or 0.0))


def reading_in_force(response: Response) -> ResponseReading | None:
    """Return what an answer was read as: a person's newest correction where there is one, else the newest reading.

    It may hold nothing. An earlier number is not what counts once a reading says that there is none.
    """
    readings = response.readings.all()
    return max(readings, key=lambda reading: (reading.corrected_by_id is not None, reading.pk), default=None)


def _block_places(study: Study) -> Mapping[tuple[int, int], int]:
    """Return {(participant id, block id): place}, from 1, of the blocks in each person's own order."""
    firsts = (
        Assignment.objects.filter(participant__study=study)
        .order_by()
        .values_list("participant_id", "block_id")
        .annotate(first=Min("position"))
    )
    places: dict[tuple[int, int], int] = {}
    seen: Counter[int] = Counter()
    for participant_id, block_id, _ in sorted(firsts, key=lambda row: (row[0], row[2])):
        seen[participant_id] += 1
        places[participant_id, block_id] = seen[participant_id]
    return places


def _utc(moment: datetime | None) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds") if moment else ""


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)


def _joined(texts: Sequence[str]) -> str:
    return safe_text(" | ".join(texts))


def _person(person: Participant, inclusion: Inclusion | None) -> list[Cell]:
    flags = list(person.flags.all())
    return [
        safe_text(person.study.slug),
        safe_text(person.pseudonym),
        int(person.is_demo),
        int(bool(person.source_name)),
        person.consent_text.version if person.consent_text else None,
        person.education,
        person.years_experience,
        _joined(person.specialties),
        int(person.withdrawn_at is not None),
        _utc(person.finished_at),
        _joined([flag.code for flag in flags]),
        sum(flag.is_left_out is None for flag in flags),
        int(inclusion is not None and inclusion.counts),
        "" if inclusion is None or inclusion.counts else inclusion.reason.value,
    ]


def _question(assignment: Assignment, inclusion: Inclusion | None, place: int | None) -> list[Cell]:
    revision = assignment.question_revision
    counts = inclusion is not None and assignment.block_id in inclusion.block_ids and not assignment.is_attention_check
    return [
        safe_text(assignment.block.slug),
        place,
        int(assignment.block.tools_allowed),
        int(counts),
        assignment.position,
        safe_text(revision.question.key),
        revision.number,
        revision.kind,
        int(assignment.is_attention_check),
        _joined(list(lettered_texts(assignment).values())),
        _utc(assignment.served_at),
    ]


def lettered_texts(assignment: Assignment) -> dict[str, str]:
    """Return {option key: "B. text"} of the options in the order shown."""
    texts = {option.option_key: option.text for option in assignment.question_revision.options.all()}
    return {key: f"{option_letter(place)}. {texts[key]}" for place, key in enumerate(assignment.option_order)}


def _answer(assignment: Assignment) -> list[Cell]:
    response = getattr(assignment, "response", None)
    if response is None:
        return ["", *[None] * (len(ANSWER_COLUMNS) - 1)]
    texts = {option.option_key: option.text for option in assignment.question_revision.options.all()}
    order = assignment.option_order
    chosen = [key for key in order if key in response.chosen_option_keys]
    return [
        _utc(response.answered_at),
        _rounded(response.seconds),
        _rounded(response.away_seconds),
        _rounded(net_seconds(response)),
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
        response.key_revision.number if response.key_revision else None,
    ]


def _read(response: Response) -> list[Cell]:
    reading = reading_in_force(response)
    if reading is None:
        return [None, ""]
    return [Decimal(reading.number) if reading.number else None, safe_text(reading.unit)]
