"""Changes of a study that all servers of its database hear of at once, by PostgreSQL's NOTIFY."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, String, cast, func, literal, select

from askwise.storage.schema import studies

CHANNEL = "askwise_changes"


@dataclass(frozen=True)
class Change:
    """A study of which something was written. `events` is the length of its log `log`; 0: it was no event.

    >>> Change.of("3 17 40")
    Change(study=3, log=17, events=40)
    >>> Change.of("from another program") is None
    True
    """

    study: int
    log: int
    events: int

    @staticmethod
    def of(payload: str) -> Change | None:
        """The change that a notification tells of; None if it is of another kind."""
        parts = payload.split()
        return Change(*map(int, parts)) if len(parts) == 3 and all(part.isdecimal() for part in parts) else None


def announce(connection: Connection, log: int, events: int = 0) -> None:
    """Tells all servers of a change of a study or of one of its logs, once the transaction is committed."""
    if connection.dialect.name != "postgresql":
        return
    study = func.coalesce(studies.c.parent, studies.c.study)
    payload = func.concat_ws(literal(" "), cast(study, String), cast(log, String), cast(events, String))
    connection.execute(select(func.pg_notify(CHANNEL, payload)).where(studies.c.study == log))
