"""The questions a person is given, in their order, and what happens to each until it is answered."""

from django.db import models
from django.db.models import Q

from corpus.models import QuestionRevision
from survey.models.people import Participant
from survey.models.studies import StudyBlock


class Assignment(models.Model):
    """A question given to a person: its place in their order, and the option order they see."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="assignments")
    block = models.ForeignKey(StudyBlock, on_delete=models.PROTECT, related_name="assignments")
    question_revision = models.ForeignKey(QuestionRevision, on_delete=models.PROTECT, related_name="assignments")
    position = models.PositiveIntegerField(help_text="From 1, over all blocks.")
    option_order = models.JSONField(default=list, blank=True, help_text="Option keys in the order shown.")
    is_attention_check = models.BooleanField(default=False)
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


class Absence(models.Model):
    """Time away from a question, by the server's clock: the page was hidden, the person paused, or had a break."""

    class Kind(models.TextChoices):
        HIDDEN = "hidden", "page hidden"
        PAUSE = "pause", "paused"
        BREAK = "break", "break offered by the study"

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="absences")
    kind = models.CharField(max_length=6, choices=Kind)
    began_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["assignment", "began_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "kind"], condition=Q(ended_at__isnull=True), name="one_open_absence_of_a_kind"
            ),
            models.UniqueConstraint(
                fields=["assignment"], condition=Q(kind="break"), name="one_break_before_a_question"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.assignment_id} {self.kind}"


class Draft(models.Model):
    """What somebody has filled in but not sent yet: the form's own fields. Gone once the answer is stored."""

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="draft")
    content = models.JSONField(default=dict)
    saved_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"draft {self.assignment_id}"
