"""What people answered, what was read from it, and the verdicts."""

from django.db import models
from django.db.models import Q

from corpus.models import (
    AbstractAnswer,
    AbstractReading,
    AbstractRescored,
    AbstractRescoring,
    AbstractScore,
)
from survey.models.assignments import Assignment
from survey.models.studies import Study


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
    away_seconds = models.FloatField(null=True, blank=True, help_text="Of these, how long the person was away.")
    imported_record = models.JSONField(
        null=True, blank=True, help_text="What another survey had stored of this answer, untouched."
    )

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
