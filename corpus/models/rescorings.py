"""A rescoring that waits for a decision: what stored answers would be under a rule, a reader, or a corrected key.

Abstract, like the answers themselves: the concrete tables stand beside the answers, so that an answer that is removed
takes its rows here along.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q

from corpus.models.answers import OUTCOMES
from corpus.models.questions import Benchmark, QuestionRevision


class AbstractRescoring(models.Model):
    """Answers of one run or study read and judged again, proposed until somebody accepts or discards it."""

    class Status(models.TextChoices):
        PROPOSED = "proposed", "proposed"
        ACCEPTED = "accepted", "accepted"
        DISCARDED = "discarded", "discarded"

    benchmark = models.ForeignKey(Benchmark, on_delete=models.PROTECT, related_name="+")
    rule = models.CharField(max_length=64)
    reader = models.CharField(max_length=120)
    status = models.CharField(max_length=10, choices=Status, default=Status.PROPOSED, db_index=True)
    makes_current = models.BooleanField(
        help_text="The rule is the benchmark's default: accepting changes the verdicts that boards show first."
    )
    fingerprint = models.CharField(max_length=64, editable=False, help_text="Equal for equal proposals.")
    counts = models.JSONField(default=dict, help_text="Answers looked at, changed, skipped; outcomes before and after.")
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["fingerprint"], condition=Q(status="proposed"), name="%(class)s_proposed_once"
            ),
            models.CheckConstraint(
                condition=Q(status="proposed", decided_at__isnull=True)
                | (~Q(status="proposed") & Q(decided_at__isnull=False)),
                name="%(class)s_decided_has_time",
            ),
        ]


class AbstractRescored(models.Model):
    """One answer of a rescoring: its verdict before and after. Scores are added from it when it is accepted."""

    class Role(models.TextChoices):
        CURRENT = "current", "the answer's verdict"
        STRICT = "strict", "kept beside the fallback's reading"
        MACHINE = "machine", "differs from a person's correction; needs a decision"

    class Change(models.TextChoices):
        NONE = "", "none"
        READING = "reading", "read differently, same verdict"
        VERDICT = "verdict", "another verdict"

    class Decision(models.TextChoices):
        NONE = "", "as the rescoring as a whole"
        KEPT = "kept", "the person's correction was kept"
        REPLACED = "replaced", "the person's correction was replaced"
        STALE = "stale", "left alone: the answer had changed meanwhile"

    role = models.CharField(max_length=8, choices=Role, default=Role.CURRENT)
    change = models.CharField(max_length=8, choices=Change, blank=True, db_index=True)
    old_outcome = models.CharField(max_length=12, choices=OUTCOMES, blank=True)
    old_credit = models.DecimalField(max_digits=6, decimal_places=4, null=True, blank=True)
    old_rule = models.CharField(max_length=64, blank=True)
    new_outcome = models.CharField(max_length=12, choices=OUTCOMES)
    new_credit = models.DecimalField(max_digits=6, decimal_places=4)
    reason = models.CharField(max_length=300, blank=True)
    metrics = models.JSONField(default=dict, blank=True)
    key_revision = models.ForeignKey(
        QuestionRevision,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        help_text="The later revision whose key was used; empty: the one that was asked.",
    )
    decision = models.CharField(max_length=8, choices=Decision, blank=True)

    class Meta:
        abstract = True
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["rescoring", "answer", "role"], name="%(class)s_once_per_role"),
        ]
