"""Read and judge the items of runs again. No system is asked."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, cast
from uuid import UUID

from django.contrib.auth.base_user import AbstractBaseUser
from django.db.models import Q, QuerySet

from corpus.scoring.reading import read_answer
from corpus.scoring.rules import resolve_rule
from corpus.scoring.types import Asked, Reading
from corpus.selectors.later_keys import KeyInForce, keys_in_force
from corpus.services.corrections import Corrected, CorrectionError, reading_correct
from corpus.services.rescoring import (
    Accepted,
    Proposed,
    Reread,
    Tables,
    default_reader,
    reads_again,
    rescoring_accept,
    rescoring_discard,
    rescoring_propose,
    resolve_reader,
)
from evaluations.asked import asked_of_run
from evaluations.models import Item, ItemReading, ItemRescoring, ItemScore, RescoredItem, Run
from evaluations.services.fallback_frozen import fallback_reader_of

TABLES = Tables(answer=Item, reading=ItemReading, score=ItemScore, rescoring=ItemRescoring, row=RescoredItem)
ITEMS_AT_ONCE = 1000
_NEEDED = (
    "question_revision",
    "prompt",
    "options_shown",
    "completion",
    "finish_reason",
    "outcome",
    "credit",
    "rule",
    "key_revision",
)


def runs_selected(*, system_slugs: Collection[str] = (), run_ids: Collection[UUID] = ()) -> QuerySet[Run]:
    """Return the runs of these systems and these runs, oldest first; every run when neither is given."""
    runs = Run.objects.select_related("system", "set_revision__question_set__benchmark").order_by("queued_at", "pk")
    if not system_slugs and not run_ids:
        return runs
    return runs.filter(Q(system__slug__in=system_slugs) | Q(pk__in=run_ids))


def run_rescore(
    *,
    run: Run,
    rule: str = "standard",
    reader: str = "",
    question_ids: Collection[int] | None = None,
    actor: AbstractBaseUser | None = None,
) -> Proposed:
    """Propose a rescoring of a run's answered items, in one transaction; see `rescoring_propose`.

    `rule` and `reader` are names, for the newest version, or `name@version`; without a reader the rule's usual one.
    `question_ids` narrows the items to these questions. Raises UnknownRuleError and RescoringError.
    """
    rule_name = resolve_rule(rule)
    reader_name = resolve_reader(reader) if reader else default_reader(rule_name)
    return rescoring_propose(
        tables=TABLES,
        benchmark=run.set_revision.question_set.benchmark,
        group={"run": run},
        chunks=lambda: items_reread(run=run, reader=reader_name, question_ids=question_ids),
        rule=rule_name,
        reader=reader_name,
        actor=actor,
    )


def run_rescoring_accept(
    *, rescoring_id: int, actor: AbstractBaseUser | None = None, replace: Collection[int] = ()
) -> Accepted:
    """Accept a rescoring of a run; see `rescoring_accept`."""
    return rescoring_accept(tables=TABLES, rescoring_id=rescoring_id, actor=actor, replace=replace)


def run_rescoring_discard(*, rescoring_id: int, actor: AbstractBaseUser | None = None) -> ItemRescoring:
    """Discard a rescoring of a run; see `rescoring_discard`."""
    return cast(ItemRescoring, rescoring_discard(tables=TABLES, rescoring_id=rescoring_id, actor=actor))


def item_reading_correct(*, item: Item, reading: Reading, reason: str, actor: AbstractBaseUser) -> Corrected:
    """Store a person's reading of an answered item and make it current; see `reading_correct`."""
    if item.status != Item.Status.ANSWERED:
        raise CorrectionError("This question has no reply yet, so there is nothing to read.")
    return reading_correct(
        answer=item,
        reading=reading,
        key=keys_in_force([item.question_revision_id])[item.question_revision_id],
        benchmark=item.run.set_revision.question_set.benchmark,
        reason=reason,
        actor=actor,
    )


def asked_of_item(item: Item, key: KeyInForce, *, frozen: Mapping[str, Any]) -> Asked:
    """Return what was put to the system, from the item's own row and what its run froze."""
    return asked_of_run(key.revision, item.options_shown, item.prompt, frozen=frozen)


def items_reread(*, run: Run, reader: str, question_ids: Collection[int] | None = None) -> Iterator[Sequence[Reread]]:
    """Yield a run's answered items with what `reader` reads in them now and the keys in force, some at a time."""
    items = run.items.filter(status=Item.Status.ANSWERED).order_by("pk")
    if question_ids is not None:
        items = items.filter(question_revision__question__in=question_ids)
    ids = list(items.values_list("pk", "question_revision_id"))
    keys = keys_in_force({revision_id for _, revision_id in ids})
    fallback = fallback_reader_of(run)
    for start in range(0, len(ids), ITEMS_AT_ONCE):
        chosen = [pk for pk, _ in ids[start : start + ITEMS_AT_ONCE]]
        rows = Item.objects.filter(pk__in=chosen).only(*_NEEDED).order_by("pk")
        yield [_reread(item, keys[item.question_revision_id], reader, fallback, run=run) for item in rows]


def _reread(item: Item, key: KeyInForce, reader: str, fallback: str, *, run: Run) -> Reread:
    reading = None
    if reads_again(reader):
        reading = read_answer(
            text=item.completion,
            asked=asked_of_item(item, key, frozen=run.frozen),
            finish_reason=item.finish_reason,
            reader=reader,
        )
    return Reread(item, reading, key, fallback if reads_again(reader) else "")
