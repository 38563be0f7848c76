"""Studies: sessions in a file or a database; `open` reads one and `save` writes one.

Every event is on disk before it is acknowledged, and a checkpoint of the posterior, valid for one log only, saves the
time of a replay. This package knows goals and sessions; it knows nothing about the web or the command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import groupby
from pathlib import Path

from askwise.errors import StudyError
from askwise.goals import remake
from askwise.options import refusal
from askwise.session import Session, recording
from askwise.session.events import Event
from askwise.storage.address import Address
from askwise.storage.checkpoints import load_posteriors
from askwise.storage.journal import StudyJournal
from askwise.storage.participants import keep_reason, shown_to_all
from askwise.storage.serialization import pack_recipe, unpack_recipe
from askwise.storage.store import Store

Progress = Callable[[list[Event]], Iterable[Event]]  # hands the events on one by one, and shows how far it is


def open(address: str | Path, progress: Progress | None = None, log: int | None = None) -> Session:
    """The session of a study, as it stands. What it is told from now on is on disk before `tell` returns.

    :param address: A file, or a database and the name of a study in it: `postgresql://host/database#name`.
    :param progress: A function that hands on the events of a long log one by one, to show how many are replayed.
    :param log: The number of one participant's own log in the study.

    >>> import askwise, tempfile
    >>> path = tempfile.mkdtemp() + "/drinks.askwise"
    >>> askwise.save(askwise.best_item(["tea", "coffee", "water"], seed=1), path)
    >>> session = askwise.open(path)
    >>> question = session.ask()
    >>> session.tell("left")
    >>> askwise.open(path)
    <Session: best_item, 1 answers, 0 open>
    """
    return resume(Store.at(Address.of(address)), log, progress)


def resume(store: Store, log: int | None = None, progress: Progress | None = None) -> Session:
    """The same, of a store that is open already."""
    record = store.record(log)
    session = remake(record.recipe)
    journal = StudyJournal(store, record)
    events = journal.since(0)
    kept = store.checkpoint(record.study)
    resumed = kept is not None and journal.stands_for(kept)
    if kept is not None and resumed:
        resumed = recording.resume(session, events[: kept.position], partial(load_posteriors, kept.content))
    if not resumed:
        session.replay(progress(events) if progress is not None and events else events)
    session.journal = journal
    session.wording = store.wording(record)
    session.shown_to_all = shown_to_all(store, record)
    session.refresh()
    return session


def save(session: Session, path: str | Path) -> None:
    """Writes a session into a study, a new file or database entry; into its own study, it adds what is new.

    :param session: A session that one of the goals built.
    :param path: A file, or a database and a name in it: `postgresql://host/database#name`.

    >>> import askwise, tempfile
    >>> save(askwise.ranking(["tea", "coffee", "water"]), tempfile.mkdtemp() + "/drinks.askwise")
    """
    if not isinstance(session, Session):
        raise refusal("session", session, "an askwise.Session")
    if session.recipe is None:
        raise StudyError("the session was built by hand or with a function of your own, which a file cannot hold")
    address = Address.of(path)
    if not address.exists():
        Store.create(address, session.recipe, session.media, session.log)
    store = Store.at(address)
    record = store.record()
    if record.recipe != unpack_recipe(pack_recipe(session.recipe)):  # whatever the order of its options
        raise StudyError(f"{address} holds another study; choose another name, or delete it first")
    journal = StudyJournal(store, record)
    there = journal.since(0)
    if there != session.log[: len(there)]:
        raise StudyError(f"{address} has other answers than this session; choose another name to keep both")
    new = enumerate(session.log[len(there) :], len(there))
    for _, several in groupby(new, lambda each: each[0] if each[1]["event"] == "items" else -1):
        (position, first), *rest = several
        if not journal.append(position, first, *(event for _, event in rest)):
            raise StudyError(
                f"another program writes to {address}; nothing was added: choose another name to keep both"
            )
    if session.wording != store.wording(record):
        journal.keep_wording(session.wording)
    journal.checkpoint(session)
    if session.log:
        keep_reason(store, record.study, session.reason)
    store.close()


def close(session: Session) -> None:
    """Leaves a checkpoint, so that the study opens at once the next time, and lets go of the file."""
    journal = session.journal
    if isinstance(journal, StudyJournal):
        journal.checkpoint(session)
        if journal.wrote:
            keep_reason(journal.store, journal.record.study, session.reason)
        journal.store.close()
        session.journal = None
