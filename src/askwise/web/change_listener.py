"""Hears of what other servers write to the same PostgreSQL database, by its LISTEN. If the connection is lost, nothing
is: the log is read before an answer is judged, and whoever watches is woken when the connection is there again."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from askwise.storage.address import Address
from askwise.storage.changes import CHANNEL, Change
from askwise.storage.connection import LINE
from askwise.web.studies import ServedStudies

RETRY_SECONDS = 1.0  # before the next attempt to connect
logger = logging.getLogger("askwise.web")


async def follow_changes(studies: ServedStudies, address: Address) -> None:
    """Listens for as long as the server runs."""
    import psycopg

    where = address.url.set(drivername="postgresql").render_as_string(hide_password=False)
    while True:
        try:
            more: dict[str, Any] = dict(LINE)
            async with await psycopg.AsyncConnection.connect(where, autocommit=True, **more) as connection:
                await connection.execute(f"LISTEN {CHANNEL}")
                studies.start(studies.catch_up())
                async for notice in connection.notifies():
                    change = Change.of(notice.payload)
                    if change is not None:
                        studies.start(studies.heard(change))
        except (OSError, psycopg.Error) as error:
            logger.warning("changes of other servers are not heard of: %s", type(error).__name__)
        await asyncio.sleep(RETRY_SECONDS)
