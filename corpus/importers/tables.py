"""Tables that go with a bank: topics as CSV, sets as lists of question keys."""

import csv
import re
from collections.abc import Iterable, Sequence
from io import StringIO
from pathlib import Path

from django.utils.text import slugify

from corpus.importers.sources import SourceError
from corpus.importers.types import TopicRow

_WORD_GAPS = re.compile(r"[\s_-]+")
_JOINED = re.compile(r",|\band\b", re.IGNORECASE)


def topic_slug(name: str) -> str:
    """Return what makes two spellings one topic: case, hyphens, underscores and outer spaces do not count."""
    return slugify(re.sub(r"[/_]+", " ", name), allow_unicode=True)


def topic_display(spellings: Iterable[str]) -> str:
    """Return the name to show for spellings of one topic, commonest first: the best written one.

    A spelling with spaces and capitals wins; one without capitals gets them.
    """
    names = [" ".join(name.split()) for name in spellings]
    written = [name for name in names if name != name.lower() and "_" not in name]
    chosen = written[0] if written else names[0]
    if "_" in chosen or chosen == chosen.lower():
        return " ".join(word[:1].upper() + word[1:] for word in _WORD_GAPS.sub(" ", chosen).split())
    return chosen


def read_topics(path: Path) -> list[TopicRow]:
    """Return the rows of a topics table. Columns: `index` (the key) and `topic`; `requires`, `difficulty` if given.

    Raise SourceError for a missing file, missing columns, a damaged line, a row without a topic, or a key with
    two topics.
    """
    table = csv.DictReader(StringIO(_text(path), newline=""))
    try:
        missing = {"index", "topic"}.difference(table.fieldnames or ())
        if missing:
            raise SourceError(f"{path} has no column {' and no column '.join(sorted(missing))}.")
        rows = [_topic_row(path, table.line_num, row) for row in table]
    except csv.Error as error:
        raise SourceError(f"{path}, line {table.reader.line_num}: {error}. Mend the table.") from None
    _refuse_contradictions(path, rows)
    return rows


def _topic_row(path: Path, line: int, row: dict[str, str | None]) -> TopicRow:
    key, topic = (row["index"] or "").strip(), (row["topic"] or "").strip()
    if not key or not topic_slug(topic):
        raise SourceError(f"{path}, line {line}: index and topic must both be given.")
    skills = [part.strip().lower() for part in _JOINED.split(row.get("requires") or "")]
    difficulty = (row.get("difficulty") or "").strip().lower().removeprefix("difficulty-")
    return TopicRow(key, topic, tuple(skill for skill in skills if skill), difficulty)


def _refuse_contradictions(path: Path, rows: list[TopicRow]) -> None:
    topics: dict[str, str] = {}
    for row in rows:
        before = topics.setdefault(row.key, row.topic)
        if topic_slug(before) != topic_slug(row.topic):
            raise SourceError(f'{path} gives {row.key} two topics: "{before}" and "{row.topic}". Keep one.')


def read_set(paths: Sequence[Path]) -> tuple[str, ...]:
    """Return the question keys of one or several files (one key a line), their union in order of appearance."""
    keys: dict[str, None] = {}
    for path in paths:
        keys.update(dict.fromkeys(line.strip() for line in _text(path).split("\n") if line.strip()))
    if not keys:
        raise SourceError(f"{', '.join(map(str, paths))}: no question key in it.")
    return tuple(keys)


def _text(path: Path) -> str:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(f"{path} is not UTF-8 (byte {error.start + 1}). Save it as UTF-8.") from None
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}.") from None
    before, nul, _ = text.partition("\0")
    if nul:
        line = before.count("\n") + 1
        raise SourceError(f"{path}, line {line}: a NUL character, which cannot be stored. Remove it.")
    return text
