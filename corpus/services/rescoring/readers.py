"""Readers by name, and which rule may be put to which reader's readings."""

from corpus.scoring.published import READER as PUBLISHED_READER
from corpus.scoring.reading import reader_names
from corpus.scoring.rules import resolve_rule
from corpus.scoring.survey_reports import READER as SURVEY_READER
from corpus.services.rescoring.types import RescoringError

PUBLISHED_RULE = "as-published"
# These rules judge what was stored at an import, by the reader on the right and nothing else.
_STORED_READERS = {PUBLISHED_RULE: PUBLISHED_READER, "survey-option-text": SURVEY_READER}


def resolve_reader(name: str) -> str:
    """Return `name@version` for a reader; a name alone means its newest version. Raises RescoringError."""
    known = (*reader_names(), *_STORED_READERS.values())
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
    return _STORED_READERS.get(_name(rule)) or resolve_reader("standard")


def check_pair(*, rule: str, reader: str) -> None:
    """Refuse a rule of imported results for anything but their own readings: a board under it shows those verdicts."""
    stored = _STORED_READERS.get(_name(rule))
    if stored is not None and reader != stored:
        raise RescoringError(
            f"The rule {rule} judges stored parses of imported results only. Use the reader {stored}, or another rule."
        )


def _name(rule: str) -> str:
    return resolve_rule(rule).partition("@")[0]
