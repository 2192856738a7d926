"""Build score matrices, keep them, and build them again when results have changed."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

from django.db import OperationalError
from django.db.models import F, QuerySet

from corpus.models import Benchmark, QuestionSet
from corpus.scoring.rules import rule_names
from corpus.selectors.changes import changes_since
from leaderboard.matrix import PERSON, SYSTEM, Matrix, pack, unpack, without_people
from leaderboard.models import BoardStatistics, KeptPage, ScoreMatrix
from leaderboard.selectors.boards import public_sets
from leaderboard.selectors.inputs import read_changes, read_matrix

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """One matrix built anew."""

    set_slug: str
    set_revision: int
    rule: str
    results_version: int
    n_systems: int
    n_people: int
    n_questions: int
    seconds: float


def current_matrix(*, question_set: QuestionSet, rule: str) -> Matrix:
    """Return the matrix of the set's current revision under `rule` (`name@version`), never an outdated one.

    The stored matrix is used while the benchmark's results version is the one it was built from; of an older one only
    what changed since is read again, where that is known. `question_set` must have been read in this request, with its
    benchmark: the version is read before the answers, so that a change in between makes the next reader look again. A
    matrix that cannot be stored, since an import holds the database, is returned all the same.
    """
    version = question_set.benchmark.results_version
    stored = ScoreMatrix.objects.filter(set_revision_id=question_set.current_revision_id, rule=rule).first()
    known = _unpacked(stored) if stored else None
    if stored and known and stored.results_version >= version:
        return known
    matrix = _read_since(question_set, rule, known, stored.results_version) if stored and known else None
    if matrix is None:
        matrix = _read(question_set, rule)
    try:
        _store(question_set, rule, matrix)
    except OperationalError as error:
        logger.warning("the matrix of %s under %s was not stored: %s", question_set.slug, rule, error)
    return matrix


def _unpacked(stored: ScoreMatrix) -> Matrix | None:
    try:
        return unpack(stored.entrants, bytes(stored.verdicts), stored.inputs)
    except ValueError:
        return None


def _read_since(question_set: QuestionSet, rule: str, known: Matrix, since: int) -> Matrix | None:
    """Bring a matrix up to date, None where anything may have changed since."""
    benchmark = question_set.benchmark
    changes = changes_since(benchmark_id=benchmark.pk, since=since, until=benchmark.results_version)
    if changes.is_all or question_set.current_revision is None:
        return None
    return read_changes(known=known, changes=changes, set_revision=question_set.current_revision, rule=rule)


def build_score_matrix(*, question_set: QuestionSet, rule: str) -> Matrix:
    """Read every answer, build the matrix of the set's current revision under `rule`, and store it.

    What is stored of the benchmark's older results goes, so that no matrix that nobody opens keeps a withdrawn person.
    """
    matrix = _read(question_set, rule)
    _store(question_set, rule, matrix)
    return matrix


def _read(question_set: QuestionSet, rule: str) -> Matrix:
    if question_set.current_revision is None:
        raise ValueError(f"The set {question_set.slug} has no questions.")
    return read_matrix(set_revision=question_set.current_revision, rule=rule)


def _store(question_set: QuestionSet, rule: str, matrix: Matrix) -> None:
    entrants, verdicts, inputs = pack(matrix)
    ScoreMatrix.objects.update_or_create(
        set_revision=question_set.current_revision,
        rule=rule,
        defaults={
            "results_version": question_set.benchmark.results_version,
            "entrants": entrants,
            "verdicts": verdicts,
            "inputs": inputs,
        },
    )
    _stale_matrices_tidy(question_set.benchmark_id)


def stale_matrices_delete() -> int:
    """Delete the matrices that are older than their results, and every kept page; return how many matrices.

    They are never shown, but hold verdicts by the number of a person who may have withdrawn since. A page says no more
    than was public, and is made again.
    """
    KeptPage.objects.all().delete()
    return _stale().delete()[0]


def _stale() -> QuerySet[ScoreMatrix]:
    return ScoreMatrix.objects.filter(results_version__lt=F("set_revision__question_set__benchmark__results_version"))


def _stale_matrices_tidy(benchmark_id: int) -> None:
    """Leave of a benchmark's older matrices what may still be brought up to date, and nothing of people who changed.

    Those of earlier revisions of a set go, and those after which anything may have changed.
    """
    stale = _stale().filter(set_revision__question_set__benchmark=benchmark_id)
    stale.exclude(set_revision=F("set_revision__question_set__current_revision")).delete()
    version = Benchmark.objects.values_list("results_version", flat=True).get(pk=benchmark_id)
    for row in stale.defer("verdicts"):
        changes = changes_since(benchmark_id=benchmark_id, since=row.results_version, until=version)
        if changes.is_all:
            row.delete()
        elif changes.of_people and any(entrant["type"] == PERSON for entrant in row.entrants):
            _people_remove(row)


def _people_remove(row: ScoreMatrix) -> None:
    """Take people out of an older matrix, unless it was built anew meanwhile."""
    known = _unpacked(row)
    same = ScoreMatrix.objects.filter(pk=row.pk, results_version=row.results_version)
    if known is None:
        same.delete()
        return
    entrants, verdicts, inputs = pack(without_people(known))
    same.update(entrants=entrants, verdicts=verdicts, inputs=inputs)


def rebuild_leaderboard(*, set_slugs: Sequence[str] = (), rules: Sequence[str] = ()) -> list[Rebuilt]:
    """Delete the stored matrices and build those of every set (or of `set_slugs`) under every rule (or `rules`).

    The statistics of boards and the kept pages go with them; whoever looks at a board first has them made.
    """
    sets = public_sets()
    KeptPage.objects.all().delete()
    for model in (ScoreMatrix, BoardStatistics):
        doomed = model._default_manager.all()
        if set_slugs:
            doomed = doomed.filter(set_revision__question_set__slug__in=set_slugs)
        doomed.delete()
    if set_slugs:
        sets = sets.filter(slug__in=set_slugs)
    return [_rebuilt(question_set, rule) for question_set in sets for rule in rules or rule_names()]


def _rebuilt(question_set: QuestionSet, rule: str) -> Rebuilt:
    started = perf_counter()
    matrix = build_score_matrix(question_set=question_set, rule=rule)
    types = [entrant.type for entrant in matrix.entrants]
    return Rebuilt(
        set_slug=question_set.slug,
        set_revision=question_set.current_revision.number if question_set.current_revision else 0,
        rule=rule,
        results_version=question_set.benchmark.results_version,
        n_systems=types.count(SYSTEM),
        n_people=types.count(PERSON),
        n_questions=len(matrix.root_ids),
        seconds=round(perf_counter() - started, 3),
    )
