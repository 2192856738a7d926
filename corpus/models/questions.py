"""Benchmarks, their questions, and the immutable revisions of each question."""

from django.db import models
from django.db.models import F, Q

from corpus.scoring.types import Kind


class Benchmark(models.Model):
    """A published (or home-made) bank of questions."""

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=200)
    version = models.CharField(max_length=50, blank=True)
    licence = models.CharField(max_length=200, blank=True)
    citation = models.TextField(blank=True)
    canary = models.TextField(blank=True)
    default_rule = models.CharField(max_length=64, default="standard@1")
    is_demo = models.BooleanField(default=False, help_text="Demo data; every page that shows it says so.")
    results_version = models.PositiveBigIntegerField(
        default=0, help_text="Raised in the same transaction as any change of answers, scores or sets."
    )

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Source(models.Model):
    """Where questions come from; questions of one source are not independent of each other."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="sources")
    slug = models.SlugField(max_length=120)
    name = models.CharField(max_length=300)
    url = models.URLField(max_length=500, blank=True)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["benchmark", "slug"], name="source_slug_once")]

    def __str__(self) -> str:
        return self.name


class Question(models.Model):
    """The identity of a question: its key. What it says is in its revisions."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.PROTECT, related_name="questions")
    key = models.CharField(max_length=300)
    source = models.ForeignKey(Source, null=True, blank=True, on_delete=models.SET_NULL, related_name="questions")
    current_revision = models.ForeignKey(
        "QuestionRevision", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering = ["key"]
        constraints = [models.UniqueConstraint(fields=["benchmark", "key"], name="question_key_once")]

    def __str__(self) -> str:
        return self.key


class QuestionRevision(models.Model):
    """What a question said at one time. Never edited; a correction is a new revision."""

    class KindChoices(models.TextChoices):
        CHOICE = Kind.CHOICE.value, "choice"
        NUMBER = Kind.NUMBER.value, "number"
        MOLECULE = Kind.MOLECULE.value, "molecule"
        TEXT = Kind.TEXT.value, "text"

    class Change(models.TextChoices):
        INITIAL = "initial", "first version"
        COSMETIC = "cosmetic", "wording or markup; answers stay comparable"
        KEY = "key", "answer key; stored answers are scored again"
        CONTENT = "content", "content; earlier answers are not comparable"

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="revisions")
    number = models.PositiveIntegerField()
    change = models.CharField(max_length=10, choices=Change, default=Change.INITIAL)
    comparison_root = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="comparable_revisions",
        help_text="The earliest revision whose answers are comparable with this one's; empty: itself.",
    )
    kind = models.CharField(max_length=10, choices=KindChoices)
    name = models.CharField(max_length=300, blank=True)
    uuid = models.CharField(max_length=64, blank=True, db_index=True)
    stem = models.TextField()
    target = models.TextField(blank=True, help_text="The key of a number, molecule or text question.")
    tolerance = models.CharField(max_length=40, blank=True, help_text="Relative, as a decimal; empty: the rule's own.")
    unit = models.CharField(max_length=60, blank=True)
    description = models.TextField(blank=True)
    keywords = models.JSONField(default=list, blank=True)
    metadata = models.JSONField(default=dict, blank=True, help_text="Every other field of the original file.")
    source_path = models.CharField(max_length=500, blank=True)
    original = models.TextField(blank=True, help_text="The untouched text the question was imported from.")
    content_hash = models.CharField(max_length=64, db_index=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["question", "number"]
        constraints = [
            models.UniqueConstraint(fields=["question", "number"], name="revision_number_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="revision_number_from_one"),
            models.CheckConstraint(
                condition=~Q(kind="number") | ~Q(target=""), name="revision_number_question_has_target"
            ),
            models.CheckConstraint(condition=~Q(comparison_root=F("id")), name="revision_root_is_another_revision"),
        ]

    def __str__(self) -> str:
        return f"{self.question_id}.{self.number}"

    @property
    def root_id(self) -> int:
        """Id under which answers of comparable revisions are put together."""
        return self.comparison_root_id or self.pk


class Option(models.Model):
    """One option of a choice question; its key, not its position, is what an answer names."""

    revision = models.ForeignKey(QuestionRevision, on_delete=models.PROTECT, related_name="options")
    option_key = models.CharField(max_length=32, help_text="Hash of the normalised text.")
    position = models.PositiveSmallIntegerField()
    text = models.TextField()
    credit = models.DecimalField(max_digits=6, decimal_places=4)

    class Meta:
        ordering = ["revision", "position"]
        constraints = [
            models.UniqueConstraint(fields=["revision", "option_key"], name="option_key_once"),
            models.UniqueConstraint(fields=["revision", "position"], name="option_position_once"),
            models.CheckConstraint(
                condition=Q(credit__gte=0) & Q(credit__lte=1), name="option_credit_from_zero_to_one"
            ),
        ]

    def __str__(self) -> str:
        return self.text[:60]


class Molecule(models.Model):
    """A structure named in a question, with descriptors computed at import."""

    revision = models.ForeignKey(QuestionRevision, on_delete=models.CASCADE, related_name="molecules")
    place = models.CharField(max_length=10, choices=[("stem", "stem"), ("option", "option")])
    smiles = models.TextField()
    heavy_atoms = models.PositiveIntegerField()
    rings = models.PositiveIntegerField()
    bertz = models.FloatField(help_text="Bertz complexity index.")

    class Meta:
        ordering = ["revision", "id"]

    def __str__(self) -> str:
        return self.smiles[:60]
