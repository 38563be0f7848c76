"""All studies that are served: a file, the files of a folder, or a database; and a desk for each log in use."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path

from askwise.errors import StudyError
from askwise.server.desk import Desk, Reserve
from askwise.server.learner import Job, Learner, travel
from askwise.simulate.plan import Journey
from askwise.study.address import SUFFIX, Address
from askwise.study.journal import StudyJournal
from askwise.study.participants import Participant
from askwise.study.store import Record, Store

SEATED = 1000  # logs kept in memory


class Hub:
    """Finds studies by name, keeps their stores open, and tells who listens when something changed."""

    def __init__(self, target: str, learner: Learner):
        self.target = target
        self.learner = learner
        self.aside = Learner(1)  # for what takes long and nobody who answers waits for: reports, the dashboard
        self.plans: dict[str, tuple[int, int]] = {}  # being simulated: people who are through, and all
        self.folder = Path(target) if Path(target).is_dir() else None
        self._stores: dict[str, Store] = {}
        self._records: dict[str, Record] = {}
        self._desks: OrderedDict[tuple[str, int], Desk] = OrderedDict()
        self._reserves: dict[str, Reserve] = {}
        self._listeners: dict[str, set[asyncio.Event]] = {}
        self._trips: dict[str, asyncio.Task[tuple[int, list[Journey]]]] = {}
        if self.folder is None:
            self.names()  # refuses what is no study at the start

    def names(self) -> list[str]:
        """The studies there are."""
        if self.folder is not None:
            return sorted(file.stem for file in self.folder.glob(f"*{SUFFIX}"))
        address = Address.of(self.target)
        if address.is_file:
            Store.at(address).close()
            return [Path(self.target).stem]
        return Store.at(address).names() if address.name is None else [address.name]

    def address(self, name: str) -> Address:
        if name not in self.names():
            raise StudyError(f"there is no study {name!r}")
        return self.place(name)

    def place(self, name: str) -> Address:
        """Where a study of that name is, or would be."""
        if self.folder is not None:
            return Address.of(self.folder / f"{name}{SUFFIX}")
        address = Address.of(self.target)
        return address if address.is_file else address.named(name)

    def store(self, name: str) -> Store:
        if name not in self._stores:
            self._stores[name] = Store.at(self.address(name))
        return self._stores[name]

    def record(self, name: str) -> Record:
        return self.store(name).record()

    def known(self, name: str) -> Record:
        """The record as it was when the study was first used: its number and its recipe never change."""
        if name not in self._records:
            self._records[name] = self.record(name)
        return self._records[name]

    def desk(self, name: str, participant: Participant | None = None) -> Desk:
        """The desk where this person's answers go; without a participant, that of the study's own log."""
        store = self.store(name)
        log = store.record().study if participant is None else participant.log
        if (name, log) not in self._desks:
            record = store.record(log)
            pooled = record.mode == "pooled"
            journal = StudyJournal(store, record)
            reserve = self._reserves.setdefault(name, Reserve())
            self._desks[name, log] = Desk(
                journal, self.job(name, log), self.learner, pooled, lambda: self.changed(name), reserve
            )
        self._desks.move_to_end((name, log))
        while len(self._desks) > SEATED:
            self._desks.popitem(last=False)  # whoever comes back finds everything in the store
        return self._desks[name, log]

    def job(self, name: str, log: int) -> Job:
        """What a worker needs to find a log."""
        address = self.place(name)
        return (address.where if address.is_file else f"{address.where}#{address.name or ''}"), log

    def desks(self, name: str) -> list[Desk]:
        """Those in use."""
        return [desk for (study, _), desk in self._desks.items() if study == name]

    def trips(self, name: str) -> list[Journey]:
        """People who were simulated for this study; the first call sends them out and does not wait."""
        if name not in self._trips:
            self._trips[name] = asyncio.create_task(
                self.learner.run_aside(travel, self.job(name, self.record(name).study))
            )
        task = self._trips[name]
        found: tuple[int, list[Journey]] = task.result() if task.done() and task.exception() is None else (0, [])
        return found[1]

    def changed(self, name: str) -> None:
        """Wakes whoever watches the study."""
        for listener in self._listeners.get(name, ()):
            listener.set()

    def listen(self, name: str) -> Iterator[asyncio.Event]:
        """An event that is set when something changed, for as long as it is held."""
        listener = asyncio.Event()
        self._listeners.setdefault(name, set()).add(listener)
        try:
            yield listener
        finally:
            self._listeners[name].discard(listener)

    def close(self) -> None:
        self.learner.close()
        self.aside.close()
        for store in self._stores.values():
            store.close()
