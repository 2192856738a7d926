"""Make a study, open it, close it."""

from collections.abc import Collection, Sequence
from typing import NamedTuple
from uuid import uuid4

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.db.models import Max, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from corpus.models import Grouping, QuestionSetRevision
from corpus.services.results import action_log
from survey.errors import StudyNotReadyError
from survey.inclusion_rules import RULE_FIELDS, rule_of
from survey.models import ConsentText, Study, StudyBlock
from survey.selectors.studies import study_problems
from survey.services.holding import done_again
from survey.services.inclusion import (
    InclusionChange,
    inclusion_rule_set,
    joining_hold,
    people_join,
    study_results_changed,
)

# `/survey/resume/<secret>/` is the address of personal links; `privacy` and `reminders` have pages of their own.
RESERVED_SLUGS = frozenset({"resume", "privacy", "reminders"})
# What a small integer column of PostgreSQL holds.
_LAST_PLACE = 32_767


class BlockPlan(NamedTuple):
    """A block to be made; blocks are numbered in the order given. Everybody gets all questions, or so many of them."""

    slug: str
    title: str
    rules: str
    tools_allowed: bool
    set_revision: QuestionSetRevision
    questions_per_person: int | None = None


def study_create(
    *,
    slug: str,
    title: str,
    consent_text: str,
    blocks: Sequence[BlockPlan],
    introduction: str = "",
    block_order: str = Study.BlockOrder.AS_LISTED,
    asks_confidence: bool = False,
    offers_do_not_know: bool = False,
    balance_grouping: Grouping | None = None,
    attention_set: QuestionSetRevision | None = None,
    attention_every: int | None = None,
    contact: str = "",
    is_demo: bool = False,
) -> Study:
    """Return a new draft study with its first consent text and its blocks.

    Raises ValidationError for a field that cannot be, and StudyNotReadyError for a reserved slug.
    """
    if slug in RESERVED_SLUGS:
        raise StudyNotReadyError(f"A study cannot be called {slug!r}: the survey has pages of its own at that address.")
    study = Study(
        slug=slug,
        title=title,
        introduction=introduction,
        block_order=block_order,
        asks_confidence=asks_confidence,
        offers_do_not_know=offers_do_not_know,
        balance_grouping=balance_grouping,
        attention_set=attention_set,
        attention_every=attention_every,
        contact=contact,
        is_demo=is_demo,
    )
    study.full_clean()
    with transaction.atomic():
        study.save()
        consent_text_add(study=study, text=consent_text)
        for position, plan in enumerate(blocks, start=1):
            StudyBlock.objects.create(study=study, position=position, **plan._asdict())
    return study


def consent_text_add(*, study: Study, text: str) -> ConsentText:
    """Add the next version of the consent text; earlier versions stay as they were."""
    with transaction.atomic():
        last = study.consent_texts.aggregate(last=Max("version"))["last"] or 0
        return ConsentText.objects.create(study=study, version=last + 1, text=text)


def study_edit(
    *, study: Study, changed: Collection[str], actor: AbstractBaseUser | None = None
) -> InclusionChange | None:
    """Store the fields of a study that were changed and no others: it may have been closed since its row was read.

    Names that are none of its fields are passed over. The rule by which people count goes by `inclusion_rule_set`, so
    that boards follow; then return whom it moved. Where parts are changed as well, in the same transaction, call
    `study_results_changed` after them.
    """
    fields = set(changed) & {field.name for field in Study._meta.concrete_fields}
    rule = rule_of(study)
    with transaction.atomic():
        # People are held before the study's row, as everywhere.
        joining_hold(study_id=study.pk)
        study.save(update_fields=fields - set(RULE_FIELDS))
        if fields & set(RULE_FIELDS):
            return inclusion_rule_set(study=study, rule=rule, actor=actor)
    return None


def parts_make_room(*, study_id: int, part_ids: Sequence[int], wanted: Collection[int]) -> None:
    """Give parts places and slugs that nothing has or wants, before they are saved with new ones.

    Two may exchange theirs, or one take what another gives up. `wanted` are the places they are saved at.
    """
    blocks = StudyBlock.objects.filter(study=study_id)
    taken = {*blocks.values_list("position", flat=True), *wanted}
    free = (place for place in range(_LAST_PLACE, -1, -1) if place not in taken)
    for part_id, place in zip(part_ids, free, strict=False):
        blocks.filter(pk=part_id).update(position=place, slug=f"moving-{uuid4().hex}")


def study_open(*, study: Study, actor: AbstractBaseUser | None = None) -> None:
    """Let people take part. Raises StudyNotReadyError with everything that is missing."""
    problems = study_problems(study)
    if problems:
        raise StudyNotReadyError(" ".join(problems))
    _set_status(study, Study.Status.OPEN, "study.opened", actor)


def study_close(*, study: Study, actor: AbstractBaseUser | None = None) -> None:
    """Take no more answers; everything stored stays. From now on the study's retention counts.

    Whoever still waits for a group joins public results, which follow the study's own rule from now on.
    """
    _set_status(study, Study.Status.CLOSED, "study.closed", actor)


@done_again
def _set_status(study: Study, status: Study.Status, code: str, actor: AbstractBaseUser | None) -> None:
    with transaction.atomic():
        # People are held before the study's row; and whoever counts in a closed study goes on when it is opened.
        people_join(study_id=study.pk)
        # By what is stored, not by the object in hand: of two who close, the first says when.
        closed_at = Coalesce("closed_at", Value(timezone.now())) if status == Study.Status.CLOSED else None
        Study.objects.filter(pk=study.pk).update(status=status, closed_at=closed_at)
        action_log(code=code, target=study, actor=actor)
        study_results_changed(study_id=study.pk)
    study.refresh_from_db(fields=["status", "closed_at"])
