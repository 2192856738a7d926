"""Bring published ChemBench reports in: packs become systems, runs and items, judged like any other answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.db.models import BigIntegerField
from django.utils.text import slugify

from corpus.models import Benchmark, QuestionSet, QuestionSetMember, QuestionSetRevision
from corpus.scoring.published import READER as PUBLISHED_READER
from corpus.services.planner import tell_planner
from corpus.services.results import action_log, results_changed
from corpus.services.verdicts import Judged, store_verdicts_in_bulk
from evaluations.importers.chembench_reports import (
    IMPORTER,
    RefusedFile,
    ReportPack,
    ReportRun,
    read_pack,
)
from evaluations.models import SLUGS_OF_PEOPLE, Item, ItemReading, ItemScore, Run, System
from evaluations.providers import IMPORTED
from evaluations.services.report_reading import STANDARD_READER, Note, PreparedReport, prepared_report

BATCH_SIZE = 500


class ImportReportsError(ValueError):
    """Reports cannot be imported; the message says what to do."""


@dataclass(frozen=True, slots=True)
class RunImported:
    """What became of one run of a pack. `is_new` is False when it was there already and nothing was touched."""

    run: Run
    is_new: bool
    n_items: int
    unknown_keys: tuple[str, ...] = ()
    missing_keys: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class PackImported:
    """What became of one pack."""

    system: System
    runs: tuple[RunImported, ...]
    refused: tuple[RefusedFile, ...]


def reports_import(*, path: Path, benchmark: Benchmark, actor: AbstractBaseUser | None = None) -> PackImported:
    """Import one pack (zip or folder) in one transaction; a run that is already there is left alone.

    Questions are found by key in the benchmark's set of all questions, the one whose slug is the benchmark's.
    Raise `UnreadablePackError` for a path that is no pack and `ImportReportsError` without that set.
    """
    pack = read_pack(path)
    set_revision = whole_set_revision(benchmark=benchmark)
    with transaction.atomic():
        system = _system_of(pack=pack, benchmark=benchmark)
        runs = tuple(
            _run_import(run=run, system=system, set_revision=set_revision, pack=pack, actor=actor) for run in pack.runs
        )
        if any(imported.is_new for imported in runs):
            results_changed(benchmark_id=benchmark.pk, system_id=system.pk)
            tell_planner(Run, Item, ItemReading, ItemScore)
    return PackImported(system, runs, pack.refused)


def whole_set_revision(*, benchmark: Benchmark) -> QuestionSetRevision:
    """Return the current revision of the benchmark's set of all questions."""
    question_set = (
        QuestionSet.objects.filter(benchmark=benchmark, slug=benchmark.slug)
        .select_related("current_revision__question_set__benchmark")
        .first()
    )
    if question_set is None or question_set.current_revision is None:
        raise ImportReportsError(
            f"The benchmark {benchmark.slug} has no set {benchmark.slug} of all its questions. "
            "Import its questions first (import_corpus)."
        )
    return question_set.current_revision


def system_slug(source_name: str) -> str:
    """Return the slug of a report folder's name: `claude3.5` gives `claude3-5`."""
    return slugify(source_name.replace(".", "-"))[:100]


