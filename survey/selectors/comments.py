"""What people said about a question, for whoever keeps the bank."""

from collections.abc import Collection

from django.db.models import Count, Q, QuerySet

from survey.models import QuestionComment


def question_comments(*, question_id: int) -> list[QuestionComment]:
    """Return the comments on every revision of a question, open ones first, then the newest. One query."""
    comments = QuestionComment.objects.filter(question_revision__question=question_id)
    rows = comments.select_related("question_revision", "participant__study", "resolved_by").order_by("-created_at")
    return sorted(rows, key=lambda comment: comment.resolved_at is not None)


def open_comment_counts(question_ids: Collection[int]) -> dict[int, int]:
    """Return how many comments nobody has resolved there are on each of these questions. One query."""
    rows: QuerySet[QuestionComment, dict[str, int]] = (
        QuestionComment.objects.filter(question_revision__question__in=question_ids)
        .order_by()
        .values("question_revision__question_id")
        .annotate(n_open=Count("pk", filter=Q(resolved_at__isnull=True)))
    )
    return {row["question_revision__question_id"]: row["n_open"] for row in rows if row["n_open"]}
