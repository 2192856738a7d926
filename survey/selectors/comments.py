"""What people said about a question, for whoever keeps the bank."""

from corpus.selectors.later_keys import keys_in_force
from survey.models import Assignment, QuestionComment, Study


def question_comments(*, question_id: int) -> list[QuestionComment]:
    """Return the comments on every revision of a question, open ones first, then the newest. One query."""
    comments = QuestionComment.objects.filter(question_revision__question=question_id)
    rows = comments.select_related("question_revision", "participant__study", "resolved_by").order_by("-created_at")
    return sorted(rows, key=lambda comment: comment.resolved_at is not None)


def studies_answering(*, question_id: int) -> list[tuple[Study, int]]:
    """Return the studies in which a question was answered, each with the root it has in the study's item analysis.

    A study comes twice where it asked two revisions that are not comparable. Few queries.
    """
    asked = Assignment.objects.filter(question_revision__question=question_id, response__isnull=False)
    rows = asked.order_by("participant__study__title").values_list("participant__study", "question_revision").distinct()
    pairs = list(rows)
    keys = keys_in_force({revision_id for _, revision_id in pairs})
    studies = Study.objects.in_bulk({study_id for study_id, _ in pairs})
    found = dict.fromkeys((study_id, keys[revision_id].root_id) for study_id, revision_id in pairs)
    return [(studies[study_id], root_id) for study_id, root_id in found]
