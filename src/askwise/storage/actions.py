"""What was done about the people of a study: who joined, accepted or was excluded, and when."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, insert, select

from askwise.storage.schema import actions
from askwise.storage.store import Store


@dataclass(frozen=True)
class Action:
    """Something that somebody did."""

    time: str
    kind: str
    participant: str | None
    detail: Mapping[str, Any]


def note_action(
    connection: Connection,
    study: int,
    kind: str,
    participant: str | None = None,
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Notes it in the same transaction in which it is done."""
    moment = datetime.now(UTC).isoformat(timespec="milliseconds")
    row = {"study": study, "time": moment, "kind": kind, "participant": participant}
    connection.execute(insert(actions).values(**row, detail=json.dumps(detail) if detail else None))


def actions_of(store: Store, study: int) -> list[Action]:
    """Everything that was noted, the first first."""
    query = select(actions).where(actions.c.study == study).order_by(actions.c.action)
    return [
        Action(row.time, row.kind, row.participant, json.loads(row.detail) if row.detail else {})
        for row in store.read(query)
    ]
