"""The one lock order of the survey: whoever writes something of a person holds the person's row first."""

import logging
import random
import time
from collections.abc import Callable, Iterable
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import IntegrityError, OperationalError, connection
from django.db.models import F

from survey.errors import WithdrawnError
from survey.models import ConsentText, Participant

logger = logging.getLogger(__name__)

P = ParamSpec("P")
R = TypeVar("R")

WITHDRAWN = "You have withdrawn from this study; nothing more is stored."
ATTEMPTS = 5
LONGEST_WAIT_SECONDS = 0.05
# serialization_failure and deadlock_detected of PostgreSQL: nothing is wrong with the transaction itself.
LOST_TO_ANOTHER = frozenset({"40001", "40P01"})


def person_hold(participant: Participant) -> bool:
    """Hold a person's row until the transaction ends; return False for someone who has withdrawn.

    Call it first in every transaction that writes something of theirs: of two at the same moment one waits, neither
    is ended because each waits for the other, and a withdrawal deletes what was stored before it. Nothing is changed.
    """
    return bool(Participant.objects.filter(pk=participant.pk, withdrawn_at__isnull=True).update(withdrawn_at=None))


def people_hold(people: Iterable[Participant]) -> set[int]:
    """Hold the rows of several people until the transaction ends; return who is held, which is all but the withdrawn.

    In one order, whoever holds them: those under way first, then by id. The answer that ends a study holds its own
    person before those who may join with them. Call it before the study's or a benchmark's row is written.
    """
    return {person.pk for person in sorted(people, key=_turn) if person_hold(person)}


def _turn(person: Participant) -> tuple[bool, int]:
    return person.finished_at is not None, person.pk


def refuse_withdrawn(participant: Participant) -> None:
    """Hold a person's row as `person_hold` does; raise WithdrawnError for someone who has withdrawn."""
    if not person_hold(participant):
        raise WithdrawnError(WITHDRAWN)


def consent_text_hold(*, consent_text_id: int) -> None:
    """Hold a consent text until the transaction ends: nobody agrees to it while it is edited, nor the other way."""
    ConsentText.objects.filter(pk=consent_text_id).update(version=F("version"))


def done_again(service: Callable[P, R]) -> Callable[P, R]:
    """Call a service again, a few times, where its transaction met another's: it was ended, or found a row too late.

    The service has to begin with what is stored, and to raise no IntegrityError of its own. Within a transaction of
    the caller nothing is done again: only the whole can be.
    """

    @wraps(service)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        for attempt in range(1, ATTEMPTS):
            try:
                return service(*args, **kwargs)
            except (IntegrityError, OperationalError) as error:
                if connection.in_atomic_block or not _is_lost_to_another(error):
                    raise
                logger.info("%s met another write (attempt %d); doing it again", service.__name__, attempt)
                # By chance, so that two that met do not meet again.
                time.sleep(random.uniform(0, LONGEST_WAIT_SECONDS))  # noqa: S311 - no secret
        return service(*args, **kwargs)

    return wrapped


def _is_lost_to_another(error: Exception) -> bool:
    return isinstance(error, IntegrityError) or getattr(error.__cause__, "sqlstate", None) in LOST_TO_ANOTHER
