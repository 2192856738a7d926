"""Which studies have been closed for as long as what they keep of people is needed."""

from datetime import datetime, timedelta

from django.db.models import QuerySet

from corpus.models import ActionLog
from survey.models import Study

RETENTION_APPLIED = "study.retention_applied"


def studies_due(*, now: datetime) -> list[Study]:
    """Return the closed studies whose retention has run out and was not applied since they were closed."""
    closed = Study.objects.filter(
        status=Study.Status.CLOSED, closed_at__isnull=False, retention_days__isnull=False
    ).order_by("pk")
    return [study for study in closed if _has_run_out(study, now) and not _is_done(study)]


def years_are_coarse(study: Study) -> bool:
    """Say whether retention has rounded the years of experience of people of a study, at this closing or another."""
    return _applied(study).exists()


def _has_run_out(study: Study, now: datetime) -> bool:
    if study.closed_at is None or study.retention_days is None:
        return False
    # Whole days are compared, because a date so many days on may be one that there is not.
    return (now - study.closed_at) // timedelta(days=1) >= study.retention_days


def _is_done(study: Study) -> bool:
    return _applied(study).filter(created_at__gte=study.closed_at).exists()


def _applied(study: Study) -> QuerySet[ActionLog]:
    return ActionLog.objects.filter(
        code=RETENTION_APPLIED, object_type=study._meta.label_lower, object_id=str(study.pk)
    )
