"""Tell readers of results that something changed, and keep the record of who did what."""

from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.db.models import F, Model

from corpus.models import ActionLog, Benchmark, ResultsChange


def results_changed(*, benchmark_id: int, system_id: int | None = None, of_people: bool = False) -> None:
    """Raise the benchmark's results version; call it in the transaction that changes answers or scores.

    Where only answers of one system changed, `system_id` says so, and `of_people` where only people's did or who of
    them counts: then nobody has to read the others again. Whoever says neither says that anything may have changed.
    """
    part = ResultsChange.Part.ALL
    if system_id is not None:
        part = ResultsChange.Part.SYSTEM
    elif of_people:
        part = ResultsChange.Part.PEOPLE
    with transaction.atomic(savepoint=False):
        benchmark = Benchmark.objects.filter(pk=benchmark_id)
        # The row is held from here on: of two changes, the second has the higher version everywhere.
        if not benchmark.update(results_version=F("results_version") + 1):
            return
        version = benchmark.values("results_version")
        changes = ResultsChange.objects.filter(benchmark=benchmark_id, part=part, number=system_id or 0)
        if not changes.update(results_version=version):
            ResultsChange.objects.create(
                benchmark_id=benchmark_id,
                part=part,
                number=system_id or 0,
                results_version=version.get()["results_version"],
            )


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
