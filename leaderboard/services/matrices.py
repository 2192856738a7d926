"""Build score matrices, keep them, and build them again when results have changed."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

from django.db import OperationalError
from django.db.models import F

from corpus.models import QuestionSet
from corpus.scoring.rules import rule_names
from leaderboard.matrix import PERSON, SYSTEM, Matrix, pack, unpack
from leaderboard.models import BoardStatistics, ScoreMatrix
from leaderboard.selectors.boards import public_sets
from leaderboard.selectors.inputs import read_matrix

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

    The stored matrix is used while the benchmark's results version is the one it was built from. `question_set` must
    have been read in this request, with its benchmark: the version is read before the answers, so that a change in
    between makes the next reader build again. A matrix that cannot be stored, since an import holds the database, is
    returned all the same.
    """
    stored = ScoreMatrix.objects.filter(set_revision_id=question_set.current_revision_id, rule=rule).first()
    if stored is not None and stored.results_version == question_set.benchmark.results_version:
        try:
            return unpack(stored.entrants, bytes(stored.verdicts), stored.inputs)
        except ValueError:
            stored = None
    matrix = _read(question_set, rule)
    try:
        _store(question_set, rule, matrix)
    except OperationalError as error:
        logger.warning("the matrix of %s under %s was not stored: %s", question_set.slug, rule, error)
    return matrix


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
    stale_matrices_delete(benchmark_id=question_set.benchmark_id)


def stale_matrices_delete(*, benchmark_id: int | None = None) -> int:
    """Delete the matrices of a benchmark (of all, without one) that are older than its results; return how many.

    They are never shown, but hold verdicts by the number of a person who may have withdrawn since.
    """
    stale = ScoreMatrix.objects.filter(results_version__lt=F("set_revision__question_set__benchmark__results_version"))
    if benchmark_id is not None:
        stale = stale.filter(set_revision__question_set__benchmark=benchmark_id)
    return stale.delete()[0]


def rebuild_leaderboard(*, set_slugs: Sequence[str] = (), rules: Sequence[str] = ()) -> list[Rebuilt]:
    """Delete the stored matrices and build those of every set (or of `set_slugs`) under every rule (or `rules`).

    The statistics of boards go with them; whoever looks at a board first has them worked out.
    """
    sets = public_sets()
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
