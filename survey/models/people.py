"""The people who take part, known by a pseudonym, and what is known of them."""

import secrets

from django.conf import settings
from django.db import models

from survey.models.studies import ConsentText, Study, StudyBlock


def new_link_secret() -> str:
    """Return a secret for a personal link; 256 bits, not guessable."""
    return secrets.token_urlsafe(32)


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
    consent_page_key = models.CharField(
        max_length=64, null=True, blank=True, editable=False, unique=True, help_text="Hash of the page they agreed on."
    )
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
    counts_since = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="When they came into public results of the open study, together with a whole group.",
    )
    reminders_sent = models.PositiveSmallIntegerField(default=0, editable=False)
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


class ParticipantFlag(models.Model):
    """Something odd about a person's answers. They are kept, and left out of results until somebody has looked."""

    class Code(models.TextChoices):
        STRAIGHT_LINE = "straight_line", "the same place chosen again and again"
        TOO_FAST = "too_fast", "answers faster than the questions can be read"
        ATTENTION = "attention", "attention checks missed"

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="flags")
    code = models.CharField(max_length=16, choices=Code)
    detail = models.CharField(max_length=300)
    found_at = models.DateTimeField()
    is_left_out = models.BooleanField(null=True, blank=True, help_text="Unknown: not reviewed yet.")
    review_reason = models.CharField(max_length=300, blank=True)
    reviewed_at = models.DateTimeField(null=True, blank=True)
    reviewed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["participant", "code"]
        constraints = [models.UniqueConstraint(fields=["participant", "code"], name="participant_flag_once")]

    def __str__(self) -> str:
        return f"{self.participant_id} {self.code}"


class ReminderAddress(models.Model):
    """Where somebody wants to be reminded; kept apart from what they answer, and erased when they finish."""

    participant = models.OneToOneField(Participant, on_delete=models.CASCADE, related_name="reminder_address")
    email = models.EmailField()
    opted_in_at = models.DateTimeField()
    last_sent_at = models.DateTimeField(null=True, blank=True)
    n_sent = models.PositiveSmallIntegerField(default=0)

    class Meta:
        verbose_name_plural = "reminder addresses"

    def __str__(self) -> str:
        return f"address of {self.participant_id}"
