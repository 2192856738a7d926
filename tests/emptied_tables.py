"""Empties the tables after a test with real transactions.

Django does it by making anew what belongs to the tables, content types and permissions, for every such test, and on
PostgreSQL by a new file for every table and index.
"""

from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import TransactionTestCase

# What migrating put there, and no test changes.
KEPT = {"auth_permission", "django_content_type", "django_migrations"}


def empty_tables(case: TransactionTestCase) -> None:
    """Delete every row but those that migrating made."""
    for alias in case._databases_names(include_mirrors=False):
        _delete_rows(connections[alias])


def _delete_rows(connection: BaseDatabaseWrapper) -> None:
    there = connection.introspection.django_table_names(only_existing=True, include_views=False)
    tables = [connection.ops.quote_name(table) for table in sorted(set(there) - KEPT)]
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # Whoever still writes is waited for, as the file of a table would be.
            cursor.execute(f"LOCK TABLE {', '.join(tables)} IN EXCLUSIVE MODE")
        for table in tables:
            cursor.execute(f"DELETE FROM {table}")  # noqa: S608 -- a name of ours
