"""The journal of a stored session. A digest chains each event to those before it, and each is on disk at once."""

from __future__ import annotations

import json
import logging
from functools import cache
from importlib.metadata import version

from askwise._runtime.threads import processor
from askwise.errors import StudyError
from askwise.session import Session
from askwise.session.event_log import EventLog
from askwise.session.events import Event
from askwise.session.wording import Wording
from askwise.storage.checkpoints import dump_posteriors
from askwise.storage.items import append_to_logs
from askwise.storage.serialization import chain_digest, event_rows
from askwise.storage.store import EVENTS, Checkpoint, Record, Store

logger = logging.getLogger("askwise.storage")
CHECKPOINT_EVERY = 20  # changes of the answers in force


class StudyJournal:
    """Writes to one study of a store. `digests[p]` stands for the first p events."""

    def __init__(self, store: Store, record: Record):
        self.store = store
        self.record = record
        self.digests = [record.digest]
        self._kept = 0  # the revision of the last checkpoint
        self.wrote = False  # whether anything was added

    def append(self, position: int, *events: Event) -> bool:
        """Writes the events to that position and after it, all or none; False if others wrote there first."""
        before = self.digests[position]
        rows = event_rows(self.record.study, position, before, events)
        if events[0]["event"] == "items":
            [event] = events  # for the logs of everybody
            written = append_to_logs(self.store, self.record, position, before, event)
        else:
            written = self.store.append(self.record, position, before, rows)
        if not written:
            return False
        self.digests[position + 1 :] = [row["digest"] for row in rows]
        self.wrote = True
        return True

    def since(self, position: int) -> list[Event]:
        """The events from that position on. One that was changed after it was written is refused."""
        found = self.store.read(EVENTS, study=self.record.study, since=position)
        for number, (body, digest) in enumerate(found, position):
            self.digests[number + 1 :] = [chain_digest(self.digests[number], body)]
            if self.digests[number + 1] != digest:
                if number == 0 and self.is_outdated():
                    raise StudyError(f"another program began this log of {self.store.address} just now; open it again")
                where = f"event {number + 1} of {self.store.address}"
                raise StudyError(f"{where} was changed after it was written; take a copy from before")
        if position == 0 and self.record.head is not None and self.record.head not in self.digests:
            raise StudyError(f"the last events of {self.store.address} are gone; take a copy from before")
        return [json.loads(body) for body, _ in found]

    def is_outdated(self) -> bool:
        """Whether the log starts from another recipe than when it was opened. This can change until it begins."""
        return self.store.record(self.record.study).digest != self.record.digest

    def keep(self, session: Session) -> None:
        """Stores a checkpoint now and then, so that the study opens quickly."""
        if abs(session.round.beliefs.revision - self._kept) >= CHECKPOINT_EVERY:
            self.checkpoint(session)

    def keep_wording(self, wording: Wording) -> None:
        """Stores what people read from now on, in this log and in the others of its study."""
        study = self.record.study if self.record.parent is None else self.record.parent
        self.store.keep_wording(study, wording)

    def checkpoint(self, session: Session) -> None:
        """Stores the posterior if it can. Without a checkpoint the answers are replayed.

        A disk too full for a checkpoint may have had room for the answer, so a failure is not an error."""
        content = dump_posteriors(session.round.beliefs, session.prior)
        if content is not None and session.round.beliefs.revision != self._kept:
            position = len(session.log)
            kept = Checkpoint(position, self.digests[position], made_by(), content)
            try:
                self.store.keep_checkpoint(self.record.study, kept)
            except StudyError:
                logger.warning("no checkpoint could be kept: the study will open more slowly")
        self._kept = session.round.beliefs.revision

    def stands_for(self, kept: Checkpoint) -> bool:
        """Whether a checkpoint was made of this very log, by programs and a processor that would compute the same."""
        known = kept.position < len(self.digests) and self.digests[kept.position] == kept.digest
        return known and kept.made_by == made_by()


def journal_of(session: Session) -> StudyJournal:
    """The journal of a session that was opened from a study."""
    assert isinstance(session.journal, StudyJournal)
    return session.journal


def read_log(store: Store, log: int) -> EventLog:
    """The events of the log with that number, and no posterior."""
    found = EventLog()
    found.extend(StudyJournal(store, store.record(log)).since(0))
    return found


@cache
def made_by() -> str:
    """What a posterior depends on besides the log: the versions of programs and, in its last bits, the processor."""
    from askwise import __version__

    programs = [f"askwise {__version__}", *(f"{name} {version(name)}" for name in ("numpy", "scipy", "numba"))]
    return " ".join([*programs, "on", processor()])
