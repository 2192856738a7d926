"""Read files of stated confidence: a zip or a folder with `results_<model>.csv`, columns `name` and `estimate`.

Nothing here knows the database. What a file states is kept as it stands; whether it is a level is said beside it.
"""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from corpus.importers.report_files import storable
from corpus.scoring.confidence_levels import HIGHEST, LOWEST
from evaluations.importers.chembench_reports import RefusedFile, UnreadablePackError, pack_files

IMPORTER = "confidence-csv@1"
KEY_COLUMN, LEVEL_COLUMN = "name", "estimate"
# A level as files write it: `4`, `4.0`.
_WHOLE = re.compile(r"([0-9]{1,3})(?:\.0{1,20})?")


class Stated(NamedTuple):
    """One line: the question's key and what is stated of its answer, "" where nothing is."""

    line: int
    key: str
    estimate: str


@dataclass(frozen=True, slots=True)
class ConfidenceFile:
    """What one file states of one model's answers; `source_name` is the model's name in the file's."""

    file: str
    source_name: str
    stated: tuple[Stated, ...]


@dataclass(frozen=True, slots=True)
class ConfidencePack:
    """Every file of a zip or folder, and those that could not be read."""

    files: tuple[ConfidenceFile, ...]
    refused: tuple[RefusedFile, ...]


def read_confidence_pack(path: Path) -> ConfidencePack:
    """Read a zip or a folder. Raise `UnreadablePackError` where it is neither, or holds no CSV file."""
    files, refused = [], []
    with pack_files(path) as found:
        for name, read in found:
            if name.suffix.lower() != ".csv":
                continue
            try:
                files.append(_file(name, read()))
            except ValueError as error:
                refused.append(RefusedFile(str(name), str(error)))
    if not files and not refused:
        raise UnreadablePackError(f"{path} holds no CSV file. It is a zip or a folder with results_<model>.csv in it.")
    return ConfidencePack(tuple(files), tuple(refused))


def level_of(estimate: str) -> int | None:
    """Return the level that is stated, None where none is. Raise ValueError for anything that is no level."""
    if not estimate:
        return None
    whole = _WHOLE.fullmatch(estimate)
    if whole is None or not LOWEST <= int(whole[1]) <= HIGHEST:
        raise ValueError(f"{estimate[:40]!r} is no level from {LOWEST} to {HIGHEST}.")
    return int(whole[1])


def _file(name: PurePosixPath, content: bytes) -> ConfidenceFile:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"The file is not text in UTF-8: {error}") from error
    return ConfidenceFile(str(name), name.stem.removeprefix("results_"), tuple(_stated(text)))


def _stated(text: str) -> Iterator[Stated]:
    lines = csv.DictReader(io.StringIO(text, newline=""))
    try:
        missing = [column for column in (KEY_COLUMN, LEVEL_COLUMN) if column not in (lines.fieldnames or ())]
        if missing:
            raise ValueError(f"The file has no column {' and no column '.join(missing)}.")
        for row in lines:
            key, estimate = (storable((row[column] or "").strip()) for column in (KEY_COLUMN, LEVEL_COLUMN))
            yield Stated(lines.line_num, key, estimate)
    except csv.Error as error:
        raise ValueError(f"The file cannot be read as CSV, line {lines.line_num}: {error}") from error
