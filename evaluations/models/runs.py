"""A system asked every question of a set revision."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from corpus.models import QuestionSetRevision
from evaluations.models.systems import System


class Run(models.Model):
    """A system asked every question of a set revision; frozen when it is made."""

    class Status(models.TextChoices):
        QUEUED = "queued", "queued"
        RUNNING = "running", "running"
        PAUSED = "paused", "paused"
        STOPPED = "stopped", "stopped"
        FINISHED = "finished", "finished"
        INCOMPLETE = "incomplete", "finished with errors"

    # A worker asks, or will: one such run of a system over a set, see the constraint.
    ACTIVE = (Status.QUEUED, Status.RUNNING)

    class Origin(models.TextChoices):
        ASKED = "asked", "asked here"
        IMPORTED = "imported", "imported"
        SUBMITTED = "submitted", "submitted"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="runs")
    set_revision = models.ForeignKey(QuestionSetRevision, on_delete=models.PROTECT, related_name="runs")
    origin = models.CharField(max_length=10, choices=Origin, default=Origin.ASKED)
    source_name = models.CharField(max_length=200, blank=True, help_text="Name of an imported run's folder.")
    status = models.CharField(max_length=12, choices=Status, default=Status.QUEUED, db_index=True)
    prompt_style = models.CharField(max_length=64, blank=True)
    parameters = models.JSONField(default=dict, blank=True)
    seed = models.BigIntegerField(default=0)
    repeats = models.PositiveSmallIntegerField(default=1)
    permutes_options = models.BooleanField(
        default=False, help_text="Show the options in another order at every repeat, drawn from the seed."
    )
    asks_confidence = models.BooleanField(
        default=False, help_text="After the answers, ask of each question how sure the system is, 1 to 5."
    )
    sweep = models.UUIDField(null=True, blank=True, db_index=True, help_text="Shared by runs queued as one sweep.")
    budget = models.DecimalField(
        max_digits=12,
        decimal_places=4,
        null=True,
        blank=True,
        help_text="In the currency of the system's prices; what it may cost before it pauses. Empty: no limit.",
    )
    frozen = models.JSONField(
        default=dict,
        blank=True,
        help_text="Provider, model id, endpoint, reader, rule, prices, code and package versions.",
    )
    learned = models.JSONField(default=dict, blank=True, help_text="As of the system, when this run used it.")
    error_code = models.CharField(max_length=40, blank=True)
    error_message = models.CharField(max_length=500, blank=True, help_text="Plain reason, without any secret.")
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    queued_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    woken_at = models.DateTimeField(
        null=True, blank=True, help_text="When a job was last made for it because it was silent."
    )
    finished_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(
        null=True, blank=True, help_text="Since when it is on no public page; its answers stay, and it can come back."
    )
    withdrawal_reason = models.CharField(max_length=500, blank=True, help_text="Readers see it.")

    class Meta:
        ordering = ["-queued_at"]
        permissions = [("withdraw_run", "Can take a run off the public pages and put it back")]
        constraints = [
            models.CheckConstraint(condition=Q(repeats__gte=1), name="run_repeats_from_one"),
            models.CheckConstraint(
                condition=Q(budget__isnull=True) | Q(budget__gt=0), name="run_budget_more_than_nothing"
            ),
            models.CheckConstraint(
                condition=Q(withdrawn_at__isnull=True, withdrawal_reason="")
                | (Q(withdrawn_at__isnull=False) & ~Q(withdrawal_reason="")),
                name="run_withdrawn_with_reason",
            ),
            models.UniqueConstraint(
                fields=["system", "set_revision"],
                condition=Q(status__in=["queued", "running"]),
                name="run_active_once",
                violation_error_message="This system is already being asked this set.",
            ),
            models.UniqueConstraint(
                fields=["system", "source_name"],
                condition=Q(origin="imported"),
                name="run_imported_once",
                violation_error_message="This run has been imported already.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.system_id} {self.id}"
