"""What importers and renderers found wrong with questions, and who did what."""

from django.conf import settings
from django.db import models

from corpus.models.questions import Benchmark, Question


class Finding(models.Model):
    """Something a maintainer should look at in a question or its file."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="findings")
    question = models.ForeignKey(Question, null=True, blank=True, on_delete=models.CASCADE, related_name="findings")
    file = models.CharField(max_length=500, blank=True)
    code = models.CharField(max_length=60)
    message = models.TextField()
    found_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["benchmark", "file", "code"]

    def __str__(self) -> str:
        return f"{self.code}: {self.file}"


class ActionLog(models.Model):
    """Append-only record of what people and commands did; codes such as `run.paused`."""

    code = models.CharField(max_length=60)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    object_type = models.CharField(max_length=60)
    object_id = models.CharField(max_length=64)
    detail = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [models.Index(fields=["object_type", "object_id"], name="action_object")]

    def __str__(self) -> str:
        return f"{self.code} {self.object_type} {self.object_id}"
