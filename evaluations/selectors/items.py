"""One item with everything that led to its verdict, for maintainers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from evaluations.models import Item, ItemAttempt, ItemReading, ItemScore


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text in three pieces; `marked` is what was read, "" where nothing is marked."""

    before: str
    marked: str
    after: str


@dataclass(frozen=True, slots=True)
class OptionLine:
    """An option as it was sent; `is_read` when the current reading chose it."""

    letter: str
    sent: str
    text: str
    credit: Decimal | None
    is_read: bool


@dataclass(frozen=True, slots=True)
class ReadingLine:
    """A reading with its scores; `answer` is what was read in letters or as a number."""

    reading: ItemReading
    answer: str
    excerpt: str
    scores: tuple[ItemScore, ...]


@dataclass(frozen=True, slots=True)
class ItemEvidence:
    """How an item's verdict came about. `current` is the score that the row's outcome stands for, if there is one."""

    item: Item
    completion: MarkedText
    options: tuple[OptionLine, ...]
    readings: tuple[ReadingLine, ...]
    current: ItemScore | None
    target: str
    attempts: tuple[ItemAttempt, ...]


def item_evidence(*, item: Item) -> ItemEvidence:
    """Return everything stored about one item, newest reading last."""
    readings = list(item.readings.prefetch_related("scores").select_related("corrected_by").order_by("id"))
    current = _current_score(item, readings)
    current_reading = next((reading for reading in readings if current and reading.pk == current.reading_id), None)
    letter_of = {key: letter for letter, key, _ in item.options_shown}
    return ItemEvidence(
        item=item,
        completion=_marked(item.completion, current_reading),
        options=_options(item, current_reading.option_keys if current_reading else ()),
        readings=tuple(_reading_line(reading, item.completion, letter_of) for reading in readings),
        current=current,
        target=item.question_revision.target,
        attempts=tuple(item.other_attempts.order_by("id")),
    )


def _current_score(item: Item, readings: Sequence[ItemReading]) -> ItemScore | None:
    """Return the newest score under the row's rule, a person's corrected reading before others."""
    scores = [
        (reading.corrected_by_id is not None, score.pk, score)
        for reading in readings
        for score in reading.scores.all()
        if score.rule == item.rule
    ]
    return max(scores, key=lambda entry: entry[:2])[2] if scores else None


def _marked(text: str, reading: ItemReading | None) -> MarkedText:
    if reading is None or reading.span_start is None or reading.span_end is None:
        return MarkedText(text, "", "")
    start, end = reading.span_start, reading.span_end
    return MarkedText(text[:start], text[start:end], text[end:])


def _options(item: Item, read_keys: Sequence[str]) -> tuple[OptionLine, ...]:
    ours = {option.option_key: option for option in item.question_revision.options.all()}
    return tuple(
        OptionLine(
            letter=letter,
            sent=sent,
            text=ours[key].text if key in ours else "",
            credit=ours[key].credit if key in ours else None,
            is_read=key in read_keys,
        )
        for letter, key, sent in item.options_shown
    )


def _reading_line(reading: ItemReading, completion: str, letter_of: Mapping[str, str]) -> ReadingLine:
    letters = ", ".join(letter_of.get(key, "?") for key in reading.option_keys)
    number = f"{reading.number} {reading.unit}".strip()
    return ReadingLine(
        reading=reading,
        answer=letters or number,
        excerpt=_marked(completion, reading).marked,
        scores=tuple(sorted(reading.scores.all(), key=lambda score: score.pk)),
    )
