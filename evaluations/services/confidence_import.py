"""Bring stated confidences in: what systems said elsewhere of answers whose reports were imported.

They stand beside the items as if they had been asked apart, without the words of a question, and change no answer.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction

from corpus.models import Benchmark, Question
from corpus.scoring.confidence_levels import HIGHEST, LOWEST
from corpus.services.planner import tell_planner
from corpus.services.results import action_log, results_changed
from evaluations.database_clock import database_now
from evaluations.importers.chembench_reports import RefusedFile
from evaluations.importers.confidence_files import IMPORTER, ConfidenceFile, Stated, level_of, read_confidence_pack
from evaluations.models import Item, ItemConfidence, Run, System
from evaluations.providers import IMPORTED
from evaluations.services.reports import BATCH_SIZE

UNKNOWN_KEY = "unknown-key"
NOT_ASKED = "not-asked"
NO_LEVEL = "no-level"
TWICE = "twice"
STATED_OTHERWISE = "stated-otherwise"


class RefusedLine(NamedTuple):
    """A line that is not brought in, and why."""

    line: int
    key: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class ConfidenceImported:
    """What became of one file: how many answers have a confidence by it now, and how many had it already.

    `levels` counts both by level, `n_without` those of which none is stated.
    """

    file: str
    run: Run
    n_new: int
    n_known: int
    levels: Mapping[int, int]
    n_without: int
    refused: tuple[RefusedLine, ...]


@dataclass(frozen=True, slots=True)
class ConfidencesImported:
    """What became of each file of a pack, and the files refused as a whole."""

    files: tuple[ConfidenceImported, ...]
    refused: tuple[RefusedFile, ...]


class _Answered(NamedTuple):
    """An answer of a run; `is_stated` says whether there is a confidence beside it, `level` which."""

    item_id: int
    is_stated: bool
    level: int | None


@dataclass(slots=True)
class _Plan:
    """What is to be stored of one file."""

    run: Run
    file: str
    new: list[ItemConfidence] = field(default_factory=list)
    known: list[int | None] = field(default_factory=list)
    refused: list[RefusedLine] = field(default_factory=list)

    def report(self) -> ConfidenceImported:
        stated = [row.level for row in self.new] + self.known
        counts = Counter(level for level in stated if level is not None)
        return ConfidenceImported(
            file=self.file,
            run=self.run,
            n_new=len(self.new),
            n_known=len(self.known),
            levels={level: counts[level] for level in range(LOWEST, HIGHEST + 1)},
            n_without=stated.count(None),
            refused=tuple(self.refused),
        )


def confidences_import(
    *,
    path: Path,
    benchmark: Benchmark,
    run_name: str = "",
    dry_run: bool = False,
    actor: AbstractBaseUser | None = None,
) -> ConfidencesImported:
    """Import every file of a zip or folder in one transaction; what is stored already is left as it is.

    A file belongs to the system imported under its name, and to its one imported run on this benchmark, or that called
    `run_name`. A line that cannot be used is refused by itself, a file without system or run as a whole, each with the
    reason; the rest comes in. A `dry_run` says the same and stores nothing. Raise `UnreadablePackError` for a path that
    is no such zip or folder.
    """
    pack = read_confidence_pack(path)
    keys = set(Question.objects.filter(benchmark=benchmark).values_list("key", flat=True))
    plans, refused = [], list(pack.refused)
    with transaction.atomic():
        for file in pack.files:
            try:
                run = _run_of(file, benchmark=benchmark, run_name=run_name)
            except ValueError as error:
                refused.append(RefusedFile(file.file, str(error)))
                continue
            plans.append(_plan(file, run=run, keys=keys))
        if not dry_run:
            _store(plans, benchmark=benchmark, actor=actor)
    return ConfidencesImported(tuple(plan.report() for plan in plans), tuple(refused))


def _run_of(file: ConfidenceFile, *, benchmark: Benchmark, run_name: str) -> Run:
    """Return the run whose answers a file is about. Raise ValueError where there is none, or more than one."""
    system = System.objects.filter(provider=IMPORTED, source_name=file.source_name).first()
    if system is None:
        raise ValueError(
            f"There is no system imported as {file.source_name!r}. Import its reports first (import_reports)."
        )
    runs = system.runs.filter(origin=Run.Origin.IMPORTED, set_revision__question_set__benchmark=benchmark)
    if run_name:
        runs = runs.filter(source_name=run_name)
    found = list(runs.select_related("system").order_by("queued_at")[:2])
    if not found:
        named = f" called {run_name!r}" if run_name else ""
        raise ValueError(f"{system.name} has no imported run{named} on {benchmark.slug}. Import its reports first.")
    if len(found) > 1:
        names = ", ".join(sorted(runs.values_list("source_name", flat=True)))
        raise ValueError(f"{system.name} has several imported runs; say which with --run: {names}.")
    return found[0]


def _plan(file: ConfidenceFile, *, run: Run, keys: set[str]) -> _Plan:
    plan, answered, seen, now = _Plan(run, file.file), _answered(run), set[str](), database_now()
    for stated in file.stated:
        try:
            level = _level(stated, answered=answered, keys=keys, seen=seen)
        except _RefusedError as refusal:
            plan.refused.append(RefusedLine(stated.line, stated.key, refusal.code, str(refusal)))
            continue
        seen.add(stated.key)
        answer = answered[stated.key]
        if answer.is_stated:
            plan.known.append(level)
        else:
            plan.new.append(
                ItemConfidence(item_id=answer.item_id, completion=stated.estimate, level=level, asked_at=now)
            )
    return plan


class _RefusedError(ValueError):
    """A line cannot be used: the code of the reason, and the reason."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def _level(stated: Stated, *, answered: Mapping[str, _Answered], keys: set[str], seen: set[str]) -> int | None:
    """Return the level stated of an answer. Raise `_RefusedError` for a line that cannot be used."""
    if stated.key not in keys:
        raise _RefusedError(UNKNOWN_KEY, "There is no question of this key.")
    answer = answered.get(stated.key)
    if answer is None:
        raise _RefusedError(NOT_ASKED, "The run has no answer to this question.")
    if stated.key in seen:
        raise _RefusedError(TWICE, "The question stands in this file before.")
    try:
        level = level_of(stated.estimate)
    except ValueError as error:
        raise _RefusedError(NO_LEVEL, str(error)) from error
    if answer.is_stated and answer.level != level:
        raise _RefusedError(STATED_OTHERWISE, f"{answer.level or 'no level'} is stored already and stays.")
    return level


