"""The items of a run: one question asked once, and what became of every attempt."""

from django.db import models
from django.db.models import Q

from corpus.models import AbstractAnswer, QuestionRevision
from evaluations.database_clock import database_now
from evaluations.models.runs import Run


class Item(AbstractAnswer):
    """One question of a run, asked once. The row is the truth; the queue only wakes workers."""

    class Status(models.TextChoices):
        WAITING = "waiting", "waiting"
        LEASED = "leased", "in flight"
        ANSWERED = "answered", "answered"
        FAILED = "failed", "failed"

    # Still to be asked, or being asked.
    UNFINISHED = (Status.WAITING, Status.LEASED)

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="items")
    question_revision = models.ForeignKey(QuestionRevision, on_delete=models.PROTECT, related_name="items")
    repeat = models.PositiveSmallIntegerField(default=0)
    position = models.PositiveIntegerField(default=0)
    status = models.CharField(max_length=10, choices=Status, default=Status.WAITING)
    prompt = models.TextField(blank=True, help_text="As sent; empty until asked.")
    options_shown = models.JSONField(
        default=list, blank=True, help_text="[letter, option key, text as sent] in the order sent."
    )
    completion = models.TextField(blank=True, help_text="The raw reply; never edited.")
    reasoning = models.TextField(blank=True, help_text="Reasoning the provider reports apart; never scored.")
    finish_reason = models.CharField(max_length=20, blank=True)
    model_reported = models.CharField(max_length=200, blank=True)
    tokens_in = models.PositiveIntegerField(null=True, blank=True)
    tokens_out = models.PositiveIntegerField(null=True, blank=True)
    tokens_cached = models.PositiveIntegerField(null=True, blank=True, help_text="Of those in, taken from a cache.")
    tokens_reasoning = models.PositiveIntegerField(null=True, blank=True, help_text="Of those out, reasoning.")
    cost = models.DecimalField(
        max_digits=18, decimal_places=12, null=True, blank=True, help_text="By the run's prices; empty is unknown."
    )
    log_probabilities = models.JSONField(null=True, blank=True, help_text="[token, log-probability] of the reply.")
    turns = models.JSONField(default=list, blank=True, help_text="[role, text] between prompt and completion.")
    latency_ms = models.PositiveIntegerField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0, help_text="Times it was sent to the system.")
    not_before = models.DateTimeField(null=True, blank=True)
    lease_token = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    confidence = models.PositiveSmallIntegerField(null=True, blank=True)
    error_code = models.CharField(max_length=40, blank=True)
    error_message = models.CharField(max_length=500, blank=True)
    source_flags = models.JSONField(default=dict, blank=True, help_text="Further facts an imported report states.")
    answered_at = models.DateTimeField(null=True, blank=True)
    answered_token = models.UUIDField(
        null=True, blank=True, editable=False, help_text="The claim under which the answer came."
    )

    class Meta:
        ordering = ["run", "position", "repeat"]
        constraints = [
            models.UniqueConstraint(fields=["run", "question_revision", "repeat"], name="item_once"),
            models.CheckConstraint(
                condition=~Q(status="leased") | (Q(lease_token__isnull=False) & Q(lease_until__isnull=False)),
                name="item_leased_has_lease",
            ),
        ]
        indexes = [models.Index(fields=["run", "status", "lease_until"], name="item_claim")]

    def __str__(self) -> str:
        return f"item {self.pk}"


class ItemAttempt(models.Model):
    """A call that did not become the item's answer: an error, a late reply, or cut off as its worker had to end."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="other_attempts")
    lease_token = models.UUIDField()
    kind = models.CharField(
        max_length=10,
        choices=[
            ("late", "late reply"),
            ("error", "error"),
            ("cut_off", "cut off"),
            ("confidence", "of the confidence question"),
            ("fallback", "of the fallback reader"),
        ],
    )
    completion = models.TextField(blank=True)
    error_code = models.CharField(max_length=40, blank=True)
    error_message = models.CharField(max_length=500, blank=True)
    tokens_in = models.PositiveIntegerField(null=True, blank=True)
    tokens_out = models.PositiveIntegerField(null=True, blank=True)
    cost = models.DecimalField(max_digits=18, decimal_places=12, null=True, blank=True)
    call = models.UUIDField(
        null=True,
        unique=True,
        editable=False,
        help_text="Names the call, so that none is kept twice; empty where its worker was lost, and for older ones.",
    )
    # Compared with when the run was queued and answered, which is by this clock; workers' own may differ.
    created_at = models.DateTimeField(default=database_now, editable=False)

    class Meta:
        ordering = ["item", "id"]

    def __str__(self) -> str:
        return f"{self.item_id} {self.kind}"


class AskedApart(models.Model):
    """What is asked about an answer, apart from it, once per item; the row is made before asking, as a claim.

    Without an error code the reply is stored. `ASKING` is a claim under the token in the error message, for one lease
    from `asked_at` on, its last renewal. `WAITS` is to be asked, from `not_before` on. Any other is a failure.
    """

    ASKING = "asking"
    WAITS = "stopped"
    OPEN = (ASKING, WAITS)

    completion = models.TextField(blank=True, help_text="The raw reply; never edited.")
    finish_reason = models.CharField(max_length=20, blank=True)
    error_code = models.CharField(max_length=40, blank=True)
    error_message = models.CharField(max_length=500, blank=True)
    tokens_in = models.PositiveIntegerField(null=True, blank=True)
    tokens_out = models.PositiveIntegerField(null=True, blank=True)
    cost = models.DecimalField(max_digits=18, decimal_places=12, null=True, blank=True)
    asked_at = models.DateTimeField()
    tries = models.PositiveSmallIntegerField(default=0, help_text="Calls that failed since it was to be asked.")
    not_before = models.DateTimeField(null=True, blank=True)
    answered_token = models.UUIDField(
        null=True, blank=True, editable=False, help_text="The claim under which the reply came."
    )

    class Meta:
        abstract = True


class ItemConfidence(AskedApart):
    """How sure a system says it is of one answer, asked apart from it; `level` empty where no level could be read."""

    item = models.OneToOneField(Item, on_delete=models.CASCADE, related_name="stated_confidence")
    prompt = models.TextField()
    level = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "item confidences"
        constraints = [
            models.CheckConstraint(
                condition=Q(level__isnull=True) | Q(level__gte=1, level__lte=5), name="item_confidence_one_to_five"
            )
        ]

    def __str__(self) -> str:
        return f"{self.item_id} {self.level}"


class ItemFallback(AskedApart):
    """A reply that our reader could not read, put to the run's fallback reader; what it said is read apart."""

    item = models.OneToOneField(Item, on_delete=models.CASCADE, related_name="fallback")

    def __str__(self) -> str:
        return f"{self.item_id} {self.error_code}"
