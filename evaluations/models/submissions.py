"""Completions that a contributor made elsewhere: who may send them, and what waits for a maintainer's review."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from corpus.models import QuestionRevision, QuestionSet, QuestionSetRevision
from evaluations.models.runs import Run
from evaluations.models.systems import System


class ContributorToken(models.Model):
    """The right to fetch the prompts of one set and to send completions of one system; only a hash is kept."""

    name = models.CharField(max_length=200, help_text="Who has it, for example a group and a person.")
    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="contributor_tokens")
    question_set = models.ForeignKey(QuestionSet, on_delete=models.CASCADE, related_name="contributor_tokens")
    prompt_style = models.CharField(max_length=64)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.name


class Submission(models.Model):
    """Completions sent together. They count nowhere until a maintainer accepts them, which makes a run of them."""

    class Status(models.TextChoices):
        WAITING = "waiting", "waiting for review"
        ACCEPTED = "accepted", "accepted"
        REJECTED = "rejected", "rejected"

    token = models.ForeignKey(
        ContributorToken, null=True, blank=True, on_delete=models.SET_NULL, related_name="submissions"
    )
    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="submissions")
    set_revision = models.ForeignKey(QuestionSetRevision, on_delete=models.PROTECT, related_name="submissions")
    prompt_style = models.CharField(max_length=64)
    facts = models.JSONField(default=dict, blank=True, help_text="What the contributor states, such as parameters.")
    frozen = models.JSONField(
        default=dict, blank=True, help_text="System, set, prompts and prices as they were when it was received."
    )
    content_hash = models.CharField(max_length=64, help_text="Of the completions; the same file is taken once.")
    status = models.CharField(max_length=10, choices=Status, default=Status.WAITING, db_index=True)
    received_at = models.DateTimeField(auto_now_add=True)
    reviewed_at = models.DateTimeField(null=True, blank=True)
    reviewed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    review_reason = models.CharField(max_length=500, blank=True)
    run = models.OneToOneField(Run, null=True, blank=True, on_delete=models.SET_NULL, related_name="submission")

    class Meta:
        ordering = ["-received_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["system", "set_revision", "content_hash"],
                condition=~Q(status="rejected"),
                name="submission_once",
                violation_error_message="These completions have been sent already.",
            )
        ]

    def __str__(self) -> str:
        return f"submission {self.pk}"


class SubmittedCompletion(models.Model):
    """One reply of a submission, as it was sent."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="completions")
    question_revision = models.ForeignKey(QuestionRevision, on_delete=models.PROTECT, related_name="+")
    repeat = models.PositiveSmallIntegerField(default=0)
    completion = models.TextField(blank=True)
    facts = models.JSONField(default=dict, blank=True, help_text="Finish reason, tokens, seconds, tools, as stated.")

    class Meta:
        ordering = ["submission", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "question_revision", "repeat"], name="submitted_completion_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.submission_id} {self.question_revision_id}"
