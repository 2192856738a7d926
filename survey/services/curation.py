"""What the keepers of the bank do with comments on questions."""

from datetime import datetime

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.utils import timezone

from corpus.services.results import action_log
from survey.errors import CommentRefusedError
from survey.models import QuestionComment


def comment_resolve(
    *, comment: QuestionComment, resolution: str, actor: AbstractBaseUser | None = None, now: datetime | None = None
) -> QuestionComment:
    """Note what was done about a comment, by whom and when; a later note takes the place of an earlier one.

    What the person wrote is left alone. Raises CommentRefusedError for an empty note.
    """
    note = resolution.strip()
    if not note:
        raise CommentRefusedError("Write what was done about it, or why nothing is to be done.")
    return _stored(comment, "comment.resolved", note, now or timezone.now(), actor)


def comment_reopen(*, comment: QuestionComment, actor: AbstractBaseUser | None = None) -> QuestionComment:
    """Open a comment again; one that is open is left as it is."""
    if comment.resolved_at is None:
        return comment
    return _stored(comment, "comment.reopened", "", None, actor)


def _stored(
    comment: QuestionComment, code: str, note: str, moment: datetime | None, actor: AbstractBaseUser | None
) -> QuestionComment:
    with transaction.atomic():
        QuestionComment.objects.filter(pk=comment.pk).update(
            resolution=note, resolved_at=moment, resolved_by=actor if moment else None
        )
        action_log(code=code, target=comment, actor=actor)
    comment.refresh_from_db()
    return comment
