"""Systems under test, their runs, and the items: one question asked once."""

import uuid
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q

from corpus.models import (
    AbstractAnswer,
    AbstractReading,
    AbstractRescored,
    AbstractRescoring,
    AbstractScore,
    QuestionRevision,
    QuestionSetRevision,
)
from evaluations.addresses import address_problem
from evaluations.redaction import looks_like_key

environment_name = RegexValidator(
    r"^[A-Z][A-Z0-9_]{2,60}$",
    "Give the name of an environment variable in capitals (for example OPENAI_API_KEY), never the key itself.",
)


def endpoint_address(value: str) -> None:
    """Accept http and https addresses of any host, private networks included; refuse those of metadata services."""
    try:
        parts = urlsplit(value)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address or any(character.isspace() for character in value):
        raise ValidationError("Give an address that starts with http:// or https://, for example https://host/v1.")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValidationError(
            "Leave user name, password, query and fragment out of the address; a key goes into an environment variable."
        )
    if problem := address_problem(value):
        raise ValidationError(problem)
    if looks_like_key(value):
        raise ValidationError(
            "The address seems to hold a key. Leave it out, put it into an environment variable and name that in the "
            "field Api key variable."
        )


class System(models.Model):
    """What is tested: a model behind a provider, an agent, or a baseline."""

    class Kind(models.TextChoices):
        MODEL = "model", "model"
        AGENT = "agent", "agent"
        BASELINE = "baseline", "baseline"

    slug = models.SlugField(max_length=100, unique=True)
    name = models.CharField(max_length=200)
    source_name = models.CharField(max_length=200, blank=True, help_text="Folder name of an imported report.")
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.MODEL)
    provider = models.CharField(
        max_length=40, help_text="Registered name; `imported` for systems known only by their reports."
    )
    model_id = models.CharField(max_length=200, blank=True)
    base_url = models.CharField(
        max_length=500,
        blank=True,
        validators=[endpoint_address],
        help_text="Address of the interface, https://host/v1; empty: the provider's own.",
    )
    api_key_variable = models.CharField(max_length=64, blank=True, validators=[environment_name])
    parameters = models.JSONField(
        default=dict, blank=True, help_text="Sent with every question; temperature 0 by default."
    )
    concurrency = models.PositiveSmallIntegerField(default=8)
    facts = models.JSONField(default=dict, blank=True, help_text="Published facts, as their source gives them.")
    released_on = models.DateField(null=True, blank=True)
    parameter_count = models.BigIntegerField(null=True, blank=True)
    open_weights = models.BooleanField(null=True, blank=True)
    is_demo = models.BooleanField(default=False)
    is_hidden = models.BooleanField(default=False, help_text="Left out of every public page.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Run(models.Model):
    """A system asked every question of a set revision; frozen when it is made."""

    class Status(models.TextChoices):
        QUEUED = "queued", "queued"
        RUNNING = "running", "running"
        PAUSED = "paused", "paused"
        STOPPED = "stopped", "stopped"
        FINISHED = "finished", "finished"
        INCOMPLETE = "incomplete", "finished with errors"

    class Origin(models.TextChoices):
        ASKED = "asked", "asked here"
        IMPORTED = "imported", "imported"

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
    frozen = models.JSONField(
        default=dict,
        blank=True,
        help_text="Provider, model id, endpoint, reader, rule, code and package versions.",
    )
    error_code = models.CharField(max_length=40, blank=True)
    error_message = models.CharField(max_length=500, blank=True, help_text="Plain reason, without any secret.")
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    queued_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-queued_at"]
        constraints = [
            models.CheckConstraint(condition=Q(repeats__gte=1), name="run_repeats_from_one"),
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


class Item(AbstractAnswer):
    """One question of a run, asked once. The row is the truth; the queue only wakes workers."""

    class Status(models.TextChoices):
        WAITING = "waiting", "waiting"
        LEASED = "leased", "in flight"
        ANSWERED = "answered", "answered"
        FAILED = "failed", "failed"

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
    """A reply or failure that did not become the item's answer: an error, or one that came too late."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="other_attempts")
    lease_token = models.UUIDField()
    kind = models.CharField(max_length=10, choices=[("late", "late reply"), ("error", "error")])
    completion = models.TextField(blank=True)
    error_code = models.CharField(max_length=40, blank=True)
    error_message = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["item", "id"]

    def __str__(self) -> str:
        return f"{self.item_id} {self.kind}"


class ItemReading(AbstractReading):
    """What was read from a completion."""

    answer = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="readings")

    class Meta(AbstractReading.Meta):
        pass

    def __str__(self) -> str:
        return f"{self.answer_id} {self.reader}"


class ItemScore(AbstractScore):
    """The verdict on a reading of a completion."""

    answer = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="scores")
    reading = models.ForeignKey(ItemReading, on_delete=models.CASCADE, related_name="scores")

    class Meta(AbstractScore.Meta):
        pass

    def __str__(self) -> str:
        return f"{self.answer_id} {self.rule} {self.outcome}"


class ItemRescoring(AbstractRescoring):
    """The items of one run read and judged again."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="rescorings")

    class Meta(AbstractRescoring.Meta):
        verbose_name = "rescoring of a run"
        verbose_name_plural = "rescorings of runs"

    def __str__(self) -> str:
        return f"rescoring {self.pk}"


class RescoredItem(AbstractRescored):
    """What an item would be under a rescoring."""

    rescoring = models.ForeignKey(ItemRescoring, on_delete=models.CASCADE, related_name="rows")
    answer = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="rescored")
    old_reading = models.ForeignKey(ItemReading, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    new_reading = models.ForeignKey(ItemReading, on_delete=models.CASCADE, related_name="+")

    class Meta(AbstractRescored.Meta):
        verbose_name = "rescored item"

    def __str__(self) -> str:
        return f"{self.rescoring_id}: {self.answer_id} {self.old_outcome} {self.new_outcome}"
