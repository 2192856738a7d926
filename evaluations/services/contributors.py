"""Tokens of contributors: made, found by what is sent, revoked. Only a hash of a token is ever stored."""

import hashlib
import secrets
from datetime import timedelta

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.utils import timezone

from corpus.models import ActionLog, QuestionSet
from corpus.services.results import action_log
from evaluations.errors import EvaluationError
from evaluations.models import ContributorToken, Submission, System
from evaluations.prompts import prompt_style

PREFIX = "cbs_"
MOST_WAITING = 20
FETCHES_AN_HOUR = 60
UPLOADS_AN_HOUR = 60
FETCHED = "contributor.fetched"
UPLOADED = "contributor.uploaded"
_MOST_AN_HOUR = {FETCHED: FETCHES_AN_HOUR, UPLOADED: UPLOADS_AN_HOUR}
_NOTED_AGAIN = timedelta(minutes=1)


class TooManyRequestsError(EvaluationError):
    """A contributor asks more often than is allowed; `retry_after` says when it is allowed again, in seconds."""

    code = "too-many-requests"

    def __init__(self, message: str, retry_after: int) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class TooManyWaitingError(EvaluationError):
    """As many submissions of one contributor wait for a review as may."""

    code = "too-many-waiting"


class TokenStateError(EvaluationError):
    """The token is revoked already."""

    code = "token-state"


def token_create(
    *, name: str, system: System, question_set: QuestionSet, style_name: str, actor: AbstractBaseUser | None = None
) -> tuple[ContributorToken, str]:
    """Make a token; return its row and, this once, the token itself. Raises CannotBeAskedError for a bad style."""
    secret = PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        token = ContributorToken.objects.create(
            name=name,
            system=system,
            question_set=question_set,
            prompt_style=prompt_style(style_name).name,
            token_hash=token_hash(secret),
            created_by=actor,  # type: ignore[misc]
        )
        detail = {"system": system.slug, "set": question_set.slug, "prompt_style": style_name}
        action_log(code="contributor.token-made", target=token, actor=actor, detail=detail)
    return token, secret


def token_revoke(*, token_id: int, actor: AbstractBaseUser | None = None) -> None:
    """Let a token open nothing any more; what was sent with it stays. Raises TokenStateError the second time."""
    with transaction.atomic():
        if not ContributorToken.objects.filter(pk=token_id, revoked_at=None).update(revoked_at=timezone.now()):
            raise TokenStateError("This token was revoked already.")
        action_log(code="contributor.token-revoked", target=ContributorToken(pk=token_id), actor=actor)


def token_of(secret: str) -> ContributorToken | None:
    """Return the token that was sent, None for one that is unknown or revoked."""
    digest = token_hash(secret)
    token = (
        ContributorToken.objects.filter(token_hash=digest, revoked_at=None)
        .select_related("system", "question_set__current_revision__question_set__benchmark")
        .first()
    )
    # The database compared already; this one takes as long for every hash.
    if token is None or not secrets.compare_digest(token.token_hash, digest):
        return None
    now = timezone.now()
    if token.last_used_at is None or token.last_used_at < now - _NOTED_AGAIN:
        ContributorToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


def token_hash(secret: str) -> str:
    """Return the SHA-256 of a token, as stored."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def note_use(*, token: ContributorToken, code: str) -> None:
    """Record a fetch or an upload. Raises TooManyRequestsError when there were too many in the last hour.

    The record is the action log: every web process and host counts the same.
    """
    now = timezone.now()
    hour = timedelta(hours=1)
    recent = ActionLog.objects.filter(
        code=code, object_type=token._meta.label_lower, object_id=str(token.pk), created_at__gt=now - hour
    ).order_by("created_at")
    times = list(recent.values_list("created_at", flat=True))
    most = _MOST_AN_HOUR[code]
    if len(times) >= most:
        seconds = max(1, int((times[len(times) - most] + hour - now).total_seconds()) + 1)
        raise TooManyRequestsError(
            f"This token allows {most} such requests an hour. Try again in {seconds} s.", retry_after=seconds
        )
    action_log(code=code, target=token)


def refuse_without_room(*, token: ContributorToken) -> None:
    """Raise TooManyWaitingError while as many submissions of this contributor wait for a review as may."""
    if token.submissions.filter(status=Submission.Status.WAITING).count() >= MOST_WAITING:
        raise TooManyWaitingError(
            f"{MOST_WAITING} of your submissions wait for a review. Send more when a maintainer has looked at them."
        )
