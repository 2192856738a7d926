"""Store what was read and whether it is right: the one door for people's and models' answers alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import transaction

from corpus.models import AbstractAnswer, AbstractReading, AbstractScore
from corpus.scoring.rules import judge
from corpus.scoring.types import Reading, ReadStatus, Target, Verdict


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer row with a reading of it, the key, and the rules to apply; the last rule becomes current.

    `key_revision_id` names the later revision the key comes from, None where it is the key that was asked.
    """

    answer: AbstractAnswer
    reading: Reading
    target: Target
    rules: tuple[str, ...]
    key_revision_id: int | None = None


def reading_fields(reading: Reading) -> dict[str, Any]:
    """Return a reading as column values."""
    start, end = reading.span or (None, None)
    return {
        "reader": reading.reader,
        "status": reading.status.value,
        "option_keys": list(reading.option_keys),
        "number": "" if reading.number is None else str(reading.number),
        "unit": reading.unit[:60],
        "span_start": start,
        "span_end": end,
        "notes": list(reading.notes),
        "reason": reading.reason,
    }


def reading_from_row(row: AbstractReading) -> Reading:
    """Return a stored reading as the scoring package knows it."""
    span = None if row.span_start is None or row.span_end is None else (row.span_start, row.span_end)
    return Reading(
        status=ReadStatus(row.status),
        option_keys=tuple(row.option_keys),
        number=Decimal(row.number) if row.number else None,
        unit=row.unit,
        span=span,
        notes=tuple(row.notes),
        reader=row.reader,
        reason=row.reason,
    )


def score_fields(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as column values."""
    return {
        "rule": verdict.rule,
        "outcome": verdict.outcome.value,
        "credit": verdict.credit,
        "reason": verdict.reason[:300],
        "metrics": dict(verdict.metrics),
    }


def set_current(answer: AbstractAnswer, verdict: Verdict) -> None:
    """Put a verdict on the answer row (in memory; the caller saves)."""
    answer.outcome = verdict.outcome.value
    answer.credit = verdict.credit
    answer.rule = verdict.rule


def store_verdict(
    *,
    answer: AbstractAnswer,
    reading: Reading,
    target: Target,
    rules: Sequence[str] = ("standard@1",),
    current_rule: str = "standard@1",
) -> Verdict | None:
    """Add a reading and its scores to one saved answer; return the verdict under `current_rule`.

    Idempotent: a reader's reading of an answer is stored once, and so is each score of it.
    """
    with transaction.atomic():
        fields = reading_fields(reading)
        row, _ = answer.readings.get_or_create(  # type: ignore[attr-defined]
            reader=fields.pop("reader"), corrected_by=None, defaults=fields
        )
        current = None
        for rule in rules:
            verdict = judge(reading=reading_from_row(row), target=target, rule=rule)
            score = score_fields(verdict)
            answer.scores.get_or_create(  # type: ignore[attr-defined]
                reading=row, rule=score.pop("rule"), key_revision=None, defaults=score
            )
            if rule == current_rule:
                set_current(answer, verdict)
                answer.save(update_fields=["outcome", "credit", "rule"])
                current = verdict
    return current


def store_verdicts_in_bulk(
    *,
    judged: Sequence[Judged],
    reading_model: type[AbstractReading],
    score_model: type[AbstractScore],
    current_rule: str = "standard@1",
    batch_size: int = 1000,
) -> int:
    """Add readings and scores of many saved, not yet read answers; return the number of scores.

    Every reading is a new row: use it for fresh imports inside the caller's transaction. Answers judged under
    `current_rule` get their current verdict and are saved.
    """
    readings = reading_model._default_manager.bulk_create(
        [reading_model(**{"answer": entry.answer, **reading_fields(entry.reading)}) for entry in judged],
        batch_size=batch_size,
    )
    scores, changed = [], []
    for entry, row in zip(judged, readings, strict=True):
        for rule in entry.rules:
            verdict = judge(reading=entry.reading, target=entry.target, rule=rule)
            made: dict[str, Any] = {"answer": entry.answer, "reading": row, "key_revision_id": entry.key_revision_id}
            scores.append(score_model(**made, **score_fields(verdict)))
            if rule == current_rule:
                set_current(entry.answer, verdict)
                entry.answer.key_revision_id = entry.key_revision_id
                changed.append(entry.answer)
    score_model._default_manager.bulk_create(scores, batch_size=batch_size)
    _save_current(changed, batch_size=batch_size)
    return len(scores)


def _save_current(answers: Sequence[AbstractAnswer], *, batch_size: int) -> None:
    """Save current verdicts by one UPDATE for each verdict there is; few differ, and each row costs little."""
    alike: dict[tuple[str, Decimal | None, str, int | None], list[AbstractAnswer]] = {}
    for answer in answers:
        alike.setdefault((answer.outcome, answer.credit, answer.rule, answer.key_revision_id), []).append(answer)
    for (outcome, credit, rule, key_revision_id), rows in alike.items():
        for start in range(0, len(rows), batch_size):
            ids = [row.pk for row in rows[start : start + batch_size]]
            type(rows[0])._default_manager.filter(pk__in=ids).update(
                outcome=outcome, credit=credit, rule=rule, key_revision_id=key_revision_id
            )