def _answered(run: Run) -> dict[str, _Answered]:
    """Return the answers of a run by the key of their question."""
    rows = run.items.filter(status=Item.Status.ANSWERED, repeat=0).values_list(
        "question_revision__question__key", "pk", "stated_confidence", "stated_confidence__level"
    )
    return {key: _Answered(pk, stated_id is not None, level) for key, pk, stated_id, level in rows}


def _store(plans: Iterable[_Plan], *, benchmark: Benchmark, actor: AbstractBaseUser | None) -> None:
    plans = [plan for plan in plans if plan.new]
    for plan in plans:
        ItemConfidence.objects.bulk_create(plan.new, batch_size=BATCH_SIZE)
        _set_on_items(plan.new)
        detail = {"importer": IMPORTER, "file": plan.file, "n_confidences": len(plan.new)}
        action_log(code="confidence.imported", target=plan.run, actor=actor, detail=detail)
    if plans:
        results_changed(benchmark_id=benchmark.pk)
        tell_planner(ItemConfidence)


def _set_on_items(rows: list[ItemConfidence]) -> None:
    for level in range(LOWEST, HIGHEST + 1):
        ids = [row.item_id for row in rows if row.level == level]
        for start in range(0, len(ids), BATCH_SIZE):
            Item.objects.filter(pk__in=ids[start : start + BATCH_SIZE]).update(confidence=level)
