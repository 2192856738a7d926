"""Accept or discard a rescoring. Accepting adds its scores and, under the default rule, makes them count."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from corpus.models import AbstractRescored, AbstractRescoring
from corpus.services.rescoring.types import Accepted, RescoringError, RescoringStateError, Tables
from corpus.services.results import action_log, results_changed
from corpus.services.verdicts import reading_fields, reading_from_row

Status = AbstractRescoring.Status
Role = AbstractRescored.Role
Decision = AbstractRescored.Decision

# The database copies the verdicts itself: tens of thousands of rows need not pass through here.
_ADD_SCORES = """
INSERT INTO {scores} (answer_id, reading_id, rule, key_revision_id, outcome, credit, reason, metrics, created_at)
SELECT answer_id, new_reading_id, %s, key_revision_id, new_outcome, new_credit, reason, metrics, %s
FROM {rows} AS proposed
WHERE rescoring_id = %s AND decision <> 'stale' AND NOT EXISTS (
  SELECT 1 FROM {scores} AS known
  WHERE known.answer_id = proposed.answer_id AND known.reading_id = proposed.new_reading_id AND known.rule = %s
    AND COALESCE(known.key_revision_id, 0) = COALESCE(proposed.key_revision_id, 0)
)
ORDER BY id"""


def rescoring_accept(
    *, tables: Tables, rescoring_id: int, actor: AbstractBaseUser | None = None, replace: Collection[int] = ()
) -> Accepted:
    """Add the scores of a proposed rescoring and make them current, in one transaction.

    An answer whose verdict has changed since the proposal, or that a person has corrected since, is left alone and
    counted as stale. A person's correction stays in force unless its row (role `machine`) is named in `replace`: then
    the reading is entered as a correction of its own. Accepting twice does nothing more. Raises RescoringStateError
    for a discarded one and where the benchmark's default rule has changed, RescoringError for ids in `replace` that
    are none of its rows.
    """
    with transaction.atomic():
        now = timezone.now()
        is_new = _decide(tables, rescoring_id, Status.ACCEPTED, actor, now)
        rescoring = tables.rescoring._default_manager.select_related("benchmark").get(pk=rescoring_id)
        if not is_new:
            _refuse_unless(rescoring, Status.ACCEPTED)
            return Accepted(rescoring, is_new=False)
        # First of all, because it lets no other decision about the same benchmark in between.
        results_changed(benchmark_id=rescoring.benchmark_id)
        _refuse_other_default_rule(rescoring)
        rows = tables.row._default_manager.filter(rescoring=rescoring_id)
        done = _accepted(tables, rescoring, rows, actor, now, frozenset(replace))
        action_log(code="rescoring.accepted", target=rescoring, actor=actor, detail=dict(done.as_detail()))
    return done


def rescoring_discard(*, tables: Tables, rescoring_id: int, actor: AbstractBaseUser | None = None) -> AbstractRescoring:
    """Decide against a proposed rescoring; its list stays to be looked at. Raises RescoringStateError if accepted."""
    with transaction.atomic():
        is_new = _decide(tables, rescoring_id, Status.DISCARDED, actor, timezone.now())
        rescoring: AbstractRescoring = tables.rescoring._default_manager.get(pk=rescoring_id)
        if is_new:
            action_log(code="rescoring.discarded", target=rescoring, actor=actor)
        else:
            _refuse_unless(rescoring, Status.DISCARDED)
    return rescoring


def _decide(tables: Tables, rescoring_id: int, status: Status, actor: AbstractBaseUser | None, now: datetime) -> bool:
    """Move a proposed rescoring on; of two who decide at once, one does."""
    waiting = tables.rescoring._default_manager.filter(pk=rescoring_id, status=Status.PROPOSED)
    return bool(waiting.update(status=status, decided_by=actor, decided_at=now))


def _refuse_unless(rescoring: AbstractRescoring, status: Status) -> None:
    if rescoring.status != status:
        raise RescoringStateError(
            f"This rescoring has been {rescoring.get_status_display()} already. Rescore again to decide anew."
        )


def _refuse_other_default_rule(rescoring: AbstractRescoring) -> None:
    if rescoring.makes_current != (rescoring.rule == rescoring.benchmark.default_rule):
        raise RescoringStateError(
            f"The default rule is {rescoring.benchmark.default_rule} now; when this was proposed it was another. "
            "Discard this rescoring and rescore again."
        )


def _accepted(
    tables: Tables,
    rescoring: AbstractRescoring,
    rows: QuerySet[Any],
    actor: AbstractBaseUser | None,
    now: datetime,
    replace: frozenset[int],
) -> Accepted:
    n_stale = _mark_stale(tables, rescoring, rows)
    n_scores = _add_scores(tables, rescoring, now)
    n_current = _make_current(tables, rows) if rescoring.makes_current else 0
    opposed = rows.filter(role=Role.MACHINE).exclude(decision=Decision.STALE)
    n_replaced = _replace_corrections(tables, rescoring, opposed, actor, replace)
    n_kept = opposed.filter(decision=Decision.NONE).update(decision=Decision.KEPT)
    return Accepted(rescoring, True, n_scores, n_current, n_stale, n_kept, n_replaced)


def _mark_stale(tables: Tables, rescoring: AbstractRescoring, rows: QuerySet[Any]) -> int:
    """Mark the rows of answers that are no longer what they were when this was proposed; return how many answers."""
    corrected_since = tables.reading._default_manager.filter(
        answer=OuterRef("answer"),
        corrected_by__isnull=False,
        pk__gt=Coalesce(OuterRef("old_reading"), 0),
    )
    judged_since = tables.score._default_manager.filter(
        answer=OuterRef("answer"), rule=rescoring.rule, created_at__gt=rescoring.created_at
    )
    is_stale = Exists(corrected_since) | Exists(judged_since)
    if rescoring.makes_current:
        same_credit = Q(answer__credit=F("old_credit")) | Q(answer__credit__isnull=True, old_credit__isnull=True)
        fresh = rows.filter(same_credit, answer__outcome=F("old_outcome"), answer__rule=F("old_rule"))
        is_stale = is_stale | ~Q(pk__in=fresh.order_by().values("pk"))
    stale = list(rows.filter(is_stale).values_list("answer", flat=True).distinct().order_by())
    rows.filter(answer__in=stale).update(decision=Decision.STALE)
    return len(stale)


def _add_scores(tables: Tables, rescoring: AbstractRescoring, now: datetime) -> int:
    quote = connection.ops.quote_name
    statement = _ADD_SCORES.format(scores=quote(tables.score._meta.db_table), rows=quote(tables.row._meta.db_table))
    time = connection.ops.adapt_datetimefield_value(now)
    with connection.cursor() as cursor:
        cursor.execute(statement, [rescoring.rule, time, rescoring.pk, rescoring.rule])
        return int(cursor.rowcount)


def _make_current(tables: Tables, rows: QuerySet[Any]) -> int:
    """Put the new verdicts on the answer rows."""
    valid = rows.filter(role=Role.CURRENT).exclude(decision=Decision.STALE).order_by()
    mine = valid.filter(answer=OuterRef("pk"))
    n_current: int = tables.answer._default_manager.filter(pk__in=valid.values("answer")).update(
        outcome=Subquery(mine.values("new_outcome")[:1]),
        credit=Subquery(mine.values("new_credit")[:1]),
        rule=Subquery(mine.values("rescoring__rule")[:1]),
        key_revision=Subquery(mine.values("key_revision")[:1]),
    )
    return n_current


def _replace_corrections(
    tables: Tables,
    rescoring: AbstractRescoring,
    opposed: QuerySet[Any],
    actor: AbstractBaseUser | None,
    replace: frozenset[int],
) -> int:
    """Enter the chosen readings as corrections of their own, made by whoever accepts."""
    if not replace:
        return 0
    chosen = list(opposed.filter(pk__in=replace).select_related("new_reading", "answer"))
    if len(chosen) != len(replace):
        raise RescoringError("Some of the corrections to replace are not in this rescoring, or have changed meanwhile.")
    if actor is None:
        raise RescoringError("Only a person can replace a person's correction.")
    for row in chosen:
        _replace_correction(tables, rescoring, row, actor)
    opposed.filter(pk__in=replace).update(decision=Decision.REPLACED)
    return len(chosen)


def _replace_correction(tables: Tables, rescoring: AbstractRescoring, row: Any, actor: AbstractBaseUser) -> None:
    fields = reading_fields(reading_from_row(row.new_reading))
    fields["reason"] = f"Taken over from a rescoring in place of an earlier correction. {fields['reason']}".strip()
    answer = row.answer
    reading = tables.reading._default_manager.create(answer=answer, corrected_by=actor, **fields)
    tables.score._default_manager.create(
        answer=answer,
        reading=reading,
        rule=rescoring.rule,
        outcome=row.new_outcome,
        credit=row.new_credit,
        reason=row.reason,
        metrics=row.metrics,
        key_revision_id=row.key_revision_id,
    )
    if rescoring.makes_current:
        tables.answer._default_manager.filter(pk=answer.pk).update(
            outcome=row.new_outcome,
            credit=row.new_credit,
            rule=rescoring.rule,
            key_revision_id=row.key_revision_id,
        )
