"""What somebody has filled in but not sent: kept on the server, so that it survives a closed tab or another device."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from survey.models import Assignment, Draft, Response
from survey.services.holding import refuse_withdrawn

# The names of the answer form's fields; a list of values each, as a form sends them.
DRAFT_FIELDS = ("choice", "typed_text", "tools", "tools_other", "confidence")
MOST_VALUES = 64
MOST_CHARACTERS = 2_000

Fields = Mapping[str, Sequence[str]]


def draft_save(*, assignment: Assignment, fields: Fields, now: datetime | None = None) -> bool:
    """Keep what is filled in for a question that has no answer yet, in place of what was kept before.

    Nothing filled in forgets the draft. Return False, and keep nothing new, when the question has an answer or there is
    more than any form of ours sends. Raises WithdrawnError.
    """
    content = _filled_in(fields)
    if _is_too_much(content):
        return False
    with transaction.atomic():
        # Storing an answer holds the person's row as well: a draft never outlives the answer it was for.
        refuse_withdrawn(assignment.participant)
        is_answered = Response.objects.filter(assignment=assignment).exists()
        if content and not is_answered:
            _draft_put(assignment, content, now or timezone.now())
        else:
            draft_delete(assignment=assignment)
    return not is_answered


def draft_delete(*, assignment: Assignment) -> None:
    """Forget what was filled in for a question."""
    Draft.objects.filter(assignment=assignment).delete()


def is_empty(fields: Fields) -> bool:
    """Say whether nothing is filled in, so that keeping it would forget a draft."""
    return not _filled_in(fields)


def _draft_put(assignment: Assignment, content: dict[str, list[str]], now: datetime) -> None:
    draft = Draft(assignment=assignment, content=content, saved_at=now)
    Draft.objects.bulk_create(
        [draft], update_conflicts=True, unique_fields=["assignment"], update_fields=["content", "saved_at"]
    )


def _filled_in(fields: Fields) -> dict[str, list[str]]:
    # PostgreSQL keeps no NUL in JSON.
    texts = {name: [value.replace("\0", "") for value in fields.get(name, ())] for name in DRAFT_FIELDS}
    return {name: values for name, values in texts.items() if any(value.strip() for value in values)}


def _is_too_much(content: Fields) -> bool:
    values = [value for name in content for value in content[name]]
    return len(values) > MOST_VALUES or sum(map(len, values)) > MOST_CHARACTERS
