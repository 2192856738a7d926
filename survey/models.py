"""Studies, the people who take part, the questions they are given, and what they answered."""

import secrets

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


def new_link_secret() -> str:
    """Return a secret for a personal link; 256 bits, not guessable."""
    return secrets.token_urlsafe(32)


class Study(models.Model):
    """A survey over one or more blocks of questions."""

    class Status(models.TextChoices):
        DRAFT = "draft", "draft"
        OPEN = "open", "open"
        CLOSED = "closed", "closed"

    class BlockOrder(models.TextChoices):
        AS_LISTED = "as_listed", "in the listed order"
        RANDOM = "random", "random for each person"

    slug = models.SlugField(unique=True)
    title = models.CharField(max_length=200)
    introduction = models.TextField(blank=True)
    status = models.CharField(max_length=10, choices=Status, default=Status.DRAFT)
    block_order = models.CharField(max_length=10, choices=BlockOrder, default=BlockOrder.AS_LISTED)
    asks_confidence = models.BooleanField(default=False)
    offers_do_not_know = models.BooleanField(default=False)
    contact = models.EmailField(blank=True)
    is_demo = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["title"]
        verbose_name_plural = "studies"

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

    class Meta:
        ordering = ["study", "position"]
        constraints = [
            models.UniqueConstraint(fields=["study", "position"], name="block_position_once"),
            models.UniqueConstraint(fields=["study", "slug"], name="block_slug_once"),
        ]

    def __str__(self) -> str:
        return self.title


class Participant(models.Model):
    """Someone who takes part, known by a pseudonym only."""

    class Education(models.TextChoices):
        NONE = "", "prefer not to say"
        SCHOOL = "school", "school"
        BACHELOR = "bachelor", "bachelor's degree"
        MASTER = "master", "master's degree"
        DOCTORATE = "doctorate", "doctorate"
        OTHER = "other", "other"

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="participants")
    pseudonym = models.CharField(max_length=60)
    link_secret = models.CharField(max_length=64, unique=True, default=new_link_secret)
    consent_text = models.ForeignKey(
        ConsentText, null=True, blank=True, on_delete=models.PROTECT, related_name="participants"
    )
    consented_at = models.DateTimeField(null=True, blank=True)
    education = models.CharField(max_length=12, choices=Education, blank=True)
    years_experience = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Years since the first university-level chemistry course."
    )
    specialties = models.JSONField(default=list, blank=True)
    profile_answered_at = models.DateTimeField(null=True, blank=True)
    practised_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    is_demo = models.BooleanField(default=False)
    source_name = models.CharField(max_length=100, blank=True, help_text="Id in an imported study.")

    class Meta:
        ordering = ["study", "id"]
        constraints = [models.UniqueConstraint(fields=["study", "pseudonym"], name="pseudonym_once")]

    def __str__(self) -> str:
        return self.pseudonym


class BlockVisit(models.Model):
    """When a person read the rules of a block and began it."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="block_visits")
    block = models.ForeignKey(StudyBlock, on_delete=models.PROTECT, related_name="visits")
    rules_accepted_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["participant", "block"], name="block_begun_once")]

    def __str__(self) -> str:
        return f"{self.participant_id}:{self.block_id}"


class Assignment(models.Model):
    """A question given to a person: its place in their order, and the option order they see."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="assignments")
    block = models.ForeignKey(StudyBlock, on_delete=models.PROTECT, related_name="assignments")
    question_revision = models.ForeignKey(QuestionRevision, on_delete=models.PROTECT, related_name="assignments")
    position = models.PositiveIntegerField(help_text="From 1, over all blocks.")
    option_order = models.JSONField(default=list, blank=True, help_text="Option keys in the order shown.")
    served_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["participant", "position"]
        constraints = [
            models.UniqueConstraint(fields=["participant", "question_revision"], name="question_given_once"),
            models.UniqueConstraint(fields=["participant", "position"], name="position_given_once"),
            models.CheckConstraint(condition=Q(position__gte=1), name="position_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.participant_id}:{self.position}"


class Response(AbstractAnswer):
    """A person's answer, as given. There is one for each assignment, whatever was pressed how often."""

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="response")
    chosen_option_keys = models.JSONField(default=list, blank=True)
    typed_text = models.TextField(blank=True)
    do_not_know = models.BooleanField(default=False)
    tools_used = models.JSONField(default=list, blank=True)
    confidence = models.PositiveSmallIntegerField(null=True, blank=True)
    answered_at = models.DateTimeField()
    seconds = models.FloatField(null=True, blank=True, help_text="From served to answered, server's clock.")

    class Meta:
        ordering = ["assignment"]
        constraints = [
            models.CheckConstraint(
                condition=Q(confidence__isnull=True) | Q(confidence__range=(1, 5)),
                name="response_confidence_from_one_to_five",
            ),
        ]

    def __str__(self) -> str:
        return f"response {self.assignment_id}"


class ResponseReading(AbstractReading):
    """What was read from a person's answer."""

    answer = models.ForeignKey(Response, on_delete=models.CASCADE, related_name="readings")

    class Meta(AbstractReading.Meta):
        pass

    def __str__(self) -> str:
        return f"{self.answer_id} {self.reader}"


class ResponseScore(AbstractScore):
    """The verdict on a reading of a person's answer."""

    answer = models.ForeignKey(Response, on_delete=models.CASCADE, related_name="scores")
    reading = models.ForeignKey(ResponseReading, on_delete=models.CASCADE, related_name="scores")

    class Meta(AbstractScore.Meta):
        pass

    def __str__(self) -> str:
        return f"{self.answer_id} {self.rule} {self.outcome}"


class ResponseRescoring(AbstractRescoring):
    """The answers of one study read and judged again."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="rescorings")

    class Meta(AbstractRescoring.Meta):
        verbose_name = "rescoring of a study"
        verbose_name_plural = "rescorings of studies"

    def __str__(self) -> str:
        return f"rescoring {self.pk}"


class RescoredResponse(AbstractRescored):
    """What a person's answer would be under a rescoring."""

    rescoring = models.ForeignKey(ResponseRescoring, on_delete=models.CASCADE, related_name="rows")
    answer = models.ForeignKey(Response, on_delete=models.CASCADE, related_name="rescored")
    old_reading = models.ForeignKey(ResponseReading, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    new_reading = models.ForeignKey(ResponseReading, on_delete=models.CASCADE, related_name="+")

    class Meta(AbstractRescored.Meta):
        verbose_name = "rescored response"

    def __str__(self) -> str:
        return f"{self.rescoring_id}: {self.answer_id} {self.old_outcome} {self.new_outcome}"
