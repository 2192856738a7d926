"""Question sets and their members."""

from collections import defaultdict

from django.db.models import Prefetch

from corpus.models import Label, Option, QuestionRevision, QuestionSet, QuestionSetMember


def set_by_slug(slug: str) -> QuestionSet:
    """Return the set with its benchmark and current revision loaded; raise `QuestionSet.DoesNotExist`."""
    return QuestionSet.objects.select_related("benchmark", "current_revision").get(slug=slug)


def set_members(set_revision_id: int) -> list[QuestionRevision]:
    """Return the members of a set revision in its order: questions loaded, options in the bank's order.

    The untouched original text is left out; reading it costs a query per row.
    """
    members = (
        QuestionSetMember.objects.filter(set_revision_id=set_revision_id)
        .order_by("position")
        .select_related("question_revision__question")
        .defer("question_revision__original")
        .prefetch_related(Prefetch("question_revision__options", queryset=Option.objects.order_by("position")))
    )
    return [member.question_revision for member in members]


def root_ids_of_set(set_revision_id: int) -> list[int]:
    """Return the ids under which results are matched to the members, in the set's order."""
    rows = (
        QuestionSetMember.objects.filter(set_revision_id=set_revision_id)
        .order_by("position")
        .values_list("question_revision_id", "question_revision__comparison_root_id")
    )
    return [root_id or revision_id for revision_id, root_id in rows]


def labels_of_set(set_revision_id: int, grouping_slug: str) -> dict[int, list[str]]:
    """Return {root id: names of its labels, sorted} for every member that has a label of the grouping."""
    members = QuestionSetMember.objects.filter(set_revision_id=set_revision_id).values_list(
        "question_revision__question_id", "question_revision_id", "question_revision__comparison_root_id"
    )
    root_by_question = {question_id: root or revision for question_id, revision, root in members}
    # Two plain queries: one join of labels and members takes minutes where the database has no statistics yet.
    labelled = Label.questions.through._default_manager.filter(
        label__grouping__slug=grouping_slug,
        label__grouping__benchmark__question_sets__revisions=set_revision_id,
    ).values_list("question_id", "label__name")
    names: dict[int, set[str]] = defaultdict(set)
    for question_id, name in labelled:
        if question_id in root_by_question:
            names[root_by_question[question_id]].add(name)
    return {root_id: sorted(found) for root_id, found in names.items()}
