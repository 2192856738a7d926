"""Published snapshots, and what each of them told of people and of groups of questions."""

import json
from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from corpus.models import QuestionSet
from leaderboard.exact_text import digest
from leaderboard.models import Snapshot


@dataclass(frozen=True, slots=True)
class Disclosed:
    """What a snapshot told: the total of these questions (roots), and of these groups of them; of people by number."""

    number: int
    root_ids: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    participant_ids: frozenset[int]
    rule: str


def published_snapshots() -> QuerySet[Snapshot]:
    """Return every snapshot, newest first, with its set, without its files."""
    return Snapshot.objects.select_related("set_revision__question_set").defer("content", "table", "basis")


def snapshot_by_number(number: int) -> Snapshot | None:
    """Return a snapshot with its files, None where there is none of that number."""
    return Snapshot.objects.filter(number=number).defer("basis").first()


def content_of(snapshot: Snapshot) -> dict[str, Any]:
    """Return what the JSON file of a snapshot holds."""
    content: dict[str, Any] = json.loads(snapshot.content)
    return content


def is_intact(snapshot: Snapshot) -> bool:
    """Say whether the files are those that were published."""
    content = content_of(snapshot)
    return digest(snapshot.content) == snapshot.content_hash and digest(snapshot.table) == content["table_hash"]


def latest_of(*, set_id: int, rule: str) -> Snapshot | None:
    """Return the newest snapshot of a set (any revision) under a rule."""
    return Snapshot.objects.filter(set_revision__question_set=set_id, rule=rule).order_by("-number").first()


def with_newest_snapshot(sets: QuerySet[QuestionSet]) -> QuerySet[QuestionSet]:
    """Add to each set, as `newest_snapshot`, the number of its newest snapshot under the benchmark's default rule."""
    found = Snapshot.objects.filter(
        set_revision__question_set=OuterRef("pk"), rule=OuterRef("benchmark__default_rule")
    ).order_by("-number")
    return sets.annotate(newest_snapshot=Subquery(found.values("number")[:1]))


def newest_snapshots() -> list[Snapshot]:
    """Return the newest snapshot of each set and rule, without files, newest first."""
    newest: dict[tuple[int, str], Snapshot] = {}
    for snapshot in published_snapshots():
        newest.setdefault((snapshot.set_revision.question_set_id, snapshot.rule), snapshot)
    return list(newest.values())


def disclosed(*, benchmark_id: int) -> list[Disclosed]:
    """Return what the snapshots of a benchmark told, oldest first. One query."""
    rows = Snapshot.objects.filter(set_revision__question_set__benchmark=benchmark_id).order_by("number")
    return [
        Disclosed(
            number,
            tuple(basis["root_ids"]),
            tuple(tuple(group) for group in basis["groups"]),
            frozenset(basis["participant_ids"]),
            rule,
        )
        for number, basis, rule in rows.values_list("number", "basis", "rule")
    ]
