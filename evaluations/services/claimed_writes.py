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
    names = list(rows[0][2])
    fields = [_field("id"), _field("lease_token"), *(_field(name) for name in names)]
    quoted = connection.ops.quote_name
    statement = _WRITE.format(
        table=quoted(Item._meta.db_table),
        columns=", ".join(f"{quoted(_field(name).column)} = written.column{n}" for n, name in enumerate(names, 3)),
        rows=", ".join([_first_row(fields), *(_row(len(fields)) for _ in rows[1:])]),
    )
    values = [(item_id, token, *(written[name] for name in names)) for item_id, token, written in rows]
    with connection.cursor() as cursor:
        cursor.execute(statement, [prepared for row in values for prepared in _prepared(fields, row)])
        return {item_id for (item_id,) in cursor.fetchall()}


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
