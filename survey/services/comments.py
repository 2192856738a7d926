"""What people say about a question while they take part."""

from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from survey.errors import CommentRefusedError, NotYoursError
from survey.models import Assignment, Participant, QuestionComment
from survey.services.holding import refuse_withdrawn

MOST_COMMENTS_PER_QUESTION = 5
MOST_COMMENTS = 200
LONGEST_COMMENT = 2000


class CommentGiven(NamedTuple):
    """The stored comment, and whether this call stored it."""

    comment: QuestionComment
    created: bool


def comment_record(
    *, participant: Participant, assignment_id: int, kind: str, text: str, now: datetime | None = None
) -> CommentGiven:
    """Store a remark or an error report on a question the person has seen; the same again is stored once.

    Nothing else of theirs is touched. Raises NotYoursError, WithdrawnError, or CommentRefusedError with what to do.
    """
    assignment = Assignment.objects.filter(pk=assignment_id, participant=participant, served_at__isnull=False).first()
    if assignment is None:
        raise NotYoursError("This page belongs to another participant or another study.")
    text = _checked(kind, text)
    with transaction.atomic():
        # Holds the person's row: of two comments at once the second sees the first when it counts.
        refuse_withdrawn(participant)
        own = QuestionComment.objects.filter(participant=participant)
        on_this = own.filter(question_revision_id=assignment.question_revision_id)
        same = on_this.filter(kind=kind, text=text).first()
        if same:
            return CommentGiven(same, created=False)
        if on_this.count() >= MOST_COMMENTS_PER_QUESTION or own.count() >= MOST_COMMENTS:
            raise CommentRefusedError(
                f"That is as much as is stored: {MOST_COMMENTS_PER_QUESTION} comments on a question, "
                f"{MOST_COMMENTS} in all. Your earlier comments are kept."
            )
        comment = QuestionComment.objects.create(
            question_revision_id=assignment.question_revision_id,
            participant=participant,
            kind=kind,
            text=text,
            created_at=now or timezone.now(),
        )
    return CommentGiven(comment, created=True)


def _checked(kind: str, text: str) -> str:
    if kind not in QuestionComment.Kind.values:
        raise CommentRefusedError("Choose whether it is a comment or a mistake in the question.")
    stripped = text.replace("\0", "\N{REPLACEMENT CHARACTER}").strip()
    if not stripped:
        raise CommentRefusedError("Write what you would like to say about the question.")
    if len(stripped) > LONGEST_COMMENT:
        raise CommentRefusedError(f"Please say it in at most {LONGEST_COMMENT} characters; this is {len(stripped)}.")
    return stripped
