"""Open questions of a shared study that people are looking at, and those that an oracle is asked.

In a shared study each open question belongs for some minutes to whoever sees it. An oracle takes part in this, so that
programs, and people in the browser, can answer at the same time.
"""

from __future__ import annotations

from collections.abc import Sequence

from askwise.session import Session
from askwise.storage.journal import StudyJournal
from askwise.storage.leases import end_leases, leases_of, take_lease
from askwise.types import Question


class Reservations:
    """The questions that an oracle has taken. Other studies, and sessions in memory, need none.

    A run that was killed leaves its questions to the next one of the same name.

    >>> from askwise import best_item
    >>> session = best_item(["tea", "coffee", "water"], seed=1)
    >>> mine = Reservations(session, "judge")
    >>> mine.held_by_others(), len(mine.taken(session.ask(2)))
    (set(), 2)
    """

    def __init__(self, session: Session, who: str | None):
        journal = session.journal
        self.journal = journal if isinstance(journal, StudyJournal) and journal.record.mode == "pooled" else None
        self.who = who
        self._taken: set[str] = set()

    def held_by_others(self) -> set[str]:
        """The questions that somebody else is answering."""
        if self.journal is None:
            return set()
        known = leases_of(self.journal.store, self.journal.record.study)
        return {id for id, lease in known.items() if lease.who != self._holder(id) and not lease.over}

    def taken(self, questions: Sequence[Question]) -> list[Question]:
        """Those of the questions that nobody else took before."""
        if self.journal is None:
            return list(questions)
        store, study = self.journal.store, self.journal.record.study
        found = [each for each in questions if take_lease(store, study, each.id, self._holder(each.id))]
        self._taken.update(each.id for each in found)
        return found

    def end(self) -> None:
        """Gives all of them back."""
        if self.journal is not None and self._taken:
            end_leases(self.journal.store, self.journal.record.study, [self._holder(id) for id in self._taken])
            self._taken.clear()

    def _holder(self, id: str) -> str:
        """Who has a question. Somebody has one at a time, so an oracle has a name for each."""
        return f"{self.who} at {id}"
