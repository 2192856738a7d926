"""A person corrects what was read from an answer. The correction is one more reading; the earlier ones stay."""

from dataclasses import dataclass, replace

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction

from corpus.models import AbstractAnswer, AbstractReading, AbstractScore, Benchmark
from corpus.scoring.rules import judge
from corpus.scoring.types import Reading, ReadStatus, Verdict
from corpus.selectors.later_keys import KeyInForce
from corpus.services.results import action_log, results_changed
from corpus.services.verdicts import reading_fields, reading_from_row, score_fields

PERSON = "person"


class CorrectionError(ValueError):
    """A reading cannot be corrected in this way; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """The reading a person entered and its verdict. `is_new` is False when it says what counted already."""

    reading: AbstractReading
    verdict: Verdict
    is_new: bool


def reading_correct(
    *,
    answer: AbstractAnswer,
    reading: Reading,
    key: KeyInForce,
    benchmark: Benchmark,
    reason: str,
    actor: AbstractBaseUser,
) -> Corrected:
    """Add a person's reading of a saved answer with its score, and make it the current verdict.

    It is judged by the benchmark's default rule against the key in force. The same correction by the same person,
    sent twice, is stored once. Raises CorrectionError without a reason, and for status `read` with nothing read.
    """
    reason = reason.strip()
    if not reason:
        raise CorrectionError("Say why the reading is wrong; whoever looks at this answer later will want to know.")
    if reading.status is ReadStatus.READ and not reading.option_keys and reading.number is None:
        raise CorrectionError("Say what the answer is: choose options or type a number.")
    given = replace(reading, reader=PERSON, reason=reason)
    verdict = judge(reading=given, target=key.target, rule=benchmark.default_rule)
    with transaction.atomic():
        # First of all, because it lets no rescoring of the same benchmark in between.
        results_changed(benchmark_id=benchmark.pk)
        newest = _newest_correction(answer)
        if newest is not None and newest.corrected_by_id == actor.pk and reading_from_row(newest) == given:
            return Corrected(newest, verdict, is_new=False)
        row = _store(answer, given, verdict, key, actor)
        action_log(
            code=f"{answer._meta.model_name}.reading_corrected",
            target=answer,
            actor=actor,
            # Without the outcome: whoever may read the log need not be allowed to see keys.
            detail={"reading": row.pk, "rule": verdict.rule, "reason": reason},
        )
    return Corrected(row, verdict, is_new=True)


def _newest_correction(answer: AbstractAnswer) -> AbstractReading | None:
    corrections = answer.readings.filter(corrected_by__isnull=False)  # type: ignore[attr-defined]
    newest: AbstractReading | None = corrections.order_by("-pk").first()
    return newest


def _store(
    answer: AbstractAnswer, reading: Reading, verdict: Verdict, key: KeyInForce, actor: AbstractBaseUser
) -> AbstractReading:
    row: AbstractReading = answer.readings.create(  # type: ignore[attr-defined]
        corrected_by=actor, **reading_fields(reading)
    )
    _: AbstractScore = answer.scores.create(  # type: ignore[attr-defined]
        reading=row, key_revision_id=key.revision_id, **score_fields(verdict)
    )
    # By id: whatever else the object in hand holds may be older than the row.
    type(answer)._default_manager.filter(pk=answer.pk).update(
        outcome=verdict.outcome.value, credit=verdict.credit, rule=verdict.rule, key_revision_id=key.revision_id
    )
    return row
