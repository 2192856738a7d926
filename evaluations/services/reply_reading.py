"""Read one reply and try the rule on it: the one path for replies asked here and for those that were sent in."""

import logging

from corpus.scoring.reading import read_answer
from corpus.scoring.rules import judge
from corpus.scoring.types import Asked, Reading, Target
from evaluations.storable_text import storable

logger = logging.getLogger(__name__)


def read_reply(
    *, text: str, finish_reason: str, asked: Asked, target: Target, reader: str, rule: str, name: str
) -> Reading | None:
    """Return what the reader finds, or None if reader or rule fail: a fault of theirs must not cost the answer.

    `name` says in the log whose reply it was.
    """
    try:
        reading = read_answer(text=storable(text), asked=asked, finish_reason=finish_reason, reader=reader)
        judge(reading=reading, target=target, rule=rule)
    except Exception:
        logger.exception("%s: the reply is stored, but could not be read or judged", name)
        return None
    return reading
