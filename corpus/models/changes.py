"""What of a benchmark's results changed last, and at which results version."""

from django.db import models

from corpus.models.questions import Benchmark


class ResultsChange(models.Model):
    """The results version of the last change of one part of a benchmark's results; one row for each part."""

    class Part(models.TextChoices):
        ALL = "all", "anything"
        PEOPLE = "people", "answers of people, or who of them counts"
        SYSTEM = "system", "answers of one system"

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="results_changes")
    part = models.CharField(max_length=6, choices=Part)
    number = models.PositiveBigIntegerField(default=0, help_text="Of a system; 0 for other parts.")
    results_version = models.PositiveBigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["benchmark", "part", "number"], name="results_change_once")]

    def __str__(self) -> str:
        return f"{self.benchmark_id} {self.part} {self.number}: {self.results_version}"
