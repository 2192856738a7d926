"""Studies: what people are asked to take part in, under which rules."""

from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import Q

from corpus.models import Grouping, QuestionSetRevision

LONGEST_RETENTION = 36_500


class Study(models.Model):
    """A survey over one or more blocks of questions."""

    class Status(models.TextChoices):
        DRAFT = "draft", "draft"
        OPEN = "open", "open"
        CLOSED = "closed", "closed"

    class BlockOrder(models.TextChoices):
        AS_LISTED = "as_listed", "in the listed order"
        NO_TOOLS_FIRST = "no_tools_first", "parts without tools first"
        TOOLS_FIRST = "tools_first", "parts with tools first"
        RANDOM = "random", "random for each person"

    class Completion(models.TextChoices):
        STUDY = "study", "who answered every question they were given"
        BLOCK = "block", "who answered a whole part, with that part"
        ANY = "any", "everybody, with what they answered"

    slug = models.SlugField(unique=True)
    title = models.CharField(max_length=200)
    introduction = models.TextField(blank=True)
    status = models.CharField(max_length=10, choices=Status, default=Status.DRAFT)
    block_order = models.CharField(max_length=14, choices=BlockOrder, default=BlockOrder.AS_LISTED)
    asks_confidence = models.BooleanField(default=False)
    offers_do_not_know = models.BooleanField(default=False)
    balance_grouping = models.ForeignKey(
        Grouping,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="Where people get a share of a part: the labels this share is balanced over, such as topics.",
    )
    break_every = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="A break is offered after this many questions; empty for none."
    )
    attention_set = models.ForeignKey(
        QuestionSetRevision,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="Easy questions that show whether somebody reads; they never count.",
    )
    attention_every = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="One of them after this many questions; empty for none."
    )
    offers_reminders = models.BooleanField(default=False, help_text="Ask whether reminders by e-mail are wanted.")
    completion_rule = models.CharField(max_length=6, choices=Completion, default=Completion.STUDY)
    minimum_years = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Years of experience from which on people count; empty for everybody."
    )
    counts_unknown_experience = models.BooleanField(
        default=True, help_text="Whether people who do not say their experience count where a minimum is set."
    )
    joins_while_open = models.BooleanField(
        "lets people in while open",
        default=False,
        help_text=(
            "Off: people come into public results when the study closes. On: already while it runs, five at a time. "
            "Only where you know who takes part: whoever joins five times over learns from the averages what is right."
        ),
    )
    retention_days = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[
            MaxValueValidator(
                LONGEST_RETENTION,
                "Write at most %(limit_value)s days, a hundred years, or leave it empty to erase nothing.",
            )
        ],
        help_text="Days after the end of the study until links, e-mail addresses and comments' authors are erased.",
    )
    n_draws = models.PositiveIntegerField(default=0, editable=False)
    closed_at = models.DateTimeField(null=True, blank=True, editable=False)
    contact = models.EmailField(blank=True)
    is_demo = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["title"]
        verbose_name_plural = "studies"
        constraints = [
            models.CheckConstraint(condition=~Q(break_every=0), name="break_every_one_or_more"),
            models.CheckConstraint(condition=~Q(attention_every=0), name="attention_every_one_or_more"),
        ]

    def __str__(self) -> str:
        return self.title


class ConsentText(models.Model):
    """A version of what people agree to; what someone agreed to is never edited."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="consent_texts")
    version = models.PositiveIntegerField()
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "-version"]
        constraints = [models.UniqueConstraint(fields=["study", "version"], name="consent_version_once")]

    def __str__(self) -> str:
        return f"{self.study_id} v{self.version}"


class StudyBlock(models.Model):
    """A part of a study with its own rules: tools allowed or not."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="blocks")
    position = models.PositiveSmallIntegerField()
    slug = models.SlugField()
    title = models.CharField(max_length=200)
    rules = models.TextField(help_text="Shown at the start of the block.")
    tools_allowed = models.BooleanField(default=False)
    set_revision = models.ForeignKey(QuestionSetRevision, on_delete=models.PROTECT, related_name="study_blocks")
    questions_per_person = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="How many of the questions each person gets; empty for all of them."
    )

    class Meta:
        ordering = ["study", "position"]
        constraints = [
            models.UniqueConstraint(fields=["study", "position"], name="block_position_once"),
            models.UniqueConstraint(fields=["study", "slug"], name="block_slug_once"),
            models.CheckConstraint(condition=~Q(questions_per_person=0), name="questions_per_person_one_or_more"),
        ]

    def __str__(self) -> str:
        return self.title
