"""Publish a board as a snapshot: numbered, dated, hashed, and never changed afterwards."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.utils import timezone

from corpus.models import Benchmark, QuestionSet, QuestionSetRevision
from corpus.services.results import action_log
from leaderboard.matrix import COMPLETE, PARTIAL, Matrix
from leaderboard.models import Snapshot
from leaderboard.people import cohort_of
from leaderboard.queries import Board, load_board, parse_query
from leaderboard.selectors.boards import people_rule, public_sets
from leaderboard.selectors.people_told import people_told
from leaderboard.selectors.snapshots import content_of, disclosed, latest_of
from leaderboard.services.matrices import current_matrix
from leaderboard.snapshot_contents import board_content, frozen, shown_group_members, title_of
from leaderboard.snapshot_rows import PeopleShown, frozen_board, people_steps

Basis = dict[str, list[int] | list[list[int]]]

# So many publishers may come between a number's look-up and its use.
_TRIES = 10


class SnapshotError(Exception):
    """The board cannot be published; the message says why and what to do."""


def snapshot_publish(
    *, question_set: QuestionSet, rule: str = "", note: str = "", actor: AbstractBaseUser | None = None
) -> Snapshot:
    """Freeze the board of a set's current revision under `rule` (`name[@version]`; the benchmark's default without it).

    Who may publish is for the caller to ask. Raise `SnapshotError` where there is nothing to publish or nothing has
    changed since the last snapshot, `BadQueryError` for a rule that does not exist.
    """
    draft = snapshot_draft(question_set=question_set, rule=rule)
    return _published(draft, note=note.strip(), actor=actor)


@dataclass(frozen=True, slots=True)
class Draft:
    """What a snapshot would hold: the board as it would be frozen, whether people are in it, and what it rests on."""

    board: Board
    set_revision: QuestionSetRevision
    people: PeopleShown
    basis: Basis


def snapshot_draft(*, question_set: QuestionSet, rule: str = "") -> Draft:
    """Return what `snapshot_publish` would publish now, and store nothing. Raise what it raises."""
    found = public_sets().filter(pk=question_set.pk).first()
    if found is None or found.current_revision is None:
        raise SnapshotError(f"The set {question_set.slug} has no questions yet; bring some in first.")
    query = parse_query({"rule": rule}, question_set=found)
    matrix = current_matrix(question_set=found, rule=query.rule)
    participant_ids = counted_people(matrix)
    board = load_board(question_set=found, query=query, with_topics=True)
    people = people_shown(board, participant_ids)
    board = frozen_board(board, people=people)
    _refuse_without_news(board)
    basis: Basis = {
        "root_ids": list(matrix.root_ids),
        "groups": shown_group_members(board, matrix.root_ids),
        "participant_ids": sorted(participant_ids) if people.are_shown else [],
    }
    return Draft(board, found.current_revision, people, basis)


def counted_people(matrix: Matrix) -> frozenset[int]:
    """Return the participants whose answers are in the figures of people that a board shows."""
    minimum = people_rule().minimum_for_mean
    cohorts = (cohort_of(matrix, minimum=minimum, how=how) for how in (COMPLETE, PARTIAL))
    return frozenset(participant_id for cohort in cohorts for participant_id in cohort.participant_ids)


def people_shown(board: Board, participant_ids: frozenset[int]) -> PeopleShown:
    """Say whether people can be in a snapshot: not where they differ from those of an earlier one by too few.

    Two snapshots stay side by side for good: where fewer people than a mean needs came or went between them, the
    difference would tell how those few did. Nor where the board after a withdrawal would tell it beside this snapshot
    and those before it (`step_of`).
    """
    if not board.people_rows:
        return PeopleShown(False, "Too few people count on this set.")
    minimum = people_rule().minimum_for_mean
    for earlier in disclosed(benchmark_id=board.question_set.benchmark_id):
        n_other = len(earlier.participant_ids ^ participant_ids)
        if earlier.participant_ids and 0 < n_other < minimum:
            return PeopleShown(
                False,
                f"Fewer than {minimum} people came or went since snapshot {earlier.number}; both together would tell "
                "how they did.",
            )
    before = people_told(
        benchmark_id=board.question_set.benchmark_id, rule=board.query.rule, participant_ids=participant_ids
    )
    steps = people_steps(board.matrix, earlier=before)
    if any(row.has_accuracy and steps[row.slug] is None for row in board.people_rows):
        beside = ", beside earlier snapshots," if before else ""
        return PeopleShown(
            False, f"So few people on so few questions that this{beside} would tell how one did who withdraws."
        )
    return PeopleShown(True, steps=steps)


def _refuse_without_news(board: Board) -> None:
    if all(row.rank is None for row in board.rows):
        raise SnapshotError(
            f"No result on {board.question_set.name} is complete under {board.query.rule}; there is nothing to publish."
        )
    latest = latest_of(set_id=board.question_set.pk, rule=board.query.rule)
    if latest is None:
        return
    now, before = board_content(board), content_of(latest)["board"]
    now["results_version"] = before["results_version"]
    if now == before:
        raise SnapshotError(f"Nothing has changed since snapshot {latest.number}, which stands for this board as well.")


def _published(draft: Draft, *, note: str, actor: AbstractBaseUser | None) -> Snapshot:
    """Store the snapshot under the next number; whoever takes that number first, the other takes the next."""
    moment = timezone.now().replace(microsecond=0)
    for _ in range(_TRIES):
        try:
            with transaction.atomic():
                return _stored(draft, note=note, moment=moment, actor=actor)
        except IntegrityError:
            continue
    raise SnapshotError("Other snapshots are being published at this moment. Try again.")


def _stored(draft: Draft, *, note: str, moment: datetime, actor: AbstractBaseUser | None) -> Snapshot:
    board, set_revision, people, basis = draft.board, draft.set_revision, draft.people, draft.basis
    benchmark = board.question_set.benchmark
    if not Benchmark.objects.filter(pk=benchmark.pk, results_version=benchmark.results_version).exists():
        # Somebody may have withdrawn between the look at who counts and the look at the board.
        raise SnapshotError("Results changed while the board was being read; nothing is published. Try again.")
    last = Snapshot.objects.order_by("-number").values_list("number", flat=True).first() or 0
    files = frozen(board, number=last + 1, set_revision=set_revision, published_at=moment, people=people, note=note)
    snapshot = Snapshot.objects.create(
        number=last + 1,
        title=title_of(board, set_revision),
        set_revision=set_revision,
        rule=board.query.rule,
        results_version=benchmark.results_version,
        published_at=moment,
        basis=basis,
        **files._asdict(),
    )
    detail = {"number": snapshot.number, "set": board.question_set.slug, "rule": snapshot.rule}
    action_log(code="snapshot.published", target=snapshot, actor=actor, detail=detail)
    return snapshot
