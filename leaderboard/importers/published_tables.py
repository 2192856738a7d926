"""Read a folder of printed tables (`fixtures/published`; its README describes the files)."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import NamedTuple

from leaderboard.papers import PAPERS, paper_of

INDEX = "tables.csv"
INDEX_FIELDS = ("file", "paper", "table", "board", "grouping", "measure", "remark")
ROW_FIELDS = ("system", "setting", "kind", "overall")
KINDS = ("model", "agent", "baseline", "human")
ACCURACY = "accuracy"


class PublishedTablesError(ValueError):
    """A file cannot be taken as it is; the message says which, where and what to do."""


class PrintedFigure(NamedTuple):
    """One printed figure with its digits; `topic` is empty for all questions."""

    system: str
    setting: str
    kind: str
    topic: str
    value: str


@dataclass(frozen=True, slots=True)
class PrintedTable:
    """A table as it was printed. `board` is the slug of the set whose board it belongs below, "" for none of ours."""

    paper: str
    table: str
    board: str
    grouping: str
    measure: str
    remark: str
    figures: tuple[PrintedFigure, ...]


def published_tables(folder: Path) -> list[PrintedTable]:
    """Return the tables that `tables.csv` names. Raise `PublishedTablesError` for anything that is not as described."""
    lines = list(_lines(folder / INDEX, INDEX_FIELDS))
    tables = [_table(folder, line) for line in lines]
    names = [(table.paper, table.table) for table in tables]
    if twice := {name for name in names if names.count(name) > 1}:
        raise PublishedTablesError(f"{INDEX} names {' '.join(min(twice))} twice. Keep one line for each table.")
    return tables


def _lines(path: Path, fields: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV file; its first columns have to be these."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PublishedTablesError(f"{path.name} cannot be read as a UTF-8 text file in {path.parent}.") from error
    reader = csv.DictReader(text.splitlines())
    header = tuple(reader.fieldnames or ())
    if header[: len(fields)] != tuple(fields):
        raise PublishedTablesError(f"{path.name} has to begin with the columns {', '.join(fields)}.")
    if len(set(header)) < len(header):
        raise PublishedTablesError(f"{path.name} names a column twice.")
    for line in reader:
        if None in line or None in line.values():
            raise PublishedTablesError(f"{path.name}, line {reader.line_num}: not as many cells as columns.")
        yield {name: cell.strip() for name, cell in line.items()}


def _table(folder: Path, line: Mapping[str, str]) -> PrintedTable:
    if paper_of(line["paper"]) is None:
        known = ", ".join(paper.slug for paper in PAPERS)
        raise PublishedTablesError(f"{INDEX}: no paper “{line['paper']}”. There are: {known}.")
    if Path(line["file"]).name != line["file"] or not line["table"] or not line["measure"]:
        raise PublishedTablesError(f"{INDEX}: each line needs a file of this folder, a table and a measure.")
    figures = tuple(_figures(folder / line["file"], line["measure"]))
    topics = {figure.topic for figure in figures} - {""}
    if topics and not line["grouping"]:
        raise PublishedTablesError(f"{INDEX}: {line['file']} has topics, so say of which grouping they are.")
    fields = {name: line[name] for name in INDEX_FIELDS if name != "file"}
    return PrintedTable(**fields, figures=figures)


def _figures(path: Path, measure: str) -> Iterator[PrintedFigure]:
    seen: set[tuple[str, str]] = set()
    for number, line in enumerate(_lines(path, ROW_FIELDS), start=2):
        where = f"{path.name}, line {number}"
        system, setting, kind = line.pop("system"), line.pop("setting"), line.pop("kind")
        if not system or kind not in KINDS:
            raise PublishedTablesError(f"{where}: a row needs a system and one of the kinds {', '.join(KINDS)}.")
        if (system, setting) in seen:
            raise PublishedTablesError(f"{where}: {system} {setting} stands there twice.")
        seen.add((system, setting))
        for column, cell in line.items():
            if cell:
                topic = "" if column == "overall" else column
                yield PrintedFigure(system, setting, kind, topic, _checked(cell, measure, f"{where}, {column}"))


def _checked(cell: str, measure: str, where: str) -> str:
    """Return the cell as it stands if it is a plain number; an accuracy is a share of 1."""
    try:
        number = Decimal(cell)
    except InvalidOperation as error:
        raise PublishedTablesError(f"{where}: “{cell}” is no number.") from error
    if not number.is_finite() or (measure == ACCURACY and not 0 <= number <= 1):
        raise PublishedTablesError(f"{where}: “{cell}” is no {measure}; an accuracy is written as a share of 1.")
    return cell
