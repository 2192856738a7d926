"""What the pages of single questions read of the bank: words and labels, never a key."""

from collections import defaultdict
from collections.abc import Collection

from django.db.models import Q

from corpus.models import Label, QuestionRevision, QuestionSetMember


def questions_with(*, set_revision_id: int | None, text: str) -> set[int]:
    """Return the questions of a set revision in whose stem, options or key this text occurs, in any case.

    Only what readers see is looked through: a search in the target would tell it.
    """
    wanted = Q(question_revision__stem__icontains=text) | Q(question_revision__options__text__icontains=text)
    wanted |= Q(question_revision__question__key__icontains=text)
    members = QuestionSetMember.objects.filter(wanted, set_revision=set_revision_id)
    return set(members.values_list("question_revision__question_id", flat=True))


def stems_of(*, set_revision_id: int | None, question_ids: Collection[int]) -> dict[int, str]:
    """Return the stems of these questions as the set revision has them, by question."""
    members = QuestionSetMember.objects.filter(
        set_revision=set_revision_id, question_revision__question__in=question_ids
    )
    return dict(members.values_list("question_revision__question_id", "question_revision__stem"))


def member_revision(*, set_revision_id: int | None, question_id: int) -> QuestionRevision:
    """Return the revision of a question that a set revision has, with question and options."""
    member = (
        QuestionSetMember.objects.filter(set_revision=set_revision_id, question_revision__question=question_id)
        .select_related("question_revision__question")
        .defer("question_revision__original")
        .prefetch_related("question_revision__options")
        .get()
    )
    return member.question_revision


def labels_by_question(
    *, question_ids: Collection[int], groupings: Collection[str]
) -> dict[tuple[int, str], tuple[str, ...]]:
    """Return the names of the labels of these questions by question and slug of the grouping."""
    rows = (
        Label.questions.through._default_manager.filter(question__in=question_ids, label__grouping__slug__in=groupings)
        .order_by("label__name")
        .values_list("question_id", "label__grouping__slug", "label__name")
    )
    names: dict[tuple[int, str], list[str]] = defaultdict(list)
    for question_id, grouping, name in rows:
        names[question_id, grouping].append(name)
    return {key: tuple(found) for key, found in names.items()}
