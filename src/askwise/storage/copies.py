"""Copies of the people of a study: with their logs, their links, and what was noted about them."""

from __future__ import annotations

from sqlalchemy import insert, select, update

from askwise.storage.schema import actions, checks, events, participants, studies
from askwise.storage.store import Record, Store


def copy_participants(here: Store, study: Record, there: Store) -> None:
    """Copies the people of a study, with their logs and their links, to where the study itself was copied."""
    target = there.record()
    with here.begin() as source:
        shared = source.execute(select(studies).where(studies.c.study == study.study)).one()
        invited = list(source.execute(select(participants).where(participants.c.study == study.study)))
        logs = list(source.execute(select(studies).where(studies.c.parent == study.study)))
        told = {row.study: list(source.execute(select(events).where(events.c.study == row.study))) for row in logs}
        noted = {
            table: list(source.execute(select(table).where(table.c.study == study.study).order_by(*table.primary_key)))
            for table in (checks, actions)
        }
    with there.begin() as connection:
        kept = {"state": shared.state, "mode": shared.mode, "secret": shared.secret}
        kept |= {"settled": shared.settled, "why": shared.why, "beyond": shared.beyond, "wording": shared.wording}
        kept |= {"crowd": shared.crowd, "edition": shared.edition}
        connection.execute(update(studies).where(studies.c.study == target.study).values(**kept))
        moved = {study.study: target.study}
        for row in logs:
            values = {**row._asdict(), "parent": target.study, "name": f"{target.name}/{row.name.partition('/')[2]}"}
            del values["study"]
            made = connection.execute(insert(studies).values(**values)).inserted_primary_key
            moved[row.study] = int(made[0])  # type: ignore[index]
            for event in told[row.study]:
                connection.execute(insert(events).values(**{**event._asdict(), "study": moved[row.study]}))
        for person in invited:
            own = {"study": target.study, "log": moved[person.log]}
            connection.execute(insert(participants).values(**{**person._asdict(), **own}))
        for table in (checks, actions):
            for row in noted[table]:
                values = {name: value for name, value in row._asdict().items() if name != "action"}
                connection.execute(insert(table).values(**{**values, "study": target.study}))
