"""PostgreSQL's figures of its tables, on which its plans rest."""

from django.db import connection
from django.db.models import Model


def tell_planner(*models: type[Model]) -> None:
    """Have PostgreSQL count the rows now: until it does, its plans take tables that were just filled for empty."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        for model in models:
            cursor.execute(f"ANALYZE {connection.ops.quote_name(model._meta.db_table)}")
