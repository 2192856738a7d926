"""Which groups of questions the boards of a benchmark show, worked out over all of its boards at once."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from django.core.cache import cache
from django.db.models import Count, Max, Sum

from corpus.models import Label, Question, QuestionSet
from leaderboard.disclosure import SMALLEST_GROUP, SMALLEST_GROUP_OF_PEOPLE
from leaderboard.joint_disclosure import joint_disclosure
from leaderboard.models import Snapshot
from leaderboard.selectors.boards import public_sets, topic_key
from leaderboard.selectors.inputs import Column, columns_of
from leaderboard.selectors.snapshots import Disclosed, disclosed

# The grouping whose groups come before those of all others.
DEFAULT_GROUPING = "topic"
_KEEP_SECONDS = 86_400

# A set's id, the slug of a grouping, the key of a topic.
GroupKey = tuple[int, str, str]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ShownGroups:
    """What is hidden on the boards of a benchmark, of systems and of people.

    `given_away` are the numbers of questions, each below the minimum, whose results the totals of sets alone tell; of
    people the same under `given_away_of_people`.
    """

    of_systems: frozenset[GroupKey]
    of_people: frozenset[GroupKey]
    given_away: tuple[int, ...]
    given_away_of_people: tuple[int, ...]

    def hidden(self, *, set_id: int, grouping: str, of_people: bool) -> frozenset[str]:
        """Return the topics of a grouping that a set's board does not show."""
        keys = self.of_people if of_people else self.of_systems
        return frozenset(topic for found_id, slug, topic in keys if (found_id, slug) == (set_id, grouping))


def shown_groups_of(*, question_set: QuestionSet) -> ShownGroups:
    """Return what the boards of the set's benchmark show, worked out anew when its sets, policies or labels changed.

    `question_set` must have been read in this request, with its benchmark: without new results nothing is read.
    """
    benchmark = question_set.benchmark
    now = (benchmark.pk, benchmark.results_version, question_set.current_revision_id, question_set.policy)
    key = "shown-groups:" + ":".join(map(str, now))
    found: ShownGroups | None = cache.get(key)
    if found is None:
        found = _shown_groups(benchmark.pk)
        cache.set(key, found, _KEEP_SECONDS)
    return found


def _shown_groups(benchmark_id: int) -> ShownGroups:
    """Return the answer kept under all that it depends on: answers that come in leave it as it is."""
    key = f"shown-groups:{_version(benchmark_id)}"
    found: ShownGroups | None = cache.get(key)
    if found is None:
        found = _worked_out(benchmark_id)
        cache.set(key, found, _KEEP_SECONDS)
    return found


@dataclass(frozen=True, slots=True)
class ClosedResults:
    """Results of systems that are shown on sets that are not open: which questions (roots) each of them holds.

    Questions of open sets are left out: their verdicts are public. `set_ids` are the sets that are not open.
    """

    version: str
    root_ids: tuple[int, ...]
    rows: Bools
    set_ids: frozenset[int]


def closed_results_of(*, benchmark_id: int) -> ClosedResults:
    """Return what boards and snapshots show of systems on the sets of a benchmark that are not open.

    What else is to be shown of systems has to be looked at beside it (`joint_disclosure`).
    """
    version = _version(benchmark_id)
    key = f"closed-results:{version}"
    found: ClosedResults | None = cache.get(key)
    if found is None:
        found = _closed_results(benchmark_id, version)
        cache.set(key, found, _KEEP_SECONDS)
    return found


def _closed_results(benchmark_id: int, version: str) -> ClosedResults:
    boards, hidden = _boards(benchmark_id), _shown_groups(benchmark_id).of_systems
    is_open = np.array([each.policy == QuestionSet.Policy.OPEN for each in boards.sets], dtype=np.bool_)
    closed = frozenset(each.pk for each in boards.sets if each.policy != QuestionSet.Policy.OPEN)
    is_shown = np.array([key[0] in closed and key not in hidden for key in boards.keys], dtype=np.bool_)
    totals = boards.totals[[not opened and n >= SMALLEST_GROUP for opened, n in _sizes(boards, is_open)]]
    is_secret = np.logical_not(boards.totals[is_open].any(axis=0))
    rows = np.concatenate([totals, boards.published, boards.groups[is_shown]])[:, is_secret]
    roots = tuple(root_id for root_id, secret in zip(boards.root_ids, is_secret, strict=True) if secret)
    return ClosedResults(version, roots, np.unique(rows, axis=0) if rows.size else rows, closed)


