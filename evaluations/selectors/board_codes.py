"""The verdicts of a board's runs as numbers, in pieces: as many as there are, in little memory."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any
from uuid import UUID

from django.db.models import BigAutoField, Case, F, FilteredRelation, Q, QuerySet, Value, When

from corpus.scoring.types import Outcome
from evaluations.models import Item
from evaluations.selectors.board import ROOT, SCORES_IN_ORDER, BoardRun, Chosen, chosen_runs
from evaluations.selectors.fallback import resting_on_fallback

_PIECE = 50_000
# Of a number with this field Django takes what the database gives; any other it converts again, one row at a time.
_NUMBER = BigAutoField()

# A system, the root of a question, a repeat, and the code of the outcome.
Code = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class BoardCodes:
    """The chosen run of every system, by name, and the codes of its items; of two on one place the later counts."""

    runs: tuple[BoardRun, ...]
    pieces: Iterator[list[Code]]


def board_codes(
    *,
    root_ids: Collection[int],
    rule: str,
    codes: Mapping[str, int],
    system_ids: Collection[int] | None = None,
    with_fallback: bool = True,
) -> BoardCodes:
    """Return what `board_items` says of all systems (or of `system_ids`), hidden ones too, each outcome by its code.

    A failed item has the code of `error`; items without a verdict are left out. What is said of a system depends on
    its own items only.
    """
    chosen = chosen_runs(root_ids=root_ids, rule=rule, system_ids=system_ids, with_hidden=True)
    as_they_are = [run.run_id for run in chosen.runs if run.run_id not in chosen.needing_scores]
    pieces = [
        _in_pieces(_of_rows(chosen, as_they_are, codes)),
        _in_pieces(_of_scores(chosen, chosen.needing_scores, codes)),
    ]
    if not with_fallback:
        pieces.append(_in_pieces(_of_fallback(chosen, codes)))
    return BoardCodes(chosen.runs, chain.from_iterable(pieces))


def _in_pieces(items: QuerySet[Any]) -> Iterator[list[Code]]:
    rows = items.values_list("run__system_id", "root_id", "repeat", "code").iterator(chunk_size=_PIECE)
    while piece := list(islice(rows, _PIECE)):
        yield piece


def _of_rows(chosen: Chosen, run_ids: Collection[UUID], codes: Mapping[str, int]) -> QuerySet[Item]:
    """Return the items of runs that were judged by the rule on their rows."""
    code = Case(_failed(codes), *_each_outcome(codes, "outcome"), output_field=_NUMBER)
    items = chosen.items.filter(run_id__in=run_ids).annotate(root_id=ROOT, code=code)
    return items.filter(code__isnull=False).order_by()


def _of_scores(chosen: Chosen, run_ids: Collection[UUID], codes: Mapping[str, int]) -> QuerySet[Item]:
    """Return the items of runs whose scores have to be looked at: once for each score, the one that counts last."""
    # A score by a key that is no longer the answer's says nothing.
    by_same_key = Q(score__key_revision_id=F("key_revision_id")) | Q(
        score__key_revision_id__isnull=True, key_revision_id__isnull=True
    )
    code = Case(
        _failed(codes),
        When(rule=chosen.rule, then=Case(*_each_outcome(codes, "outcome"), output_field=_NUMBER)),
        When(by_same_key, then=Case(*_each_outcome(codes, "score__outcome"), output_field=_NUMBER)),
        output_field=_NUMBER,
    )
    items = chosen.items.filter(run_id__in=run_ids).annotate(
        root_id=ROOT, score=FilteredRelation("scores", condition=Q(scores__rule=chosen.rule))
    )
    return items.annotate(code=code).filter(code__isnull=False).order_by(*SCORES_IN_ORDER)


def _of_fallback(chosen: Chosen, codes: Mapping[str, int]) -> QuerySet[Item]:
    """Return the items that rest on a fallback's reading, as unparsed."""
    unparsed = Value(codes[Outcome.UNPARSED.value], output_field=_NUMBER)
    items = chosen.items.filter(run_id__in=[run.run_id for run in chosen.runs]).exclude(status=Item.Status.FAILED)
    return resting_on_fallback(items).annotate(root_id=ROOT, code=unparsed)


def _failed(codes: Mapping[str, int]) -> When:
    """Return the case of a question that could not be asked: our failure, whatever an earlier attempt left there."""
    return When(status=Item.Status.FAILED, then=Value(codes[Outcome.ERROR.value]))


def _each_outcome(codes: Mapping[str, int], field: str) -> list[When]:
    return [When(Q(**{field: outcome}), then=Value(code)) for outcome, code in codes.items()]
