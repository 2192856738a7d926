"""How sure systems are of their answers: what they say of them, and the probability their tokens had."""

from collections.abc import Collection
from typing import NamedTuple
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q

from corpus.scoring.types import ReadStatus
from evaluations.models import AskedApart, Item, ItemConfidence, Run
from evaluations.selectors.board import ROOT
from evaluations.token_probabilities import span_probability


class StatedLevel(NamedTuple):
    """The level a system stated of one answer; None where its reply states none."""

    run_id: UUID
    root_id: int
    repeat: int
    level: int | None


class AnswerProbability(NamedTuple):
    """The probability of the words an answer was read from, given all before them."""

    run_id: UUID
    root_id: int
    repeat: int
    probability: float


def stated_levels(*, run_ids: Collection[UUID | str]) -> list[StatedLevel]:
    """Return what was stated of the answers of these runs. One query."""
    rows = (
        Item.objects.filter(run_id__in=run_ids, stated_confidence__error_code="")
        .order_by()
        .annotate(root_id=ROOT, stated_level=F("stated_confidence__level"))
        .values_list("run_id", "root_id", "repeat", "stated_level")
    )
    return [StatedLevel(*row) for row in rows]


def runs_with_levels(*, run_ids: Collection[UUID | str]) -> set[str]:
    """Return those of the runs of whose answers anything is stated. One query."""
    stated = ItemConfidence.objects.filter(item__run=OuterRef("pk"), level__isnull=False)
    return {str(pk) for pk in Run.objects.filter(Exists(stated), pk__in=run_ids).values_list("pk", flat=True)}


def runs_being_asked(*, run_ids: Collection[UUID | str]) -> set[str]:
    """Return those of the runs that are still to be asked how sure they are of some answer. One query."""
    left = Item.objects.filter(
        Q(stated_confidence=None) | Q(stated_confidence__error_code__in=AskedApart.OPEN),
        run=OuterRef("pk"),
        status=Item.Status.ANSWERED,
        completion__regex=r"\S",
    )
    rows = Run.objects.filter(Exists(left), pk__in=run_ids, asks_confidence=True)
    return {str(pk) for pk in rows.values_list("pk", flat=True)}


def answer_probabilities(*, run_ids: Collection[UUID | str]) -> list[AnswerProbability]:
    """Return the probabilities of answers whose endpoint gave log-probabilities and whose place in the reply is known.

    Of several readings of an answer the newest counts. One query.
    """
    rows = (
        Item.objects.filter(
            run_id__in=run_ids,
            log_probabilities__isnull=False,
            readings__status=ReadStatus.READ.value,
            readings__span_start__isnull=False,
            readings__span_end__isnull=False,
        )
        .annotate(root_id=ROOT)
        .order_by("readings__pk")
        .values_list(
            "run_id",
            "root_id",
            "repeat",
            "log_probabilities",
            "completion",
            "readings__span_start",
            "readings__span_end",
        )
    )
    found: dict[tuple[UUID, int, int], float | None] = {}
    for run_id, root_id, repeat, tokens, text, start, end in rows.iterator(chunk_size=500):
        if isinstance(tokens, list) and start is not None and end is not None:
            found[run_id, root_id, repeat] = span_probability(tokens, text, start, end)
    return [AnswerProbability(*place, value) for place, value in found.items() if value is not None]
