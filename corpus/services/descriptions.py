"""Change how a benchmark or a set is described, with a record of who did it."""

from collections.abc import Sequence

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction

from corpus.models import Benchmark, QuestionSet
from corpus.services.results import action_log, results_changed


def description_save(
    *, row: Benchmark | QuestionSet, fields: Sequence[str], actor: AbstractBaseUser | None = None
) -> None:
    """Save the named fields of a benchmark or set; public pages show them, so results count as changed."""
    if not fields:
        return
    with transaction.atomic():
        row.save(update_fields=list(fields))
        benchmark_id = row.pk if isinstance(row, Benchmark) else row.benchmark_id
        results_changed(benchmark_id=benchmark_id)
        action_log(code=f"{row._meta.model_name}.described", target=row, actor=actor, detail={"fields": sorted(fields)})
