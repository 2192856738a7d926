"""What people say about a question, for whoever keeps the bank."""

from django.conf import settings
from django.db import models

from corpus.models import QuestionRevision
from survey.models.people import Participant


class QuestionComment(models.Model):
    """A remark on a question, or a report of a mistake in it. The author goes when they withdraw; the remark stays."""

    class Kind(models.TextChoices):
        COMMENT = "comment", "comment"
        ERROR = "error", "mistake in the question"

    question_revision = models.ForeignKey(QuestionRevision, on_delete=models.PROTECT, related_name="comments")
    participant = models.ForeignKey(
        Participant, null=True, blank=True, on_delete=models.SET_NULL, related_name="comments"
    )
    kind = models.CharField(max_length=8, choices=Kind)
    text = models.TextField()
    created_at = models.DateTimeField()
    resolution = models.TextField(blank=True, help_text="What was done about it.")
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} on {self.question_revision_id}"
