"""The record of what was done, as pages show it."""

from django.db.models import Model, QuerySet

from corpus.models import ActionLog

LATEST_ACTIONS = 20


def actions_on(target: Model) -> QuerySet[ActionLog]:
    """Return the latest actions on an object, newest first, with who did them."""
    on_target = ActionLog.objects.filter(object_type=target._meta.label_lower, object_id=str(target.pk))
    return on_target.select_related("actor").order_by("-id")[:LATEST_ACTIONS]
