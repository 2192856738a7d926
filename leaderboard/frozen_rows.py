"""A constraint of a table whose rows are never changed: the database refuses every update, whoever asks."""

from typing import Any

from django.core import checks
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.backends.ddl_references import Statement, Table
from django.db.models import BaseConstraint, Model

# Where a table is made anew, as SQLite does to alter one, its triggers go with the old one. As a constraint of the
# model this one is made with every table.
_POSTGRESQL = """
CREATE OR REPLACE FUNCTION %(name)s_refuse() RETURNS trigger AS $refuse$
BEGIN
  RAISE EXCEPTION '%(message)s' USING ERRCODE = 'restrict_violation';
END;
$refuse$ LANGUAGE plpgsql;
CREATE TRIGGER %(name)s BEFORE UPDATE ON %(table)s FOR EACH ROW EXECUTE FUNCTION %(name)s_refuse()
"""
_SQLITE = """
CREATE TRIGGER %(name)s BEFORE UPDATE ON %(table)s
BEGIN
  SELECT RAISE(ABORT, '%(message)s');
END
"""


class FrozenRows(BaseConstraint):
    """No row is changed once it is there. An update ends in IntegrityError with `message`, a plain sentence."""

    def __init__(self, *, name: str, message: str) -> None:
        super().__init__(name=name)
        self.message = message

    def create_sql(self, model: type[Model] | None, schema_editor: BaseDatabaseSchemaEditor | None) -> Any:
        """Return the trigger that refuses updates."""
        if model is None or schema_editor is None:
            raise ValueError("A trigger needs a table and a database.")
        is_postgresql = schema_editor.connection.vendor == "postgresql"
        return Statement(
            _POSTGRESQL if is_postgresql else _SQLITE,
            table=Table(model._meta.db_table, schema_editor.quote_name),
            name=self.name,
            message=self.message,
        )

    def constraint_sql(self, model: type[Model] | None, schema_editor: BaseDatabaseSchemaEditor | None) -> Any:
        """Add the trigger to what is done once the table is there; nothing of it stands in the table itself."""
        if schema_editor is not None:
            schema_editor.deferred_sql.append(self.create_sql(model, schema_editor))

    def remove_sql(self, model: type[Model] | None, schema_editor: BaseDatabaseSchemaEditor | None) -> Any:
        """Return what takes the trigger away."""
        if model is None or schema_editor is None:
            raise ValueError("A trigger needs a table and a database.")
        is_postgresql = schema_editor.connection.vendor == "postgresql"
        return Statement(
            "DROP TRIGGER %(name)s ON %(table)s" if is_postgresql else "DROP TRIGGER %(name)s",
            table=Table(model._meta.db_table, schema_editor.quote_name),
            name=self.name,
        )

    def validate(self, *args: Any, **kwargs: Any) -> None:
        """Accept every row: only a change of one is refused, and that by the database."""

    def _check(self, model: type[Model], connection: Any) -> list[checks.CheckMessage]:
        return []

    def deconstruct(self) -> Any:
        """Return what a migration writes down."""
        path, args, kwargs = super().deconstruct()
        return path, args, {**kwargs, "message": self.message}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FrozenRows) and (self.name, self.message) == (other.name, other.message)

    def __hash__(self) -> int:
        return hash((self.name, self.message))
