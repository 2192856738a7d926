"""Changes of a system by a maintainer."""

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction

from corpus.models import Benchmark
from corpus.services.results import action_log, results_changed
from evaluations.models import System

_NOT_EDITED = frozenset({"id", "learned"})


def system_save(*, system: System, actor: AbstractBaseUser | None = None, changed: tuple[str, ...] = ()) -> System:
    """Save a checked system and tell the readers of every benchmark it has results in.

    `changed` names the fields for the record; their values are not kept there. Raises ValidationError.
    """
    is_new = system.pk is None
    system.full_clean()
    with transaction.atomic():
        if is_new:
            system.save()
        else:
            # Workers write `learned` while somebody edits: a form that was opened before must not take it back.
            system.save(update_fields=[field.name for field in System._meta.fields if field.name not in _NOT_EDITED])
        benchmarks = Benchmark.objects.filter(question_sets__revisions__runs__system=system).distinct()
        for benchmark_id in benchmarks.values_list("pk", flat=True):
            results_changed(benchmark_id=benchmark_id, system_id=system.pk)
        code = "system.added" if is_new else "system.changed"
        action_log(code=code, target=system, actor=actor, detail={"fields": list(changed)})
    return system
