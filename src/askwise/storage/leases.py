"""Leases: which question of a shared study was shown to whom. They are in the database, for all servers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import time

from sqlalchemy import delete, exc, insert, select

from askwise.storage.schema import leases
from askwise.storage.store import Store

LEASE_SECONDS = 120.0


@dataclass(frozen=True)
class Lease:
    """A question that was shown to somebody."""

    who: str
    until: float  # seconds since 1970

    @property
    def over(self) -> bool:
        return self.until < time()


def leases_of(store: Store, study: int) -> dict[str, Lease]:
    """By question."""
    rows = store.read(select(leases).where(leases.c.study == study))
    return {row.question: Lease(row.who, row.until) for row in rows}


def take_lease(store: Store, study: int, question: str, who: str) -> bool:
    """Reserves the question for this person, in place of the one they had; False if somebody else has it."""
    mine = leases.c.who == who
    over = (leases.c.question == question) & (leases.c.until < time())
    try:
        with store.begin() as connection:
            connection.execute(delete(leases).where(leases.c.study == study, mine | over))
            row = {"study": study, "question": question, "who": who, "until": time() + LEASE_SECONDS}
            connection.execute(insert(leases).values(**row))
    except exc.IntegrityError:
        return False
    return True


def end_leases(store: Store, study: int, holders: Sequence[str]) -> None:
    """Ends what these people have reserved."""
    with store.begin() as connection:
        connection.execute(delete(leases).where(leases.c.study == study, leases.c.who.in_(holders)))
