"""What a board needs of the systems: one run each, and the verdicts of its items on the wanted questions."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import BooleanField, Count, ExpressionWrapper, F, FilteredRelation, Max, Min, Q, QuerySet
from django.db.models.functions import Coalesce

from corpus.models import QuestionRevision
from corpus.scoring.rules import resolve_rule
from corpus.scoring.types import Outcome
from evaluations.models import Item, Run
from evaluations.selectors.fallback import resting_on_fallback

PUBLISHED_RULE = "as-published"

# An answer judged by a corrected key is comparable with answers to that key's revision.
ROOT = Coalesce(
    F("key_revision__comparison_root_id"),
    F("key_revision_id"),
    F("question_revision__comparison_root_id"),
    F("question_revision_id"),
)
# Of the scores of an item (`score`) the last counts: the newest, or a person's corrected reading.
SCORES_IN_ORDER = (ExpressionWrapper(Q(score__reading__corrected_by__isnull=False), BooleanField()), "score__id")
JUDGED = Q(status=Item.Status.ANSWERED) & ~Q(outcome__in=["", Outcome.ERROR.value])


class BoardRun(NamedTuple):
    """The run that stands for a system on a board. `n_answered` counts answered items of the wanted questions."""

    system_id: int
    slug: str
    name: str
    source_name: str
    kind: str
    is_demo: bool
    run_id: UUID
    origin: str
    repeats: int
    n_answered: int
    is_complete: bool
    queued_at: datetime


class BoardItem(NamedTuple):
    """One question asked once. `outcome` is "" and `credit` None where there is no verdict under the rule."""

    system_id: int
    run_id: UUID
    repeat: int
    root_id: int
    outcome: str
    credit: Decimal | None
    status: str


@dataclass(frozen=True, slots=True)
class BoardItems:
    """The chosen run of every system, by name, and the items of those runs, by system, question and repeat."""

    runs: tuple[BoardRun, ...]
    items: tuple[BoardItem, ...]


class Candidate(NamedTuple):
    """A run with any of the wanted questions; `rules` are the first and the last its verdicts are under."""

    run: BoardRun
    rules: tuple[str, str]
    is_of_sweep: bool


@dataclass(frozen=True, slots=True)
class Chosen:
    """The runs that stand for systems under a `rule` (`name@version`), by name, and the items they are chosen by.

    `needing_scores` are the runs with a verdict by another rule on a row, or with none.
    """

    rule: str
    runs: tuple[BoardRun, ...]
    needing_scores: frozenset[UUID]
    items: QuerySet[Item]


def board_items(
    *,
    root_ids: Collection[int],
    rule: str,
    system_ids: Collection[int] | None = None,
    with_hidden: bool = False,
    with_fallback: bool = True,
) -> BoardItems:
    """Return the verdicts under `rule` on the questions `root_ids`, in three queries whatever their number.

    A system is there by one run: the newest whose every wanted question is answered and judged in every repeat,
    whatever else that run holds; else, marked as not complete, the newest with any answer to them, or the newest of
    all. Newest is by the time it was queued or imported. The run's own status plays no part. A run of a sweep, which
    asks in one of several ways, stands only where no complete run outside of sweeps does; completions that were
    submitted, only where no run that was asked or imported has as much to show. A run that was withdrawn stands for
    nobody.

    `rule` is a name, for its newest version, or `name@version`. `as-published` is there for imported runs only:
    other systems are absent. The verdict on the row is used where it was made under `rule`, else the newest stored
    score under it, a person's corrected reading first. Hidden systems are left out unless `with_hidden`. Without
    `with_fallback` what only a fallback reader could read is `unparsed`.
    """
    chosen = chosen_runs(root_ids=root_ids, rule=rule, system_ids=system_ids, with_hidden=with_hidden)
    items = chosen.items.filter(run_id__in=[run.run_id for run in chosen.runs])
    rows = _rows(items, rule=chosen.rule, needs_scores=bool(chosen.needing_scores))
    if not with_fallback:
        rows = _strict(items, rows)
    return BoardItems(chosen.runs, tuple(rows))


def chosen_runs(
    *, root_ids: Collection[int], rule: str, system_ids: Collection[int] | None, with_hidden: bool
) -> Chosen:
    """Return which run stands for each system, as `board_items` says, in two queries."""
    name = resolve_rule(rule)
    wanted = set(root_ids)
    if not wanted:
        return Chosen(name, (), frozenset(), Item.objects.none())
    items = _items_under(wanted, name)
    if system_ids is not None:
        items = items.filter(run__system_id__in=system_ids)
    if not with_hidden:
        items = items.filter(run__system__is_hidden=False)
    chosen = _chosen_runs(items, n_wanted=len(wanted))
    runs = sorted((candidate.run for candidate in chosen), key=lambda run: (run.name.casefold(), run.slug))
    needing_scores = frozenset(candidate.run.run_id for candidate in chosen if candidate.rules != (name, name))
    return Chosen(name, tuple(runs), needing_scores, items)


def items_of_runs(*, root_ids: Collection[int], rule: str, run_ids: Collection[UUID]) -> tuple[BoardItem, ...]:
    """Return the verdicts of these runs under `rule` (`name@version`) on the questions `root_ids`, as on a board."""
    items = items_of(root_ids).filter(run_id__in=run_ids)
    needs_scores = items.exclude(rule=rule).exists()
    return tuple(_rows(items, rule=rule, needs_scores=needs_scores))


def outcome_counts(*, board: BoardItems, system_id: int) -> dict[str, int]:
    """Return how many of a system's items have each outcome; every outcome is named, failed ones are `error`."""
    counts = Counter(
        Outcome.ERROR.value if item.status == Item.Status.FAILED else item.outcome
        for item in board.items
        if item.system_id == system_id
    )
    return {outcome.value: counts[outcome.value] for outcome in Outcome}


