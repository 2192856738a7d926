"""Import a bank of questions: files to rows, labels, sets and findings, in one transaction."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction

from corpus.importers.chembench import read_question
from corpus.importers.sources import SourceError, bank_files
from corpus.importers.tables import read_set, read_topics
from corpus.importers.types import BankFile, ImportedQuestion, RefusedError, RefusedFile, TopicRow
from corpus.models import (
    Benchmark,
    Finding,
    Label,
    Molecule,
    Option,
    Question,
    QuestionRevision,
    QuestionSetMember,
)
from corpus.services.findings import Found, findings_store, questions_lint
from corpus.services.labels import labels_refresh, sources_ensure, topic_names, topics_apply
from corpus.services.planner import tell_planner
from corpus.services.results import action_log, results_changed
from corpus.services.revisions import Change, Stored, questions_store
from corpus.services.sets import SetError, sets_refresh

_REASONS = {
    "": "unchanged",
    Change.INITIAL.value: "new question",
    Change.COSMETIC.value: "wording of markup, spaces or other fields changed; earlier answers stay comparable",
    Change.KEY.value: "answer key changed; earlier answers keep the old key until they are scored again",
    Change.CONTENT.value: "content changed; earlier answers are not comparable",
}


@dataclass(frozen=True, slots=True)
class BenchmarkNaming:
    """What a benchmark is called. Empty fields leave what an existing benchmark has."""

    slug: str = "chembench"
    name: str = ""
    licence: str = ""
    citation: str = ""
    is_demo: bool = False


CHEMBENCH = BenchmarkNaming(name="ChemBench", licence="MIT", citation="arXiv:2404.01475")


@dataclass(frozen=True, slots=True)
class FileResult:
    """What became of a file: accepted (new), unchanged, changed or refused; `change` is the kind of revision."""

    file: str
    key: str
    status: str
    change: str
    reason: str


@dataclass(frozen=True, slots=True)
class ImportReport:
    """All an import did. `sets` counts the members of every set of the benchmark."""

    benchmark: str
    dry_run: bool
    files: tuple[FileResult, ...]
    by_kind: Mapping[str, int]
    sets: Mapping[str, int]
    new_set_revisions: tuple[str, ...]
    labels_changed: bool
    findings: tuple[Found, ...]

    def count(self, *statuses: str) -> int:
        return sum(file.status in statuses for file in self.files)


def corpus_import(
    *,
    source: Path,
    naming: BenchmarkNaming = CHEMBENCH,
    topics: Path | None = None,
    sets: Mapping[str, Sequence[Path]] | None = None,
    dry_run: bool = False,
    actor: AbstractBaseUser | None = None,
) -> ImportReport:
    """Import a zip, a folder or one file of ChemBench questions; return what became of every file.

    Questions are found again by key: what is unchanged stays untouched, what changed gets a new revision. A file that
    cannot be a question is refused with its reason and the others go in. `sets` names set files (several make their
    union). With `dry_run` everything is done and undone. Raises SourceError or SetError, and then nothing is stored.
    """
    files = bank_files(source)
    rows = read_topics(topics) if topics else None
    set_keys = {slug: read_set(paths) for slug, paths in (sets or {}).items()}
    if naming.slug in set_keys:
        raise SetError(f"The set {naming.slug} holds every question of the benchmark; give your set another name.")
    imported, refused = read_files(files)
    with transaction.atomic():
        report = _store(naming, imported, refused, rows, set_keys, dry_run)
        if dry_run:
            transaction.set_rollback(True)
        else:
            benchmark = Benchmark.objects.get(slug=naming.slug)
            action_log(code="corpus.imported", target=benchmark, actor=actor, detail=_counts(report))
    return report


def read_files(files: Sequence[BankFile]) -> tuple[list[ImportedQuestion], list[RefusedFile]]:
    """Read every file; a key that an earlier file already has is refused with the name of that file."""
    questions: dict[str, ImportedQuestion] = {}
    refused = []
    for file in files:
        try:
            question = read_question(file)
        except RefusedError as error:
            refused.append(RefusedFile(file.path, error.code, error.message))
            continue
        first = questions.setdefault(question.key, question)
        if first is not question:
            reason = f"The key is already that of {first.source_path}. Rename the file or the question."
            refused.append(RefusedFile(file.path, "key-duplicate", reason, question.key))
    return list(questions.values()), refused


def _store(
    naming: BenchmarkNaming,
    imported: Sequence[ImportedQuestion],
    refused: Sequence[RefusedFile],
    rows: Sequence[TopicRow] | None,
    set_keys: Mapping[str, Sequence[str]],
    dry_run: bool,
) -> ImportReport:
    benchmark = benchmark_ensure(naming=naming, canaries={str(q.metadata.get("canary", "")) for q in imported})
    sources = sources_ensure(benchmark=benchmark, paths=[question.source_path for question in imported])
    stored = questions_store(benchmark=benchmark, imported=imported, sources=sources)
    labels_changed = labels_refresh(benchmark=benchmark, stored=stored)
    if rows is not None:
        labels_changed = topics_apply(benchmark=benchmark, rows=rows) or labels_changed
    revised = sets_refresh(benchmark=benchmark, keys_by_slug=set_keys)
    if labels_changed or any(revised.values()):
        results_changed(benchmark_id=benchmark.pk)
    keys = {question.key for question in imported}
    findings = [
        *(Found(file.path, file.key, file.code, file.reason) for file in refused),
        *_table_findings(benchmark, rows or (), set_keys),
        *questions_lint(benchmark=benchmark, keys=keys),
    ]
    findings_store(benchmark=benchmark, findings=findings, replace=keys)
    if any(entry.change for entry in stored):
        through = Label.questions.through
        tell_planner(Question, QuestionRevision, Option, Molecule, Label, through, QuestionSetMember, Finding)
    return ImportReport(
        benchmark=benchmark.slug,
        dry_run=dry_run,
        files=_file_results(stored, refused),
        by_kind=dict(Counter(question.kind.value for question in imported)),
        sets=_set_sizes(benchmark),
        new_set_revisions=tuple(slug for slug, is_new in revised.items() if is_new),
        labels_changed=labels_changed,
        findings=tuple(findings),
    )


def benchmark_ensure(*, naming: BenchmarkNaming, canaries: set[str]) -> Benchmark:
    """Return the benchmark, made or renamed as `naming` says; a canary all questions share becomes its own."""
    benchmark, _ = Benchmark.objects.get_or_create(
        slug=naming.slug, defaults={"name": naming.name or naming.slug, "is_demo": naming.is_demo}
    )
    wanted: dict[str, Any] = {"name": naming.name, "licence": naming.licence, "citation": naming.citation}
    if not benchmark.canary and len(canaries) == 1:
        wanted["canary"] = canaries.pop()
    if naming.is_demo:
        wanted["is_demo"] = True
    changed = {field: value for field, value in wanted.items() if value and getattr(benchmark, field) != value}
    for field, value in changed.items():
        setattr(benchmark, field, value)
    if changed:
        benchmark.save(update_fields=list(changed))
    return benchmark


def _table_findings(
    benchmark: Benchmark, rows: Sequence[TopicRow], set_keys: Mapping[str, Sequence[str]]
) -> list[Found]:
    """Name the lines of tables that no question answers to, and topics spelt in more than one way."""
    known = set(benchmark.questions.values_list("key", flat=True))
    findings = [
        Found(
            "", row.key, "topic-missing", f'The topics table has "{row.topic}" for a question the bank does not have.'
        )
        for row in rows
        if row.key not in known
    ]
    spellings = {row.topic for row in rows}
    shown = topic_names(row.topic for row in rows)
    if len(shown) < len(spellings):
        listed = ", ".join(f'"{name}"' for name in sorted(spellings))
        findings.append(Found("", "", "topic-spelling", f"Topics are spelt in several ways, taken as one: {listed}."))
    findings += [
        Found("", key, "set-member-missing", f"The set {slug} names a question the bank does not have.")
        for slug, keys in set_keys.items()
        for key in keys
        if key not in known
    ]
    return findings


def _file_results(stored: Sequence[Stored], refused: Sequence[RefusedFile]) -> tuple[FileResult, ...]:
    results = [FileResult(file.path, file.key, "refused", "", file.reason) for file in refused]
    for entry in stored:
        status = {"": "unchanged", Change.INITIAL.value: "accepted"}.get(entry.change, "changed")
        path, key = entry.imported.source_path, entry.question.key
        results.append(FileResult(path, key, status, entry.change, _REASONS[entry.change]))
    return tuple(sorted(results, key=lambda result: result.file))


def _set_sizes(benchmark: Benchmark) -> dict[str, int]:
    sets = benchmark.question_sets.order_by("slug").values_list("slug", "current_revision_id")
    sizes = Counter(
        QuestionSetMember.objects.filter(set_revision__in=[pk for _, pk in sets]).values_list(
            "set_revision_id", flat=True
        )
    )
    return {slug: sizes[pk] for slug, pk in sets}


def _counts(report: ImportReport) -> dict[str, int]:
    statuses = ("accepted", "unchanged", "changed", "refused")
    return {**{status: report.count(status) for status in statuses}, "findings": len(report.findings)}


__all__ = ["CHEMBENCH", "BenchmarkNaming", "FileResult", "ImportReport", "SetError", "SourceError", "corpus_import"]
