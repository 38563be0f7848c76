"""The tables of a study, the same on SQLite and PostgreSQL, and the migrations of older ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    func,
    insert,
    inspect,
    select,
    text,
    update,
)

from askwise.errors import StudyError

VERSION = 5
LOCK = 4_173_026  # of PostgreSQL: one program at a time brings tables up to date

metadata = MetaData()

schema = Table(
    "askwise",
    metadata,
    Column("version", Integer, primary_key=True),
    Column("digest", Text),  # of the recipe of a file's study, so that another study's -wal file is found out
)

studies = Table(
    "studies",
    metadata,
    Column("study", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("created", Text, nullable=False),
    Column("askwise", Text, nullable=False),  # the version that made it
    Column("recipe", LargeBinary, nullable=False),  # the goal, the data and the options: JSON, compressed
    Column("parent", Integer),  # of one participant's own log: the study it belongs to
    Column("state", Text, nullable=False, server_default="open"),  # open, paused or closed
    Column("mode", Text, nullable=False, server_default="own"),  # own: a log a participant; pooled: one for all
    Column("secret", Text),  # signs the links of participants
    Column("settled", Text),  # of a log: the reason to stop, as it was last found
    Column("why", Integer),  # whether people may see what is expected of their answers; NULL: as usual for the mode
    Column("beyond", Integer, nullable=False, server_default="0"),  # whether it goes on although it is settled
    Column("head", Text),  # the digest of the last event, so that one that is taken away is missed
    Column("wording", Text),  # what people read, JSON; NULL: as the recipe says
    Column("crowd", Text),  # who may join by an open link, and what they meet, JSON; NULL: nobody
    Column("edition", Integer, nullable=False, server_default="0"),  # of the log: how often answers in it were erased
)


def _of_study() -> Column[int]:
    return Column("study", Integer, ForeignKey("studies.study", ondelete="CASCADE"), primary_key=True)


events = Table(
    "events",
    metadata,
    _of_study(),
    Column("position", Integer, primary_key=True),  # 0, 1, ...: no gap, nothing twice
    Column("event", Text, nullable=False),
    Column("question", Text),
    Column("response", Text),
    Column("who", Text),
    Column("time", Text, nullable=False),
    Column("seconds", Float),
    Column("key", Text),
    Column("body", Text, nullable=False),  # the whole event, JSON; the other columns are for people who look inside
    Column("digest", Text, nullable=False),  # of the recipe and all events up to this one
    UniqueConstraint("study", "key"),
)

images = Table(  # pictures, sounds and films
    "images",
    metadata,
    _of_study(),
    Column("name", Text, primary_key=True),
    Column("content", LargeBinary, nullable=False),
)

checkpoints = Table(
    "checkpoints",
    metadata,
    _of_study(),
    Column("position", Integer, nullable=False),
    Column("digest", Text, nullable=False),
    Column("made_by", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
)

forecasts = Table(
    "forecasts",
    metadata,
    _of_study(),
    Column("goal", Text, primary_key=True),
    Column("body", Text, nullable=False),
)


participants = Table(
    "participants",
    metadata,
    _of_study(),
    Column("participant", Text, primary_key=True),  # what their link says
    Column("name", Text, nullable=False),
    Column("created", Text, nullable=False),
    Column("log", Integer, nullable=False),  # the study that their answers go to
    Column("quota", Integer),  # answers at most
    Column("paused", Integer, nullable=False, server_default="0"),
    Column("external", Text),  # a keyed hash of who they are at a panel; NULL: they were invited by name
    Column("parameters", Text),  # of the link with which they came, JSON
    Column("language", Text),  # that the link asked for
    Column("consent", Text),  # the version of the text that they accepted
    Column("status", Text),  # declined, screened out, excluded or erased; NULL: they may answer
    Index("participants_external", "study", "external", unique=True),
)

checks = Table(  # questions with a known answer and repeated ones: no answers of a log
    "checks",
    metadata,
    _of_study(),
    Column("participant", Text, primary_key=True),
    Column("number", Integer, primary_key=True),  # 0, 1, ... for each person
    Column("kind", Text, nullable=False),  # attention or repeat
    Column("question", Text, nullable=False),  # what was asked, JSON
    Column("response", Text),
    Column("passed", Integer, nullable=False),
    Column("time", Text, nullable=False),
    Column("seconds", Float),
    Column("key", Text, nullable=False),
)

actions = Table(  # what was done about people, by themselves or by an owner; never about their answers
    "actions",
    metadata,
    Column("action", Integer, primary_key=True),
    Column("study", Integer, ForeignKey("studies.study", ondelete="CASCADE"), nullable=False),
    Column("time", Text, nullable=False),
    Column("kind", Text, nullable=False),  # joined, accepted, declined, screened out, excluded, included, erased ...
    Column("participant", Text),
    Column("detail", Text),
)

owner_tokens = Table(
    "owner_tokens",
    metadata,
    Column("name", Text, primary_key=True),
    Column("role", Text, nullable=False),  # owner or viewer
    Column("hash", Text, nullable=False, unique=True),  # of the token, which nobody stores
    Column("created", Text, nullable=False),
)

leases = Table(
    "leases",
    metadata,
    _of_study(),
    Column("question", Text, primary_key=True),
    Column("who", Text, nullable=False),  # the participant to whom the open question was shown
    Column("until", Float, nullable=False),  # seconds since 1970
)


def logs_of(study: int) -> ColumnElement[bool]:
    """Selects the study's own log and those of its participants."""
    return (studies.c.study == study) | (studies.c.parent == study)


