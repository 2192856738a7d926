"""Ways to group one bank of questions: by topic, by skill, by difficulty, by tier, and others."""

from django.db import models

from corpus.models.questions import Benchmark, Question


class Grouping(models.Model):
    """One way to divide a benchmark's questions, for example `topic`."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="groupings")
    slug = models.SlugField()
    name = models.CharField(max_length=100)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["benchmark", "slug"], name="grouping_slug_once")]

    def __str__(self) -> str:
        return self.name


class Label(models.Model):
    """One group of a grouping; a question may carry several labels of one grouping."""

    grouping = models.ForeignKey(Grouping, on_delete=models.CASCADE, related_name="labels")
    slug = models.SlugField(max_length=120)
    name = models.CharField(max_length=200)
    questions = models.ManyToManyField(Question, related_name="labels", blank=True)

    class Meta:
        ordering = ["grouping", "name"]
        constraints = [models.UniqueConstraint(fields=["grouping", "slug"], name="label_slug_once")]

    def __str__(self) -> str:
        return self.name
