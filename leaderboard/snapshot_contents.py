"""What a snapshot holds: a board as plain data, its exact text, its hash. Settings only name the site."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.conf import settings

from corpus.models import QuestionSet, QuestionSetRevision
from corpus.scoring.rules import rule_definition
from leaderboard.exact_text import canonical, digest
from leaderboard.payloads import board_csv, board_payload
from leaderboard.queries import Board
from leaderboard.snapshot_rows import PeopleShown

FORMAT = "chembench-site-snapshot@1"
# What a board says of everyone who ever answered; it moves with each single person.
_OF_EVERYONE = ("n_people", "n_people_complete", "n_people_counted", "n_absent_under_rule", "rules")


class Frozen(NamedTuple):
    """The files of a snapshot to the letter, and the hash of the first."""

    content: str
    content_hash: str
    table: str


def frozen(
    board: Board,
    *,
    number: int,
    set_revision: QuestionSetRevision,
    published_at: datetime,
    people: PeopleShown,
    note: str = "",
) -> Frozen:
    """Return the files of a snapshot of a board that `frozen_board` has made."""
    table = board_csv(board)
    question_set = board.question_set
    address = f"{settings.SITE_URL}/snapshots/{number}/"
    content = {
        "format": FORMAT,
        "snapshot": number,
        "address": address,
        "site": settings.SITE_NAME,
        "title": title_of(board, set_revision),
        "published_at": published_at.isoformat().replace("+00:00", "Z"),
        "citation": _citation(board, set_revision, number=number, published_at=published_at, address=address),
        "note": note,
        "benchmark": _benchmark(question_set),
        "set": {
            "slug": question_set.slug,
            "name": question_set.name,
            "revision": set_revision.number,
            "content_hash": set_revision.content_hash,
            "n_questions": board.n_questions,
            "policy": question_set.policy,
        },
        "rule": {"name": board.query.rule, "definition": " ".join(rule_definition(board.query.rule).split())},
        "people": {
            "shown": people.are_shown,
            "why_not": people.why_not,
            "precision": "whole percent, of the whole set, without counts",
        },
        "table_hash": digest(table),
        "board": board_content(board),
    }
    text = canonical(content)
    return Frozen(text, digest(text), table)


def board_content(board: Board) -> dict[str, Any]:
    """Return the board's part of a snapshot: what two snapshots have in common while nothing has changed."""
    payload = board_payload(board)
    return {name: value for name, value in payload.items() if name not in _OF_EVERYONE}


def title_of(board: Board, set_revision: QuestionSetRevision) -> str:
    """Return what a snapshot is of, in a line."""
    return f"{board.question_set.name}, revision {set_revision.number}, under {board.query.rule}"


def shown_group_members(board: Board, root_ids: Sequence[int]) -> list[list[int]]:
    """Return the questions (roots) of each group of which a board shows a system's result."""
    shown = {slug for row in board.rows for slug, estimate in row.topics.items() if estimate.accuracy is not None}
    return [sorted(root_ids[column] for column in topic.columns) for topic in board.topics if topic.slug in shown]


def _benchmark(question_set: QuestionSet) -> dict[str, Any]:
    benchmark = question_set.benchmark
    return {name: getattr(benchmark, name) for name in ("slug", "name", "version", "licence", "citation", "is_demo")}


def _citation(
    board: Board, set_revision: QuestionSetRevision, *, number: int, published_at: datetime, address: str
) -> str:
    benchmark = board.question_set.benchmark
    day = f"{published_at.day} {published_at:%B %Y}"
    questions = f" Questions: {benchmark.name}, {benchmark.citation.rstrip('.')}." if benchmark.citation else ""
    return (
        f"{settings.SITE_NAME}. Results on {board.question_set.name} (revision {set_revision.number}, "
        f"{board.n_questions} questions) under the rule {board.query.rule}. Snapshot {number}, {day}. {address}."
        f"{questions}"
    )
