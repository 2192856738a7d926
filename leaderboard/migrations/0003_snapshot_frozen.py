"""No published snapshot is changed: a trigger of the database refuses it, whoever asks.

SQLite drops triggers with a table that is made anew: a later migration that alters the table has to add it again. A
test asks for it.
"""

from typing import Any

from django.db import migrations

WORDS = "A published snapshot is never changed; publish another one."
POSTGRESQL = f"""
CREATE FUNCTION leaderboard_snapshot_refuse() RETURNS trigger AS $$
BEGIN
  RAISE EXCEPTION '{WORDS}' USING ERRCODE = 'restrict_violation';
END;
$$ LANGUAGE plpgsql;
CREATE TRIGGER leaderboard_snapshot_frozen BEFORE UPDATE ON leaderboard_snapshot
  FOR EACH ROW EXECUTE FUNCTION leaderboard_snapshot_refuse();
"""
SQLITE = f"""
CREATE TRIGGER leaderboard_snapshot_frozen BEFORE UPDATE ON leaderboard_snapshot
BEGIN
  SELECT RAISE(ABORT, '{WORDS}');
END
"""


def add(apps: Any, schema_editor: Any) -> None:
    statement = POSTGRESQL if schema_editor.connection.vendor == "postgresql" else SQLITE
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(statement)


def remove(apps: Any, schema_editor: Any) -> None:
    with schema_editor.connection.cursor() as cursor:
        if schema_editor.connection.vendor == "postgresql":
            cursor.execute("DROP TRIGGER leaderboard_snapshot_frozen ON leaderboard_snapshot")
            cursor.execute("DROP FUNCTION leaderboard_snapshot_refuse()")
        else:
            cursor.execute("DROP TRIGGER leaderboard_snapshot_frozen")


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0002_snapshot"),
    ]

    operations = [migrations.RunPython(add, remove)]
