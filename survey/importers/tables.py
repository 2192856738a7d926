"""Guarded reading of an export's tables and of the Python literals in their cells."""

import ast
import csv
import math
from collections.abc import Sequence
from io import StringIO
from typing import Any

from corpus.importers.types import BankFile
from survey.importers.types import Cells, UnreadableSurveyError

LONGEST_CELL = 100_000
LONGEST_LITERAL = 50_000
MOST_ROWS = 500_000


class CellError(ValueError):
    """A cell that does not hold what it should; the message says what was expected."""


def read_table(file: BankFile, *, columns: Sequence[str]) -> list[Cells]:
    """Return the rows of a CSV table with these columns at least; a cell that a short row lacks is empty.

    Raise UnreadableSurveyError with the line for a file that is no such table: damaged quotes, cells longer than
    `LONGEST_CELL` characters, NUL characters, another encoding than UTF-8, missing columns, too many rows.
    """
    # The module's limit is one for the whole process: it is put back.
    limit = csv.field_size_limit(LONGEST_CELL)
    try:
        table = csv.DictReader(StringIO(_text(file), newline=""), strict=True)
        missing = [name for name in columns if name not in (table.fieldnames or ())]
        if missing:
            raise UnreadableSurveyError(f"{file.path} has no column {' and no column '.join(missing)}.")
        rows: list[Cells] = []
        for row in table:
            if len(rows) >= MOST_ROWS:
                raise UnreadableSurveyError(f"{file.path} has more than {MOST_ROWS} rows; split it.")
            cells = {name: value or "" for name, value in row.items() if name is not None}
            rows.append(Cells(f"{file.path}, line {table.line_num}", cells))
    except csv.Error as error:
        raise UnreadableSurveyError(
            f"{file.path}, line {table.reader.line_num}: {error}. Mend the table or export it anew."
        ) from None
    finally:
        csv.field_size_limit(limit)
    return rows


def _text(file: BankFile) -> str:
    if file.problem:
        raise UnreadableSurveyError(f"{file.path}: {file.problem}")
    try:
        text = file.content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableSurveyError(f"{file.path} is not UTF-8 (byte {error.start + 1}). Save it as UTF-8.") from None
    before, nul, _ = text.partition("\0")
    if nul:
        line = before.count("\n") + 1
        raise UnreadableSurveyError(f"{file.path}, line {line}: a NUL character, which cannot be stored. Remove it.")
    return text


def literal_of(cell: str, *, column: str) -> dict[str, Any]:
    """Return the dictionary that a cell holds as a Python literal; nothing in it is ever run. Raise CellError."""
    if len(cell) > LONGEST_LITERAL:
        raise CellError(f"`{column}` is longer than {LONGEST_LITERAL} characters.")
    try:
        value = ast.literal_eval(cell)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        raise CellError(f"`{column}` holds no Python literal.") from None
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
        raise CellError(f"`{column}` is no dictionary with names.")
    return value


def text_in(value: dict[str, Any], name: str, *, column: str) -> str:
    """Return a text of a literal, "" where it is missing. Raise CellError for anything else."""
    text = value.get(name, "")
    if not isinstance(text, str):
        raise CellError(f"`{name}` in `{column}` is no text.")
    if any("\ud800" <= character <= "\udfff" or character == "\0" for character in text):
        raise CellError(f"`{name}` in `{column}` has a character in it that cannot be stored.")
    return text


def _is_figure(value: Any) -> bool:
    try:
        return not isinstance(value, bool) and isinstance(value, int | float) and math.isfinite(value)
    except OverflowError:
        # A whole number longer than any float.
        return False


def options_in(value: dict[str, Any], *, column: str) -> tuple[tuple[str, float], ...]:
    """Return the option texts of a literal with their figures, in its order; () where it has none. Raise CellError."""
    targets = value.get("target_scores")
    if targets is None:
        return ()
    if not isinstance(targets, dict) or not targets:
        raise CellError(f"`target_scores` in `{column}` is no dictionary of options.")
    for text, figure in targets.items():
        text_in({"an option": text}, "an option", column=column)
        if not _is_figure(figure):
            raise CellError(f"An option in `{column}` has no number beside it.")
    return tuple((text, float(figure)) for text, figure in targets.items())
