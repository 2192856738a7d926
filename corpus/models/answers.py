"""What every answer has in common, a person's or a model's: readings, scores, the current verdict.

Raw answers are never edited. A reading says what was said, a score says whether it is right under one rule;
both are only ever added. The verdict under the benchmark's default rule is kept on the answer row as well, so
that a matrix is one scan.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q

from corpus.models.questions import QuestionRevision
from corpus.scoring.types import Outcome, ReadStatus

OUTCOMES = [(outcome.value, outcome.value.replace("_", " ")) for outcome in Outcome]
READ_STATUSES = [(status.value, status.value.replace("_", " ")) for status in ReadStatus]


class AbstractAnswer(models.Model):
    """The current verdict of an answer under the benchmark's default rule; empty while not yet judged."""

    outcome = models.CharField(max_length=12, choices=OUTCOMES, blank=True, db_index=True)
    credit = models.DecimalField(max_digits=6, decimal_places=4, null=True, blank=True)
    rule = models.CharField(max_length=64, blank=True)
    key_revision = models.ForeignKey(
        QuestionRevision,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="The later revision whose key the current verdict was made with; empty: the one that was asked.",
    )

    class Meta:
        abstract = True


class AbstractReading(models.Model):
    """What was read out of an answer, where, and by which reader (or person)."""

    reader = models.CharField(max_length=120)
    status = models.CharField(max_length=12, choices=READ_STATUSES)
    option_keys = models.JSONField(default=list, blank=True)
    number = models.TextField(blank=True, help_text="Decimal as text, all digits kept.")
    unit = models.CharField(max_length=60, blank=True)
    span_start = models.PositiveIntegerField(null=True, blank=True)
    span_end = models.PositiveIntegerField(null=True, blank=True)
    notes = models.JSONField(default=list, blank=True)
    reason = models.TextField(blank=True)
    corrected_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True
        constraints = [
            models.UniqueConstraint(
                fields=["answer", "reader"],
                condition=Q(corrected_by__isnull=True),
                name="%(class)s_once_per_reader",
            ),
        ]


class AbstractScore(models.Model):
    """The verdict on one reading under one rule and version."""

    rule = models.CharField(max_length=64)
    outcome = models.CharField(max_length=12, choices=OUTCOMES)
    credit = models.DecimalField(max_digits=6, decimal_places=4)
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
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True
        constraints = [
            models.UniqueConstraint(
                fields=["answer", "reading", "rule"],
                condition=Q(key_revision__isnull=True),
                name="%(class)s_once_per_rule",
            ),
            models.UniqueConstraint(
                fields=["answer", "reading", "rule", "key_revision"],
                condition=Q(key_revision__isnull=False),
                name="%(class)s_once_per_rule_and_key",
            ),
        ]
