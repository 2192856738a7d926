"""Tell readers of results that something changed, and keep the record of who did what."""

from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db.models import F, Model

from corpus.models import ActionLog, Benchmark


def results_changed(*, benchmark_id: int) -> None:
    """Raise the benchmark's results version; call it in the transaction that changes answers or scores."""
    Benchmark.objects.filter(pk=benchmark_id).update(results_version=F("results_version") + 1)


def action_log(
    *, code: str, target: Model, actor: AbstractBaseUser | None = None, detail: dict[str, Any] | None = None
) -> ActionLog:
    """Record an action on an object; `code` is namespaced, such as `run.paused`."""
    return ActionLog.objects.create(
        code=code,
        actor=actor,  # type: ignore[misc]
        object_type=target._meta.label_lower,
        object_id=str(target.pk),
        detail=detail or {},
    )