def _people(connection: Connection) -> None:
    """Version 2: participants of a study."""
    for column in (
        "parent INTEGER",
        "state TEXT NOT NULL DEFAULT 'open'",
        "mode TEXT NOT NULL DEFAULT 'own'",
        "secret TEXT",
    ):
        connection.execute(text(f"ALTER TABLE studies ADD COLUMN {column}"))
    connection.execute(
        text(
            "CREATE TABLE participants (study INTEGER NOT NULL REFERENCES studies (study) ON DELETE CASCADE, "
            "participant TEXT NOT NULL, name TEXT NOT NULL, created TEXT NOT NULL, log INTEGER NOT NULL, "
            "quota INTEGER, paused INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (study, participant))"
        )
    )


def _leases(connection: Connection) -> None:
    """Version 3: who is being asked what in a study that people share, what its owner decided, and where logs end."""
    for column in ("settled TEXT", "why INTEGER", "beyond INTEGER NOT NULL DEFAULT 0", "head TEXT"):
        connection.execute(text(f"ALTER TABLE studies ADD COLUMN {column}"))
    leases.create(connection)
    last = select(events.c.digest).where(events.c.study == studies.c.study).order_by(events.c.position.desc()).limit(1)
    connection.execute(update(studies).values(head=last.scalar_subquery()))
    connection.execute(text("ALTER TABLE askwise ADD COLUMN digest TEXT"))


def _wording(connection: Connection) -> None:
    """Version 4: what people read can change."""
    connection.execute(text("ALTER TABLE studies ADD COLUMN wording TEXT"))


def _crowds(connection: Connection) -> None:
    """Version 5: people join by an open link; checks, consent, and who may see a study."""
    for column in ("crowd TEXT", "edition INTEGER NOT NULL DEFAULT 0"):
        connection.execute(text(f"ALTER TABLE studies ADD COLUMN {column}"))
    for name in ("external", "parameters", "language", "consent", "status"):
        connection.execute(text(f"ALTER TABLE participants ADD COLUMN {name} TEXT"))
    for index in participants.indexes:
        index.create(connection)
    for table in (checks, actions, owner_tokens):
        table.create(connection)


MIGRATIONS: Mapping[int, Callable[[Connection], None]] = {
    1: _people,
    2: _leases,
    3: _wording,
    4: _crowds,
}  # from that version to the next one


def is_current(connection: Connection) -> bool:
    """Whether the tables are there, in the version of this askwise."""
    there = inspect(connection).has_table(schema.name)
    return there and connection.execute(select(schema.c.version)).scalar_one() == VERSION


def bring_up_to_date(connection: Connection, where: str) -> None:
    """Makes the tables, or migrates older ones, one version at a time."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(LOCK)))  # SQLite lets in one writer at a time anyway
    if not inspect(connection).has_table(schema.name):
        metadata.create_all(connection)
        connection.execute(insert(schema).values(version=VERSION))
        return
    found = connection.execute(select(schema.c.version)).scalar_one()
    if not isinstance(found, int) or found < min(VERSION, *MIGRATIONS):
        raise StudyError(f"{where} says that its format is {found!r}, which no askwise wrote; take a copy from before")
    if found > VERSION:
        raise StudyError(
            f"{where} was written by a newer askwise (format {found}, this one reads up to {VERSION}); update askwise"
        )
    for version in range(found, VERSION):
        MIGRATIONS[version](connection)
        connection.execute(update(schema).values(version=version + 1))
