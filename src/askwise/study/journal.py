"""The journal of a session that lasts: every event is chained to those before by a digest, and on disk at once."""

from __future__ import annotations

import json
import logging
from functools import cache
from importlib.metadata import version
from typing import Any

from askwise.conversation import Event
from askwise.errors import StudyError
from askwise.study.checkpoint import freeze
from askwise.study.store import Checkpoint, Record, Store, chained, written
from askwise.threads import processor

logger = logging.getLogger("askwise.study")
EVERY = 20  # answers after which a checkpoint is kept


class StudyJournal:
    """Writes to one study of a store. `digests[p]` stands for the first p events."""

    def __init__(self, store: Store, record: Record):
        self.store = store
        self.record = record
        self.digests = [record.digest]
        self._kept = 0  # the turn of the last checkpoint

    def append(self, position: int, *events: Event) -> bool:
        digests, rows = [self.digests[position]], []
        for event in events:
            body = written(event)
            digests.append(chained(digests[-1], body))
            rows.append((event, body, digests[-1]))
        if not self.store.append(self.record, position, digests[0], rows):
            return False
        self.digests[position + 1 :] = digests[1:]
        return True

    def since(self, position: int) -> list[Event]:
        found = self.store.events(self.record.study, position)
        for number, (body, digest) in enumerate(found, position):
            self.digests[number + 1 :] = [chained(self.digests[number], body)]
            if self.digests[number + 1] != digest:
                where = f"event {number + 1} of {self.store.address}"
                raise StudyError(f"{where} was changed after it was written; take a copy from before")
        if position == 0 and self.record.head is not None and self.record.head not in self.digests:
            raise StudyError(f"the last events of {self.store.address} are gone; take a copy from before")
        return [json.loads(body) for body, _ in found]

    def keep(self, session: Any) -> None:
        """A checkpoint now and then, so that opening takes a moment whatever happened."""
        if abs(session.turn.beliefs.turn - self._kept) >= EVERY:
            self.checkpoint(session)

    def checkpoint(self, session: Any) -> None:
        """Keeps the posterior as it stands. Without it the answers are replayed, so that failing to keep it is no
        failure: a disk that is full for it may have had room for the answer."""
        content = freeze(session.turn.beliefs, session.prior)
        if content is not None and session.turn.beliefs.turn != self._kept:
            position = len(session.log)
            kept = Checkpoint(position, self.digests[position], made_by(), content)
            try:
                self.store.keep_checkpoint(self.record.study, kept)
            except StudyError:
                logger.warning("no checkpoint could be kept: the study will open more slowly")
        self._kept = session.turn.beliefs.turn

    def stands_for(self, kept: Checkpoint) -> bool:
        """Whether a checkpoint was made of this very log, by programs and a processor that would compute the same."""
        known = kept.position < len(self.digests) and self.digests[kept.position] == kept.digest
        return known and kept.made_by == made_by()


@cache
def made_by() -> str:
    """What a posterior depends on beside the log: the programs and, in its last bits, the kind of processor."""
    from askwise import __version__

    programs = [f"askwise {__version__}", *(f"{name} {version(name)}" for name in ("numpy", "scipy", "numba"))]
    return " ".join([*programs, "on", processor()])