def system_fields(*, source_name: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a system that a pack's name and YAML settle."""
    kind = System.Kind.AGENT if facts.get("tool_use") is True else System.Kind.MODEL
    if source_name == "random_baseline":
        kind = System.Kind.BASELINE
    open_weights = facts.get("open_weights")
    return {
        "name": str(facts.get("model_name") or source_name)[:200],
        "kind": kind,
        "facts": dict(facts),
        "parameters": {"temperature": facts["temperature"]} if facts.get("temperature") is not None else {},
        "released_on": _date(facts.get("date_published")),
        "parameter_count": _count(facts.get("nr_of_parameters")),
        "open_weights": open_weights if isinstance(open_weights, bool) else None,
    }


def _date(value: object) -> date | None:
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        return None


def _count(value: object) -> int | None:
    """Return a count that a column of 64 bits takes, None for anything else."""
    try:
        number = Decimal(str(value))
        return int(number) if 0 <= number <= BigIntegerField.MAX_BIGINT else None
    except (InvalidOperation, ValueError):
        return None


def _system_of(*, pack: ReportPack, benchmark: Benchmark) -> System:
    """Return the system known by the pack's name, made on the first import.

    Where the slug belongs to a system that is asked here, or to the people on the boards, the published one gets the
    ending `-published`.
    """
    known = System.objects.filter(provider=IMPORTED, source_name=pack.source_name).first()
    if known is not None:
        return known
    slug = system_slug(pack.source_name)
    if not slug:
        raise ImportReportsError(f"The name {pack.source_name!r} gives no slug; rename the file or folder.")
    if slug in SLUGS_OF_PEOPLE or System.objects.filter(slug=slug).exists():
        slug = f"{slug[:90]}-published"
    return System.objects.create(
        slug=slug,
        source_name=pack.source_name,
        provider=IMPORTED,
        is_demo=benchmark.is_demo,
        **system_fields(source_name=pack.source_name, facts=pack.facts),
    )


def _run_import(
    *,
    run: ReportRun,
    system: System,
    set_revision: QuestionSetRevision,
    pack: ReportPack,
    actor: AbstractBaseUser | None,
) -> RunImported:
    known = (
        Run.objects.filter(system=system, source_name=run.name, origin=Run.Origin.IMPORTED)
        .select_related("system")
        .first()
    )
    if known is not None:
        return RunImported(known, is_new=False, n_items=known.items.count())
    members = _members_by_key(set_revision)
    reports = {report.key: report for report in run.reports}
    prepared = [
        prepared_report(report=reports[key], member=member) for key, member in members.items() if key in reports
    ]
    missing = tuple(key for key in members if key not in reports)
    is_whole = not missing and all(entry.readings for entry in prepared)
    row = Run.objects.create(
        system=system,
        set_revision=set_revision,
        origin=Run.Origin.IMPORTED,
        source_name=run.name,
        status=Run.Status.FINISHED if is_whole else Run.Status.INCOMPLETE,
        parameters=system.parameters,
        frozen={"importer": IMPORTER, "readers": [PUBLISHED_READER, STANDARD_READER], "facts": dict(pack.facts)},
        requested_by=actor,  # type: ignore[misc]
    )
    default_rule = set_revision.question_set.benchmark.default_rule
    _store(run=row, prepared=prepared, default_rule=default_rule)
    action_log(code="reports.imported", target=row, actor=actor, detail={"n_items": len(prepared)})
    return RunImported(
        run=row,
        is_new=True,
        n_items=len(prepared),
        unknown_keys=tuple(key for key in reports if key not in members),
        missing_keys=missing,
        notes=tuple(note for entry in prepared for note in entry.notes),
    )


def _members_by_key(set_revision: QuestionSetRevision) -> dict[str, QuestionSetMember]:
    members = (
        QuestionSetMember.objects.filter(set_revision=set_revision)
        .select_related("question_revision__question")
        .prefetch_related("question_revision__options")
        .order_by("position")
    )
    return {member.question_revision.question.key: member for member in members}


def _store(*, run: Run, prepared: Sequence[PreparedReport], default_rule: str) -> None:
    for entry in prepared:
        entry.item.run = run
    Item.objects.bulk_create([entry.item for entry in prepared], batch_size=BATCH_SIZE)
    store_verdicts_in_bulk(
        judged=[
            Judged(answer=entry.item, reading=reading, target=entry.target, rules=(rule,))
            for entry in prepared
            for reading, rule in entry.readings
        ],
        reading_model=ItemReading,
        score_model=ItemScore,
        current_rule=default_rule,
        batch_size=BATCH_SIZE,
    )
