"""The database's thread, and patience while the database is away."""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.db import InterfaceError, OperationalError, connection

logger = logging.getLogger(__name__)

DATABASE_PATIENCE_SECONDS = 60.0

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


async def in_database(
    function: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
) -> Result:
    """Call `function` in the database's thread; while the database is away, keep trying for a minute."""
    give_up_at = time.monotonic() + DATABASE_PATIENCE_SECONDS
    pause = 0.2
    while True:
        try:
            return await sync_to_async(function, thread_sensitive=True)(*args, **kwargs)
        except (InterfaceError, OperationalError) as error:
            is_closed = await sync_to_async(_close_connection, thread_sensitive=True)()
            if not is_closed or time.monotonic() > give_up_at:
                raise
            logger.warning("the database is away (%s); trying again", type(error).__name__)
            await asyncio.sleep(pause)
            pause = min(2 * pause, 5.0)


def _close_connection() -> bool:
    """Close the connection so that the next query opens a new one; return False inside a caller's transaction."""
    if connection.in_atomic_block:
        return False
    connection.close()
    return True
