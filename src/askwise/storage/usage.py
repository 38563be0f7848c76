"""Who did how much in a study: counted by the database, nothing is replayed."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import case, func, select

from askwise.storage.schema import events, logs_of, studies
from askwise.storage.store import Store

CLOSING = ("tell", "skip")


@dataclass(frozen=True)
class AnswerCount:
    """What somebody did in one log."""

    log: int
    who: str | None
    answers: int  # in force, skips too
    skips: int  # ever
    last: str | None  # when the last answer came


def answer_counts(store: Store, study: int) -> list[AnswerCount]:
    """By log of the study and by person. Every undo takes back one answer or skip, so what is left is in force.

    >>> import askwise, tempfile
    >>> from askwise.storage.address import Address
    >>> path = tempfile.mkdtemp() + "/drinks.askwise"
    >>> session = askwise.best_item(["tea", "coffee", "water"], seed=1)
    >>> for who in ("Ann", "Ben", "Ann"):
    ...     question = session.ask()
    ...     session.tell("left", who=who)
    >>> session.undo(who="Ann")
    >>> askwise.save(session, path)
    >>> [(one.who, one.answers) for one in answer_counts(Store.at(Address.of(path)), 1)]
    [('Ann', 1), ('Ben', 1)]
    """
    logs = select(studies.c.study).where(logs_of(study))
    given, undone, skipped = (
        func.sum(case((events.c.event.in_(kinds), 1), else_=0)) for kinds in (CLOSING, ("undo",), ("skip",))
    )
    last = func.max(case((events.c.event == "tell", events.c.time)))
    query = select(events.c.study, events.c.who, given, undone, skipped, last)
    query = query.where(events.c.study.in_(logs), events.c.event.in_((*CLOSING, "undo")))
    rows = store.read(query.group_by(events.c.study, events.c.who).order_by(events.c.study, events.c.who))
    return [AnswerCount(log, who, int(told - back), int(skips), time) for log, who, told, back, skips, time in rows]


def event_counts(store: Store, study: int) -> dict[int, int]:
    """How many events each log of the study has; a log without any is not there.

    >>> import askwise, tempfile
    >>> from askwise.storage.address import Address
    >>> path = tempfile.mkdtemp() + "/drinks.askwise"
    >>> session = askwise.best_item(["tea", "coffee", "water"], seed=1)
    >>> session.tell("left", session.ask())
    >>> askwise.save(session, path)
    >>> event_counts(Store.at(Address.of(path)), 1)
    {1: 2}
    """
    logs = select(studies.c.study).where(logs_of(study))
    query = select(events.c.study, func.count()).where(events.c.study.in_(logs)).group_by(events.c.study)
    return {row[0]: row[1] for row in store.read(query)}
