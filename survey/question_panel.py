"""What the survey knows of a question, for its page in the admin."""

from typing import Any

from corpus.models import Question
from corpus.question_panels import QuestionPanel
from survey.selectors.comments import question_comments, studies_answering


def comments_panel(question: Question, viewer: Any) -> QuestionPanel | None:
    """Return what people said about a question, and where its answers are analysed; None for who may not see it."""
    if not viewer.has_perm("survey.view_questioncomment"):
        return None
    comments = question_comments(question_id=question.pk)
    n_open = sum(comment.resolved_at is None for comment in comments)
    context = {"comments": comments, "studies": studies_answering(question_id=question.pk)}
    return QuestionPanel(f"What people said about it ({n_open} open)", "survey/admin/question_panel.html", context)
