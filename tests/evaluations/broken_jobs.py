"""Jobs that fail as jobs do, for a real worker."""

from django.db import connection


def ask_for_a_table_that_is_not_there() -> None:
    """Raise a database error in the middle of a job."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM there_is_no_such_table")
