"""What is kept of results, which can be deleted and made again, and the published snapshots, which never change."""

from django.db import models
from django.db.models import Q

from corpus.models import QuestionSetRevision
from leaderboard.frozen_rows import FrozenRows


class ScoreMatrix(models.Model):
    """Entrants by questions of one set revision under one rule, and the results version it came from."""

    set_revision = models.ForeignKey(QuestionSetRevision, on_delete=models.CASCADE, related_name="score_matrices")
    rule = models.CharField(max_length=64)
    results_version = models.PositiveBigIntegerField()
    entrants = models.JSONField(default=list)
    verdicts = models.BinaryField(help_text="Compressed codes, one row per entrant and repeat.")
    inputs = models.JSONField(default=dict)
    built_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["set_revision", "rule"], name="matrix_once")]
        verbose_name_plural = "score matrices"

    def __str__(self) -> str:
        return f"{self.set_revision_id} {self.rule}"


class BoardStatistics(models.Model):
    """What was worked out of a whole board at one results version, so that no reader waits for it a second time."""

    set_revision = models.ForeignKey(QuestionSetRevision, on_delete=models.CASCADE, related_name="board_statistics")
    rule = models.CharField(max_length=64)
    results_version = models.PositiveBigIntegerField()
    made_from = models.CharField(max_length=64, help_text="Hash of the rows it is of.")
    content = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["set_revision", "rule"], name="board_statistics_once")]
        verbose_name_plural = "board statistics"

    def __str__(self) -> str:
        return f"{self.set_revision_id} {self.rule}"


class KeptPage(models.Model):
    """The page of a whole board as it was sent, and the state of things it says."""

    address = models.CharField(max_length=300, unique=True, help_text="With whether it is compressed.")
    stamp = models.CharField(max_length=64, help_text="Hash of everything the page depends on.")
    headers = models.JSONField(default=dict)
    content = models.BinaryField()

    def __str__(self) -> str:
        return self.address


class Snapshot(models.Model):
    """A board as it was published: numbered, dated, hashed. The database refuses to change a row."""

    number = models.PositiveIntegerField(unique=True)
    title = models.CharField(max_length=300)
    set_revision = models.ForeignKey(QuestionSetRevision, on_delete=models.PROTECT, related_name="snapshots")
    rule = models.CharField(max_length=64)
    results_version = models.PositiveBigIntegerField()
    published_at = models.DateTimeField()
    content = models.TextField(help_text="The JSON file, to the letter.")
    content_hash = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the JSON file.")
    table = models.TextField(help_text="The CSV file, to the letter.")
    basis = models.JSONField(default=dict, help_text="Which people and groups of questions it shows; never public.")

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.CheckConstraint(condition=Q(number__gte=1), name="snapshot_number_from_one"),
            FrozenRows(name="snapshot_frozen", message="A published snapshot is never changed; publish another one."),
        ]

    def __str__(self) -> str:
        return f"Snapshot {self.number}"


class PublishedResult(models.Model):
    """A figure as a paper prints it: a reference below a board, never in a rank, chart, file or snapshot of ours."""

    paper = models.CharField(max_length=40, help_text="Slug of a paper in `leaderboard.papers`.")
    table = models.CharField(max_length=120, help_text="Where in the paper.")
    board = models.CharField(
        max_length=80, blank=True, db_index=True, help_text="Slug of the question set below whose board it is shown."
    )
    system = models.CharField(max_length=200)
    setting = models.CharField(max_length=100, blank=True)
    kind = models.CharField(max_length=20)
    grouping = models.CharField(max_length=120, blank=True, help_text="The grouping that topics of the table are of.")
    topic = models.CharField(max_length=200, blank=True, help_text="Empty: all questions.")
    measure = models.CharField(max_length=60)
    value = models.CharField(max_length=20, help_text="With the digits printed.")
    remark = models.TextField(blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["paper", "table", "system", "setting", "topic"], name="published_figure_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.paper} {self.table}: {self.system}"
