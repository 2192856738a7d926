"""Many items written at once, each only under its claim."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast
from uuid import UUID

from django.db import connection
from django.db.models import Field

from evaluations.models import Item

_WRITE = """
UPDATE {table} SET {columns}
FROM (VALUES {rows}) AS written
WHERE {table}.id = written.column1 AND {table}.lease_token = written.column2 AND {table}.status = 'leased'
RETURNING {table}.id"""


def write_claimed(*, rows: Sequence[tuple[int, UUID, Mapping[str, Any]]]) -> set[int]:
    """Write fields to leased items by (item id, token, values), in one statement; return the ids of those written.

    Every row has the same fields. An item whose claim is held under another token, or by nobody, is left as it is.
    """
    if not rows:
        return set()
    first = rows[0][2]
    # What all rows have alike is said once: long statements cost the driver time.
    alike = [name for name in first if all(values[name] == first[name] for _, _, values in rows)]
    names = [name for name in first if name not in alike]
    fields = [_field("id"), _field("lease_token"), *(_field(name) for name in names)]
    statement = _WRITE.format(
        table=connection.ops.quote_name(Item._meta.db_table),
        columns=", ".join([*(_set(name, "%s") for name in alike), *_set_by_row(names)]),
        rows=", ".join([_first_row(fields), *(_row(len(fields)) for _ in rows[1:])]),
    )
    parameters = _prepared([_field(name) for name in alike], [first[name] for name in alike])
    for item_id, token, values in rows:
        parameters += _prepared(fields, [item_id, token, *(values[name] for name in names)])
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return {item_id for (item_id,) in cursor.fetchall()}


def _set(name: str, value: str) -> str:
    return f"{connection.ops.quote_name(str(_field(name).column))} = {value}"


def _set_by_row(names: Sequence[str]) -> list[str]:
    return [_set(name, f"written.column{number}") for number, name in enumerate(names, 3)]


def _first_row(fields: Sequence["Field[Any, Any]"]) -> str:
    """Return the placeholders that say of which type the columns are; SQLite's have no types."""
    if connection.vendor != "postgresql":
        return _row(len(fields))
    return f"({', '.join(f'CAST(%s AS {_type(field)})' for field in fields)})"


def _row(length: int) -> str:
    return f"({', '.join(['%s'] * length)})"


def _type(field: "Field[Any, Any]") -> str:
    """Return a column's type; without a length, for a cast would cut what the column refuses."""
    name = str(field.rel_db_type(connection) if field.primary_key else field.db_type(connection))
    return "text" if name.startswith("varchar") else name


def _prepared(fields: Sequence["Field[Any, Any]"], row: Iterable[Any]) -> list[Any]:
    return [field.get_db_prep_save(value, connection) for field, value in zip(fields, row, strict=True)]


def _field(name: str) -> "Field[Any, Any]":
    return cast("Field[Any, Any]", Item._meta.get_field(name))
