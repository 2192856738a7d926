"""Draw a person's questions once, begin their blocks, note when a question was first shown."""

import random
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from corpus.models import Option
from survey.drawing.orders import attention_places_draw, option_order_draw
from survey.drawing.shares import shares_draw
from survey.errors import NotYourTurnError, StudyNotReadyError, WithdrawnError
from survey.models import Assignment, BlockVisit, Participant, Study, StudyBlock
from survey.selectors.balance import SetQuestion, block_coverage, block_topics, set_questions
from survey.services.holding import WITHDRAWN, refuse_withdrawn


class Place(NamedTuple):
    """A question in somebody's order."""

    block: StudyBlock
    revision_id: int
    is_attention_check: bool = False


def assignments_draw(
    *, participant: Participant, generator: random.Random | None = None, now: datetime | None = None
) -> int:
    """Give a person their questions in an order of their own; return how many they have, attention checks included.

    Drawn once: a second call, even at the same moment, changes nothing. A question that is in two blocks, in whatever
    revision, is given in the first of them. Where a block gives everybody a share, people who draw at the same moment
    draw one after the other. Raises StudyNotReadyError when the study has no questions.
    """
    existing = participant.assignments.count()
    if existing:
        return existing
    try:
        with transaction.atomic():
            # The operating system's generator: nobody can work out another person's order.
            return _draw_and_store(participant, generator or random.SystemRandom(), now or timezone.now())
    except IntegrityError:
        drawn_by_another_request = participant.assignments.count()
        if not drawn_by_another_request:
            raise
        return drawn_by_another_request


def _draw_and_store(participant: Participant, generator: random.Random, now: datetime) -> int:
    blocks = list(participant.study.blocks.all())
    if any(block.questions_per_person for block in blocks):
        _draws_serialise(participant.study)
        existing = participant.assignments.count()
        if existing:
            return existing
    places = _places_draw(participant.study, _blocks_in_order(participant.study, blocks, generator), generator, now)
    if not places:
        raise StudyNotReadyError("This study has no questions yet.")
    options = _options_of([place.revision_id for place in places])
    Assignment.objects.bulk_create(
        Assignment(
            participant=participant,
            block=place.block,
            question_revision_id=place.revision_id,
            position=position,
            option_order=option_order_draw(options.get(place.revision_id, []), generator),
            is_attention_check=place.is_attention_check,
        )
        for position, place in enumerate(places, start=1)
    )
    return len(places)


def _draws_serialise(study: Study) -> None:
    """Hold the study's row until the transaction ends: the next draw waits, and then sees what this one gave."""
    Study.objects.filter(pk=study.pk).update(n_draws=F("n_draws") + 1)


def _blocks_in_order(study: Study, blocks: list[StudyBlock], generator: random.Random) -> list[StudyBlock]:
    match study.block_order:
        case Study.BlockOrder.RANDOM:
            return generator.sample(blocks, len(blocks))
        case Study.BlockOrder.NO_TOOLS_FIRST:
            return sorted(blocks, key=lambda block: block.tools_allowed)
        case Study.BlockOrder.TOOLS_FIRST:
            return sorted(blocks, key=lambda block: not block.tools_allowed)
        case _:
            return blocks


def _places_draw(study: Study, blocks: Sequence[StudyBlock], generator: random.Random, now: datetime) -> list[Place]:
    places: list[Place] = []
    given: set[int] = set()
    for block in blocks:
        questions = set_questions(block.set_revision_id)
        if block.questions_per_person:
            questions = _share_draw(block, questions, given, generator, now)
        questions = [question for question in questions if question.question_id not in given]
        given.update(question.question_id for question in questions)
        generator.shuffle(questions)
        places += [Place(block, question.revision_id) for question in questions]
    return _with_attention_checks(study, places, given, generator)


def _share_draw(
    block: StudyBlock, questions: Sequence[SetQuestion], given: set[int], generator: random.Random, now: datetime
) -> list[SetQuestion]:
    """Return a person's share of a block, of the questions not yet given to them."""
    if not questions or block.questions_per_person is None:
        return []
    topics = block_topics(block, block.study.balance_grouping)
    coverage = block_coverage(block, now=now)
    names = sorted(set(topics.values()))
    chosen = shares_draw(
        counts=np.array([[coverage[question.root_id] for question in questions]]),
        topic_of=np.array([names.index(topics[question.root_id]) for question in questions]),
        size=block.questions_per_person,
        keys=np.array([[generator.random() for _ in questions]]),
        available=np.array([[question.question_id not in given for question in questions]]),
    )
    return [question for question, is_chosen in zip(questions, chosen[0], strict=True) if is_chosen]


def _with_attention_checks(
    study: Study, places: Sequence[Place], given: set[int], generator: random.Random
) -> list[Place]:
    """Return the places with an easy question after every so many, as far as there are enough of them."""
    if not study.attention_every or study.attention_set_id is None:
        return list(places)
    checks = [question for question in set_questions(study.attention_set_id) if question.question_id not in given]
    generator.shuffle(checks)
    after = attention_places_draw(n_questions=len(places), every=study.attention_every, generator=generator)
    check_after = dict(zip(after, checks, strict=False))
    mixed = []
    for number, place in enumerate(places, start=1):
        mixed.append(place)
        if number in check_after:
            mixed.append(Place(place.block, check_after[number].revision_id, is_attention_check=True))
    return mixed


def _options_of(revision_ids: Sequence[int]) -> dict[int, list[tuple[str, str]]]:
    """Return (key, text) of every option by question revision. One query."""
    options: dict[int, list[tuple[str, str]]] = {}
    rows = Option.objects.filter(revision__in=revision_ids).order_by("revision", "position")
    for revision_id, key, text in rows.values_list("revision_id", "option_key", "text"):
        options.setdefault(revision_id, []).append((key, text))
    return options


def block_begin(*, participant: Participant, block_id: int, now: datetime | None = None) -> BlockVisit:
    """Note that the rules of a block were read and accepted; again returns the first note.

    Raises WithdrawnError, or NotYourTurnError when another block comes first.
    """
    with transaction.atomic():
        refuse_withdrawn(participant)
        return _block_begin(participant, block_id, now or timezone.now())


def _block_begin(participant: Participant, block_id: int, now: datetime) -> BlockVisit:
    visit = BlockVisit.objects.filter(participant=participant, block_id=block_id).first()
    if visit:
        return visit
    # What comes next is read from answers alone, so that a double click cannot find the block begun half way.
    waiting = participant.assignments.filter(response__isnull=True).order_by("position").first()
    if waiting is None or waiting.block_id != block_id:
        raise NotYourTurnError("This part of the study does not come next.")
    return BlockVisit.objects.create(participant=participant, block_id=block_id, rules_accepted_at=now)


def assignment_serve(*, assignment: Assignment, now: datetime | None = None) -> None:
    """Note when a question was first shown, by the server's clock; showing it again changes nothing.

    Raises WithdrawnError where the question went with a withdrawal at the same moment.
    """
    if assignment.served_at is None:
        Assignment.objects.filter(pk=assignment.pk, served_at__isnull=True).update(served_at=now or timezone.now())
        try:
            assignment.refresh_from_db(fields=["served_at"])
        except Assignment.DoesNotExist:
            raise WithdrawnError(WITHDRAWN) from None
