"""Who answered: the names behind the ids that stand in a log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from askwise.session import Session
from askwise.storage.journal import StudyJournal
from askwise.storage.participants import Participant, people


@dataclass(frozen=True)
class StudyPeople:
    """The people of the study that a session belongs to.

    >>> StudyPeople(names={"x7": "Ann"}).name("x7"), StudyPeople().name("Ben")
    ('Ann', 'Ben')
    """

    study: str | None = None  # the name of the study; None for a session without one
    person: Participant | None = None  # whose log it is; None for the study's own
    names: Mapping[str, str] = field(default_factory=dict)  # by id

    def name(self, who: str | None) -> str | None:
        """The name of whoever answered."""
        return None if who is None else self.names.get(who, who)

    @property
    def title(self) -> str | None:
        """The study, and whose log it is.

        >>> StudyPeople("cars", Participant("x7", "Ann", "", 2, None, False)).title
        'cars: Ann'
        """
        return self.study if self.person is None else f"{self.study}: {self.person.name}"

    @property
    def handle(self) -> str | None:
        """How `--person` names whose log it is: by the id where two have the same name."""
        if self.person is None:
            return None
        same = [name for name in self.names.values() if name == self.person.name]
        return self.person.name if len(same) == 1 else self.person.participant


def people_of(session: Session) -> StudyPeople:
    """The people of a session's study.

    >>> from askwise.goals import best_item
    >>> people_of(best_item(["tea", "coffee"], seed=1)).title is None
    True
    """
    journal = session.journal
    if not isinstance(journal, StudyJournal):
        return StudyPeople()
    store, record = journal.store, journal.record
    study = record if record.parent is None else store.record(record.parent)
    invited = people(store, study.study)
    person = next((one for one in invited if one.log == record.study), None) if record.parent is not None else None
    return StudyPeople(study.name, person, {one.participant: one.name for one in invited})
