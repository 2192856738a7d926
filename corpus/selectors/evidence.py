"""How the verdict on one answer came about, a person's or a model's, for maintainers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from corpus.models import AbstractAnswer, AbstractReading, AbstractScore
from corpus.scoring.types import Asked
from corpus.selectors.later_keys import KeyInForce


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text in three pieces; `marked` is what was read, "" where nothing is marked."""

    before: str
    marked: str
    after: str


@dataclass(frozen=True, slots=True)
class OptionLine:
    """An option as it was shown or sent; `is_read` when the current reading chose it."""

    letter: str
    sent: str
    text: str
    credit: Decimal | None
    is_read: bool


@dataclass(frozen=True, slots=True)
class ReadingLine:
    """A reading with its scores; `answer` is what was read in letters or as a number."""

    reading: AbstractReading
    answer: str
    excerpt: str
    is_current: bool
    scores: tuple[AbstractScore, ...]


@dataclass(frozen=True, slots=True)
class AnswerEvidence:
    """Everything that led to a verdict, newest reading last.

    `current` is the score that the answer's outcome stands for, if there is one. `credit` of the options and `target`
    are those of the key in force; `is_key_later` says that it was corrected after the question had been asked, and
    `is_rescoring_due` that the current verdict was made with an earlier one.
    """

    answer: AbstractAnswer
    text: MarkedText
    options: tuple[OptionLine, ...]
    readings: tuple[ReadingLine, ...]
    current: AbstractScore | None
    target: str
    is_key_later: bool
    is_rescoring_due: bool


def answer_evidence(*, answer: AbstractAnswer, text: str, asked: Asked, key: KeyInForce) -> AnswerEvidence:
    """Return everything stored about one saved answer; `text` is its raw text, in which spans count."""
    readings: list[AbstractReading] = list(
        answer.readings.prefetch_related("scores").select_related("corrected_by").order_by("pk")  # type: ignore[attr-defined]
    )
    current = _current_score(answer, readings)
    reading = next((row for row in readings if current and row.pk == current.reading_id), None)  # type: ignore[attr-defined]
    letter_of = {option.key: option.letter for option in asked.shown}
    return AnswerEvidence(
        answer=answer,
        text=_marked(text, reading),
        options=_options(asked, key, reading.option_keys if reading else ()),
        readings=tuple(_reading_line(row, text, letter_of, row is reading) for row in readings),
        current=current,
        target=key.target.text,
        is_key_later=key.revision_id is not None,
        is_rescoring_due=bool(answer.outcome) and answer.key_revision_id != key.revision_id,
    )


def _current_score(answer: AbstractAnswer, readings: Sequence[AbstractReading]) -> AbstractScore | None:
    """Return the score under the row's rule that counts: of a person's reading before others, then the newest.

    Of the others, one that says what the row says comes first.
    """

    def rank(entry: tuple[AbstractReading, AbstractScore]) -> tuple[bool, bool, int]:
        reading, score = entry
        is_as_on_row = (score.outcome, score.key_revision_id) == (answer.outcome, answer.key_revision_id)
        return reading.corrected_by_id is not None, is_as_on_row, score.pk

    scores = [
        (reading, score)
        for reading in readings
        for score in reading.scores.all()  # type: ignore[attr-defined]
        if score.rule == answer.rule
    ]
    return max(scores, key=rank)[1] if scores else None


def _marked(text: str, reading: AbstractReading | None) -> MarkedText:
    if reading is None or reading.span_start is None or reading.span_end is None:
        return MarkedText(text, "", "")
    start, end = reading.span_start, reading.span_end
    return MarkedText(text[:start], text[start:end], text[end:])


def _options(asked: Asked, key: KeyInForce, read_keys: Sequence[str]) -> tuple[OptionLine, ...]:
    ours = {option.key: option for option in key.target.options}
    return tuple(
        OptionLine(
            letter=option.letter,
            sent=option.text,
            text=ours[option.key].text if option.key in ours else "",
            credit=ours[option.key].credit if option.key in ours else None,
            is_read=option.key in read_keys,
        )
        for option in asked.shown
    )


def _reading_line(row: AbstractReading, text: str, letter_of: Mapping[str, str], is_current: bool) -> ReadingLine:
    letters = ", ".join(letter_of.get(key, "?") for key in row.option_keys)
    number = f"{row.number} {row.unit}".strip()
    scores = sorted(row.scores.all(), key=lambda score: score.pk)  # type: ignore[attr-defined]
    return ReadingLine(
        reading=row,
        answer=letters or number,
        excerpt=_marked(text, row).marked,
        is_current=is_current,
        scores=tuple(scores),
    )