def totals_too_close() -> list[str]:
    """Return a warning for each benchmark whose sets' totals, which are always shown, tell the result of too little."""
    first_of = {each.benchmark_id: each for each in public_sets()}
    found = [(each.benchmark, shown_groups_of(question_set=each)) for each in first_of.values()]
    return [
        f"{benchmark.slug}: the totals of its question sets and what its snapshots show, added and subtracted, tell "
        f"results {of_whom} on fewer than {minimum} questions ({', '.join(map(str, sizes))}). Make sets that differ by "
        "more, or by nothing."
        for benchmark, shown in found
        for sizes, of_whom, minimum in (
            (shown.given_away, "of systems", SMALLEST_GROUP),
            (shown.given_away_of_people, "of people", SMALLEST_GROUP_OF_PEOPLE),
        )
        if sizes
    ]


def smallest_group(question_set: QuestionSet) -> int:
    """Return from how many questions on a group's results are public: from one where the set's policy is open."""
    return 1 if question_set.policy == QuestionSet.Policy.OPEN else SMALLEST_GROUP


def _version(benchmark_id: int) -> str:
    """Return a name for everything the answer depends on. Four small queries."""
    sets = QuestionSet.objects.filter(benchmark_id=benchmark_id, current_revision__isnull=False)
    labels = Label.objects.filter(grouping__benchmark_id=benchmark_id)
    through = Label.questions.through.objects.filter(label__grouping__benchmark_id=benchmark_id)
    made_from = (
        benchmark_id,
        SMALLEST_GROUP,
        SMALLEST_GROUP_OF_PEOPLE,
        list(sets.order_by("pk").values_list("pk", "current_revision_id", "policy")),
        list(labels.order_by("pk").values_list("pk", "slug", "grouping__slug")),
        sorted(through.aggregate(n=Count("pk"), last=Max("pk"), sum=Sum("pk")).items()),
        Snapshot.objects.filter(set_revision__question_set__benchmark=benchmark_id).aggregate(last=Max("pk")),
    )
    return hashlib.sha256(repr(made_from).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Boards:
    """Sets and groups over the questions (roots) of a benchmark, of shape (sets or groups, questions).

    What snapshots show stays public whatever becomes of sets and labels: `published` results of systems and of people.
    """

    root_ids: Sequence[int]
    sets: Sequence[QuestionSet]
    totals: Bools
    keys: Sequence[GroupKey]
    groups: Bools
    published: Bools
    published_of_people: Bools

    @property
    def is_kept(self) -> Bools:
        return np.array([grouping == DEFAULT_GROUPING for _, grouping, _ in self.keys], dtype=np.bool_)


def _worked_out(benchmark_id: int) -> ShownGroups:
    boards = _boards(benchmark_id)
    is_open = np.array([each.policy == QuestionSet.Policy.OPEN for each in boards.sets], dtype=np.bool_)
    open_ids = {each.pk for each in boards.sets if each.policy == QuestionSet.Policy.OPEN}
    is_public = np.asarray(boards.totals[is_open].any(axis=0))
    of_systems, given_away = _hidden(
        boards,
        totals=np.concatenate(
            [
                boards.totals[[not opened and len_ >= SMALLEST_GROUP for opened, len_ in _sizes(boards, is_open)]],
                boards.published,
            ]
        ),
        among=np.array([key[0] not in open_ids for key in boards.keys], dtype=np.bool_),
        questions=np.logical_not(is_public),
        minimum=SMALLEST_GROUP,
    )
    of_people, of_people_given_away = _hidden(
        boards,
        totals=np.concatenate(
            [
                boards.totals[[opened or len_ >= SMALLEST_GROUP for opened, len_ in _sizes(boards, is_open)]],
                boards.published_of_people,
            ]
        ),
        among=np.ones(len(boards.keys), dtype=np.bool_),
        questions=np.ones(boards.totals.shape[1], dtype=np.bool_),
        minimum=SMALLEST_GROUP_OF_PEOPLE,
    )
    return ShownGroups(of_systems, of_people, given_away, of_people_given_away)


def _sizes(boards: _Boards, is_open: Bools) -> list[tuple[bool, int]]:
    return [(bool(opened), int(row.sum())) for opened, row in zip(is_open, boards.totals, strict=True)]


def _hidden(
    boards: _Boards, *, totals: Bools, among: Bools, questions: Bools, minimum: int
) -> tuple[frozenset[GroupKey], tuple[int, ...]]:
    """Return the groups `among` these that are hidden, and the sizes of what the totals give away."""
    found = joint_disclosure(
        totals=totals[:, questions],
        groups=boards.groups[among][:, questions],
        is_kept=boards.is_kept[among],
        minimum=minimum,
    )
    # A group's own size counts with the questions that are public elsewhere: two boards may show two runs.
    is_shown = found.shown & (boards.groups[among].sum(axis=1) >= minimum)
    keys = [key for key, is_one in zip(boards.keys, among, strict=True) if is_one]
    hidden = frozenset(key for key, shown in zip(keys, is_shown, strict=True) if not shown)
    return hidden, tuple(len(part) for part in found.given_away if len(part) < minimum)


def _boards(benchmark_id: int) -> _Boards:
    sets = list(public_sets().filter(benchmark_id=benchmark_id).order_by("pk"))
    members = [columns_of(set_revision=each.current_revision) for each in sets if each.current_revision]
    index_of: dict[int, int] = {}
    for columns in members:
        for column in columns:
            index_of.setdefault(column.root_id, len(index_of))
    snapshots = disclosed(benchmark_id=benchmark_id)
    for snapshot in snapshots:
        for root_id in snapshot.root_ids:
            index_of.setdefault(root_id, len(index_of))
    labelled = _labelled(benchmark_id)
    keys: list[GroupKey] = []
    rows: list[Bools] = []
    for question_set, columns in zip(sets, members, strict=True):
        for (grouping, topic), question_ids in labelled.items():
            row = _row(columns, index_of, question_ids)
            if row.any():
                keys.append((question_set.pk, grouping, topic))
                rows.append(row)
    totals = np.array([_row(columns, index_of, None) for columns in members], dtype=np.bool_)
    n = len(index_of)
    return _Boards(
        root_ids=tuple(index_of),
        sets=sets,
        totals=totals.reshape(-1, n),
        keys=keys,
        groups=np.array(rows, dtype=np.bool_).reshape(-1, n),
        published=_published(snapshots, index_of),
        published_of_people=_published(snapshots, index_of, of_people=True),
    )


def _published(snapshots: Sequence[Disclosed], index_of: Mapping[int, int], *, of_people: bool = False) -> Bools:
    """Return which questions each result holds that any snapshot shows, each result once."""
    results = {
        frozenset(result)
        for snapshot in snapshots
        for result in ((snapshot.root_ids,) if of_people else (snapshot.root_ids, *snapshot.groups))
        if snapshot.participant_ids or not of_people
    }
    rows = np.zeros((len(results), len(index_of)), dtype=np.bool_)
    for row, result in zip(rows, sorted(map(sorted, results)), strict=True):
        row[[index_of[root_id] for root_id in result]] = True
    return rows


def _row(columns: Sequence[Column], index_of: Mapping[int, int], question_ids: set[int] | None) -> Bools:
    row = np.zeros(len(index_of), dtype=np.bool_)
    row[[index_of[each.root_id] for each in columns if question_ids is None or each.question_id in question_ids]] = True
    return row


def _labelled(benchmark_id: int) -> dict[tuple[str, str], set[int]]:
    """Return the questions of each topic by grouping and key, in a fixed order. One query."""
    labelled: dict[tuple[str, str], set[int]] = defaultdict(set)
    rows = Question.labels.through.objects.filter(label__grouping__benchmark_id=benchmark_id).values_list(
        "label__grouping__slug", "label__slug", "question_id"
    )
    for grouping, slug, question_id in rows:
        labelled[grouping, topic_key(slug)].add(question_id)
    return dict(sorted(labelled.items()))
