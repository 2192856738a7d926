"""Draw a person's questions once, begin their blocks, note when a question was first shown."""

import random
import re
from collections.abc import Sequence
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils import timezone

from corpus.models import QuestionRevision
from survey.errors import NotYourTurnError, StudyNotReadyError
from survey.models import Assignment, BlockVisit, Participant, Study, StudyBlock

# Options that speak of the others read oddly anywhere but at the end, whether they are right or not.
LAST_OPTION = re.compile(r"\s*(none|all|any) of (the|these)\b.*|\s*none\s*\.?\s*", re.IGNORECASE | re.DOTALL)


def assignments_draw(*, participant: Participant, generator: random.Random | None = None) -> int:
    """Give a person their questions in an order of their own; return how many they have.

    Drawn once: a second call, even at the same moment, changes nothing. A question that is in two blocks is given
    in the first of them. Raises StudyNotReadyError when the study has no questions.
    """
    existing = participant.assignments.count()
    if existing:
        return existing
    # The operating system's generator: nobody can work out another person's order.
    drawn = _draw(participant, generator or random.SystemRandom())
    if not drawn:
        raise StudyNotReadyError("This study has no questions yet.")
    try:
        with transaction.atomic():
            Assignment.objects.bulk_create(drawn)
    except IntegrityError:
        drawn_by_another_request = participant.assignments.count()
        if not drawn_by_another_request:
            raise
        return drawn_by_another_request
    return len(drawn)


def _draw(participant: Participant, generator: random.Random) -> list[Assignment]:
    study = participant.study
    blocks = list(study.blocks.all())
    if study.block_order == Study.BlockOrder.RANDOM:
        generator.shuffle(blocks)
    drawn: list[Assignment] = []
    given: set[int] = set()
    for block in blocks:
        revisions = [revision for revision in _members(block) if revision.root_id not in given]
        given.update(revision.root_id for revision in revisions)
        generator.shuffle(revisions)
        for revision in revisions:
            options = [(option.option_key, option.text) for option in revision.options.all()]
            assignment = Assignment(
                participant=participant,
                block=block,
                question_revision=revision,
                position=len(drawn) + 1,
                option_order=option_order_draw(options, generator),
            )
            drawn.append(assignment)
    return drawn


def _members(block: StudyBlock) -> list[QuestionRevision]:
    members = block.set_revision.members.select_related("question_revision")
    return [member.question_revision for member in members.prefetch_related("question_revision__options")]


def option_order_draw(options: Sequence[tuple[str, str]], generator: random.Random) -> list[str]:
    """Return the option keys of (key, text) pairs, shuffled; "none of the above" stays last."""
    shuffled = sorted(options)
    generator.shuffle(shuffled)
    shuffled.sort(key=lambda option: LAST_OPTION.fullmatch(option[1]) is not None)
    return [key for key, _ in shuffled]


def block_begin(*, participant: Participant, block_id: int, now: datetime | None = None) -> BlockVisit:
    """Note that the rules of a block were read and accepted; again returns the first note.

    Raises NotYourTurnError when another block comes first.
    """
    visit = BlockVisit.objects.filter(participant=participant, block_id=block_id).first()
    if visit:
        return visit
    # What comes next is read from answers alone, so that a double click cannot find the block begun half way.
    waiting = participant.assignments.filter(response__isnull=True).order_by("position").first()
    if participant.withdrawn_at or waiting is None or waiting.block_id != block_id:
        raise NotYourTurnError("This part of the study does not come next.")
    visit, _ = BlockVisit.objects.get_or_create(
        participant=participant, block_id=block_id, defaults={"rules_accepted_at": now or timezone.now()}
    )
    return visit


def assignment_serve(*, assignment: Assignment, now: datetime | None = None) -> None:
    """Note when a question was first shown, by the server's clock; showing it again changes nothing."""
    if assignment.served_at is None:
        Assignment.objects.filter(pk=assignment.pk, served_at__isnull=True).update(served_at=now or timezone.now())
        assignment.refresh_from_db(fields=["served_at"])
