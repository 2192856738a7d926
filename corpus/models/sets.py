"""Question sets: named lists of questions, frozen as numbered revisions."""

from django.db import models
from django.db.models import Q

from corpus.models.questions import Benchmark, QuestionRevision


class QuestionSet(models.Model):
    """A named selection of a benchmark's questions."""

    class Policy(models.TextChoices):
        CLOSED = "closed", "verdicts per question are for staff"
        OPEN = "open", "verdicts per question are public"

    benchmark = models.ForeignKey(Benchmark, on_delete=models.PROTECT, related_name="question_sets")
    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    policy = models.CharField(max_length=10, choices=Policy, default=Policy.CLOSED)
    current_revision = models.ForeignKey(
        "QuestionSetRevision", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class QuestionSetRevision(models.Model):
    """The set's exact members at one time; runs and studies point here."""

    question_set = models.ForeignKey(QuestionSet, on_delete=models.PROTECT, related_name="revisions")
    number = models.PositiveIntegerField()
    content_hash = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)
    question_revisions: "models.ManyToManyField[QuestionRevision, QuestionSetMember]" = models.ManyToManyField(
        QuestionRevision, through="QuestionSetMember", related_name="set_revisions"
    )

    class Meta:
        ordering = ["question_set", "number"]
        constraints = [
            models.UniqueConstraint(fields=["question_set", "number"], name="set_revision_number_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="set_revision_number_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.question_set_id}.{self.number}"


class QuestionSetMember(models.Model):
    """A question revision at its place in a set revision."""

    set_revision = models.ForeignKey(QuestionSetRevision, on_delete=models.CASCADE, related_name="members")
    question_revision = models.ForeignKey(QuestionRevision, on_delete=models.PROTECT, related_name="set_memberships")
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["set_revision", "position"]
        constraints = [
            models.UniqueConstraint(fields=["set_revision", "question_revision"], name="set_member_once"),
            models.UniqueConstraint(fields=["set_revision", "position"], name="set_position_once"),
        ]

    def __str__(self) -> str:
        return f"{self.set_revision_id}:{self.position}"