def items_of(root_ids: Collection[int]) -> QuerySet[Item]:
    """Return the items whose verdict is on one of these questions, in no order; none of a run that was withdrawn."""
    revisions = QuestionRevision.objects.filter(Q(pk__in=root_ids) | Q(comparison_root_id__in=root_ids))
    asked = Q(key_revision__isnull=True, question_revision__in=revisions)
    return Item.objects.filter(asked | Q(key_revision__in=revisions), run__withdrawn_at__isnull=True).order_by()


def _items_under(root_ids: Collection[int], rule: str) -> QuerySet[Item]:
    """Return the items on these questions that a board under `rule` (`name@version`) may show."""
    items = items_of(root_ids)
    is_published = rule.partition("@")[0] == PUBLISHED_RULE
    return items.filter(run__origin=Run.Origin.IMPORTED) if is_published else items


def candidates_of(*, root_ids: Collection[int], rule: str, system_id: int) -> list[Candidate]:
    """Return every run of a system that a board of these questions may show, oldest first."""
    wanted = set(root_ids)
    return _candidates(_items_under(wanted, resolve_rule(rule)).filter(run__system=system_id), n_wanted=len(wanted))


def _candidates(items: QuerySet[Item], *, n_wanted: int) -> list[Candidate]:
    # Counted by run alone: of millions of items, more columns to group by take several times as long.
    counts = items.values("run_id").annotate(
        n_answered=Count("id", filter=JUDGED),
        first_rule=Min("rule", filter=JUDGED),
        last_rule=Max("rule", filter=JUDGED),
    )
    counted = {row["run_id"]: row for row in counts.order_by()}
    runs = Run.objects.filter(pk__in=counted).select_related("system").order_by("queued_at", "pk")
    return [_candidate(run, counted[run.pk], n_wanted=n_wanted) for run in runs]


def _chosen_runs(items: QuerySet[Item], *, n_wanted: int) -> list[Candidate]:
    """Return one candidate per system: of those with the most weight the newest."""
    by_system: dict[int, list[Candidate]] = {}
    for candidate in _candidates(items, n_wanted=n_wanted):
        by_system.setdefault(candidate.run.system_id, []).append(candidate)
    return [standing_for(candidates) for candidates in by_system.values()]


def standing_for(candidates: Sequence[Candidate]) -> Candidate:
    """Return the run that stands for a system, of its runs from the oldest to the newest.

    A newer one takes an older one's place, but not by having less to show, being of a sweep, or submitted.
    """
    return max(enumerate(candidates), key=lambda each: (weight_of(each[1]), each[0]))[1]


def weight_of(candidate: Candidate) -> tuple[int, bool, bool]:
    """Return what goes first: whether every answer is there (or any), made by or for this site, outside of sweeps."""
    run = candidate.run
    extent = 2 if run.is_complete else min(run.n_answered, 1)
    is_of_sweep = run.is_complete and candidate.is_of_sweep
    return extent, run.origin != Run.Origin.SUBMITTED, not is_of_sweep


def _candidate(run: Run, counted: Mapping[str, Any], *, n_wanted: int) -> Candidate:
    system = run.system
    found = BoardRun(
        system_id=system.pk,
        slug=system.slug,
        name=system.name,
        source_name=system.source_name,
        kind=system.kind,
        is_demo=system.is_demo,
        run_id=run.pk,
        origin=run.origin,
        repeats=run.repeats,
        n_answered=counted["n_answered"],
        is_complete=counted["n_answered"] == n_wanted * run.repeats,
        queued_at=run.queued_at,
    )
    return Candidate(found, (counted["first_rule"], counted["last_rule"]), run.sweep is not None)


def _rows(items: QuerySet[Item], *, rule: str, needs_scores: bool) -> Iterator[BoardItem]:
    """Give every item once, in the order of system, question and repeat."""
    columns = [
        "run__system_id",
        "run_id",
        "repeat",
        "root_id",
        "outcome",
        "credit",
        "status",
        "rule",
        "key_revision_id",
    ]
    ordering = ["run__system_id", "root_id", "repeat"]
    items = items.annotate(root_id=ROOT)
    if not needs_scores:
        for row in items.order_by(*ordering).values_list(*columns).iterator(chunk_size=5000):
            yield BoardItem(*row[:7])
        return
    scored = items.annotate(score=FilteredRelation("scores", condition=Q(scores__rule=rule))).order_by(
        *ordering, *SCORES_IN_ORDER
    )
    newest: dict[tuple[UUID, int, int], BoardItem] = {}
    of_score = ["score__key_revision_id", "score__outcome", "score__credit"]
    for *row, row_rule, row_key, key, outcome, credit in scored.values_list(*columns, *of_score).iterator(
        chunk_size=5000
    ):
        item = BoardItem(*row)
        place = (item.run_id, item.root_id, item.repeat)
        if row_rule == rule:
            newest[place] = item
        elif key == row_key:
            newest[place] = item._replace(outcome=outcome or "", credit=credit)
        else:
            # A score by a key that is no longer the answer's says nothing.
            newest.setdefault(place, item._replace(outcome="", credit=None))
    yield from newest.values()


def _strict(items: QuerySet[Item], rows: Iterable[BoardItem]) -> Iterator[BoardItem]:
    """Give the items as they are without any fallback reader."""
    resting = resting_on_fallback(items).annotate(root_id=ROOT).values_list("run_id", "root_id", "repeat")
    places = set(resting)
    for row in rows:
        is_resting = (row.run_id, row.root_id, row.repeat) in places
        yield row._replace(outcome=Outcome.UNPARSED.value, credit=Decimal(0)) if is_resting else row
