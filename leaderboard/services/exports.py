"""Write results into a folder; with answers only for staff who may see keys, and that is recorded."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from django.contrib.auth.models import AbstractUser

from corpus.models import QuestionSet
from corpus.services.results import action_log
from leaderboard.queries import Board, load_board, whole_query
from leaderboard.result_files import File, export_of, result_files
from leaderboard.selectors.boards import public_sets
from leaderboard.selectors.snapshots import disclosed
from leaderboard.services.matrices import current_matrix
from leaderboard.services.snapshots import counted_people, people_shown
from leaderboard.snapshot_rows import PeopleShown

KEY_PERMISSION = "corpus.view_questionrevision"


class ExportError(Exception):
    """Nothing was written; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written."""

    set_slug: str
    set_revision: int
    rule: str
    n_rows: int
    people_shown: bool
    files: tuple[str, ...]


def results_export(
    *,
    question_set: QuestionSet,
    target: Path,
    rule: str = "",
    with_answers: bool = False,
    without_fallback: bool = False,
    actor: AbstractUser | None = None,
) -> Exported:
    """Write the results of a set into the new or empty folder `target`.

    `without_fallback` what only a fallback reader could read is unparsed in all files.

    Raise `ExportError` for a folder that holds something, and for answers that nobody who may see keys asks for;
    `BadQueryError` for a rule that does not exist; OSError where the folder cannot be written.
    """
    found = public_sets().filter(pk=question_set.pk).first()
    if found is None or found.current_revision is None:
        raise ExportError(f"The set {question_set.slug} has no questions yet; bring some in first.")
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise ExportError(f"{target} exists already. Name a new folder.")
    if with_answers and not may_have_answers(actor):
        raise ExportError("Answers and keys are for active staff who may view question revisions; say who asks.")
    query = whole_query(question_set=found, rule=rule, fallback="off" if without_fallback else "on")
    board = load_board(question_set=found, query=query)
    people = people_exported(board, counted_people(current_matrix(question_set=found, rule=query.rule)))
    export = export_of(question_set=found, query=query, people=people, with_answers=with_answers)
    if with_answers:
        detail = {"set": found.slug, "rule": query.rule, "fallback": query.fallback}
        action_log(code="results.exported-with-answers", target=found, actor=actor, detail=detail)
    files = written(target, result_files(export))
    n_rows = len(export.board.rows)
    return Exported(found.slug, found.current_revision.number, query.rule, n_rows, people.are_shown, files)


def people_exported(board: Board, participant_ids: frozenset[int]) -> PeopleShown:
    """Say whether people can be in a folder: only those very people whom a snapshot of the same questions shows.

    No folder is kept, so nothing would be known of an earlier one; snapshots are the record of what was told of whom.
    """
    found = people_shown(board, participant_ids)
    if not found.are_shown:
        return found
    snapshots = disclosed(benchmark_id=board.question_set.benchmark_id)
    here = (participant_ids, frozenset(board.matrix.root_ids), board.query.rule)
    if any((each.participant_ids, frozenset(each.root_ids), each.rule) == here for each in snapshots):
        return found
    return PeopleShown(
        False,
        "No snapshot shows these very people on this set by this rule. Publish one (snapshot_publish), then export "
        "again.",
    )


def may_have_answers(actor: AbstractUser | None) -> bool:
    """Say whether somebody may have answers and keys."""
    return actor is not None and actor.is_active and actor.is_staff and actor.has_perm(KEY_PERMISSION)


def written(target: Path, files: Iterable[File]) -> tuple[str, ...]:
    """Write files into a folder, piece by piece, and their hashes beside them; return their paths."""
    target.mkdir(parents=True, exist_ok=True)
    sums: list[tuple[str, str]] = []
    for path, pieces in files:
        place = target / path
        place.parent.mkdir(parents=True, exist_ok=True)
        found = hashlib.sha256()
        with place.open("wb") as file:
            for piece in pieces:
                data = piece.encode("utf-8", "surrogatepass")
                found.update(data)
                file.write(data)
        sums.append((path, found.hexdigest()))
    (target / "SHA256SUMS").write_text("".join(f"{found}  {path}\n" for path, found in sorted(sums)), "utf-8")
    return (*(path for path, _ in sums), "SHA256SUMS")
