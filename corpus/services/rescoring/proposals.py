"""Propose a rescoring: readings are added, what would change is listed, and no verdict changes yet."""

import hashlib
import itertools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import IntegrityError, transaction

from corpus.models import AbstractRescored, AbstractRescoring, Benchmark
from corpus.services.rescoring.comparison import (
    Comparison,
    History,
    Role,
    Row,
    StoredReading,
    StoredScore,
    histories,
    said,
)
from corpus.services.rescoring.readers import check_pair
from corpus.services.rescoring.types import Proposed, Reread, Tables
from corpus.services.results import action_log
from corpus.services.verdicts import reading_fields

BATCH_SIZE = 1000


def rescoring_propose(
    *,
    tables: Tables,
    benchmark: Benchmark,
    group: Mapping[str, Any],
    chunks: Callable[[], Iterable[Sequence[Reread]]],
    rule: str,
    reader: str,
    actor: AbstractBaseUser | None = None,
) -> Proposed:
    """Read and judge answers of one benchmark again, in one transaction, and store what would change.

    `group` are the fields that say whose answers these are, such as `{"run": run}`; `chunks` reads the answers, and
    does so once more when the same was proposed at the same moment; `rule` and `reader` are given as `name@version`.
    Readings are added here, scores when the rescoring is accepted. The same proposal is stored once while it waits,
    and none where nothing would be added. Raises RescoringError for a rule and a reader that do not belong together.
    """
    check_pair(rule=rule, reader=reader)
    makes_current = rule == benchmark.default_rule

    def propose() -> Proposed:
        comparison = Comparison(rule=rule, makes_current=makes_current, decided=_decided(tables, group, benchmark))
        with transaction.atomic():
            rows = [row for chunk in chunks() for row in _rows_of_chunk(tables, chunk, reader, comparison)]
            comparison.counts.n_rows = len(rows)
            return _store(tables, benchmark, group, comparison, rows, reader, actor)

    try:
        return propose()
    except IntegrityError:
        # The same was proposed at the same moment; now it is there to be found.
        return propose()


def _store(
    tables: Tables,
    benchmark: Benchmark,
    group: Mapping[str, Any],
    comparison: Comparison,
    rows: Sequence[Row],
    reader: str,
    actor: AbstractBaseUser | None,
) -> Proposed:
    if not rows:
        return Proposed(None, comparison.counts, is_new=False)
    fingerprint = _fingerprint(group, comparison.rule, reader, rows)
    waiting = tables.rescoring._default_manager.filter(
        fingerprint=fingerprint, status=AbstractRescoring.Status.PROPOSED
    ).first()
    if waiting is not None:
        return Proposed(waiting, comparison.counts, is_new=False)
    rescoring = tables.rescoring._default_manager.create(
        **group,
        benchmark=benchmark,
        rule=comparison.rule,
        reader=reader,
        makes_current=comparison.makes_current,
        fingerprint=fingerprint,
        counts=comparison.counts.as_dict(),
        requested_by=actor,
    )
    _store_rows(tables, rescoring, rows)
    action_log(code="rescoring.proposed", target=rescoring, actor=actor, detail=_summary(rescoring))
    return Proposed(rescoring, comparison.counts, is_new=True)


def _rows_of_chunk(tables: Tables, chunk: Sequence[Reread], reader: str, comparison: Comparison) -> list[Row]:
    known = stored_histories(tables, [entry.answer.pk for entry in chunk])
    added = _add_readings(tables, chunk, reader, known)
    rows: list[Row] = []
    for entry in chunk:
        history = known.get(entry.answer.pk, History())
        machine = added.get(entry.answer.pk) or history.reading_by(reader)
        if entry.reading is not None and machine is not None and said(machine) != said(entry.reading):
            comparison.counts.n_drifted += 1
        rows += comparison.rows_of(entry, history, machine)
    return rows


def stored_histories(tables: Tables, answer_ids: Sequence[int]) -> dict[int, History]:
    """Return every reading and score of these answers, in two queries."""
    readings = tables.reading._default_manager.filter(answer__in=answer_ids).order_by("pk")
    scores = tables.score._default_manager.filter(answer__in=answer_ids).order_by("pk")
    return histories(
        itertools.starmap(StoredReading, readings.values_list(*StoredReading._fields)),
        itertools.starmap(StoredScore, scores.values_list(*StoredScore._fields)),
    )


def _add_readings(
    tables: Tables, chunk: Sequence[Reread], reader: str, known: Mapping[int, History]
) -> dict[int, StoredReading]:
    """Store what this reader had not read yet; a reader's reading of an answer is stored once and stays."""
    rows = [
        tables.reading(answer_id=entry.answer.pk, **reading_fields(entry.reading))
        for entry in chunk
        if entry.reading is not None and known.get(entry.answer.pk, History()).reading_by(reader) is None
    ]
    added = tables.reading._default_manager.bulk_create(rows, batch_size=BATCH_SIZE)
    return {row.answer_id: StoredReading(*[getattr(row, name) for name in StoredReading._fields]) for row in added}


def _store_rows(tables: Tables, rescoring: AbstractRescoring, rows: Iterable[Row]) -> None:
    tables.row._default_manager.bulk_create(
        [
            tables.row(
                rescoring_id=rescoring.pk,
                answer_id=row.answer.pk,
                role=row.role,
                change=row.change,
                old_outcome=row.before.outcome,
                old_credit=row.before.credit,
                old_rule=row.before.rule,
                old_reading_id=row.before.reading.pk if row.before.reading else None,
                new_outcome=row.verdict.outcome.value,
                new_credit=row.verdict.credit,
                new_reading_id=row.reading.pk,
                reason=row.verdict.reason[:300],
                metrics=dict(row.verdict.metrics),
                key_revision_id=row.key_revision_id,
            )
            for row in rows
        ],
        batch_size=BATCH_SIZE,
    )


def _decided(tables: Tables, group: Mapping[str, Any], benchmark: Benchmark) -> frozenset[tuple[int, int]]:
    """Return the readings against which a person's correction was upheld when a rescoring was accepted."""
    whose = {f"rescoring__{name}": value for name, value in group.items()}
    rows = tables.row._default_manager.filter(
        **whose,
        rescoring__benchmark=benchmark,
        role=Role.MACHINE,
        decision=AbstractRescored.Decision.KEPT,
    )
    return frozenset(rows.values_list("answer_id", "new_reading_id"))


def _fingerprint(group: Mapping[str, Any], rule: str, reader: str, rows: Iterable[Row]) -> str:
    whose = {name: str(value.pk) for name, value in group.items()}
    said_by_rows = sorted(
        [
            row.answer.pk,
            str(row.role),
            row.before.outcome,
            row.before.rule,
            row.reading.pk,
            row.key_revision_id or 0,
            row.verdict.outcome.value,
            f"{row.verdict.credit:.4f}",
        ]
        for row in rows
    )
    return hashlib.sha256(json.dumps([whose, rule, reader, said_by_rows]).encode()).hexdigest()


def _summary(rescoring: AbstractRescoring) -> dict[str, Any]:
    names = ("n_answers", "n_verdicts", "n_readings", "n_decisions")
    return {"rule": rescoring.rule, "reader": rescoring.reader, **{name: rescoring.counts[name] for name in names}}
