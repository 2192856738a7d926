"""Readers by name, and which rule may be put to which reader's readings."""

from corpus.scoring.published import READER as PUBLISHED_READER
from corpus.scoring.reading import reader_names
from corpus.scoring.rules import resolve_rule
from corpus.services.rescoring.types import RescoringError

PUBLISHED_RULE = "as-published"


def resolve_reader(name: str) -> str:
    """Return `name@version` for a reader; a name alone means its newest version. Raises RescoringError."""
    known = (*reader_names(), PUBLISHED_READER)
    if name in known:
        return name
    versions = [reader for reader in known if reader.partition("@")[0] == name]
    if not versions:
        raise RescoringError(f"There is no reader {name!r}. Registered: {', '.join(known)}.")
    return max(versions, key=lambda reader: int(reader.partition("@")[2]))


def reads_again(reader: str) -> bool:
    """Say whether a reader can read a stored answer again; a report's own parse exists only as it was stored."""
    return reader in reader_names()


def default_reader(rule: str) -> str:
    """Return the reader whose readings a rule judges unless told otherwise."""
    return PUBLISHED_READER if resolve_rule(rule).partition("@")[0] == PUBLISHED_RULE else resolve_reader("standard")


def check_pair(*, rule: str, reader: str) -> None:
    """Refuse the published rule for anything but published readings: a board under it shows published verdicts."""
    if rule.partition("@")[0] == PUBLISHED_RULE and reader != PUBLISHED_READER:
        raise RescoringError(
            f"The rule {rule} judges stored parses of reports only. Use the reader {PUBLISHED_READER}, or another rule."
        )
