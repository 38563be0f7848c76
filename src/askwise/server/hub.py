"""All studies that are served: a file, the files of a folder, or a database; and a desk for each log in use."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

from askwise.errors import StudyError
from askwise.server import workers
from askwise.server.desk import Desk, Reserve
from askwise.server.learner import Job, Learner, travel
from askwise.server.openlog import OpenLog
from askwise.simulate.plan import Journey
from askwise.study.address import SUFFIX, Address
from askwise.study.journal import StudyJournal
from askwise.study.participants import Participant, settled, signed
from askwise.study.store import Record, Store

SEATED = 1000  # logs kept in memory
WAL_PAGES = 100  # some ten answers: to bring each one into the file by itself would take as long as writing it down


class NoSuchStudy(StudyError):
    """A study that is not served here."""


class Hub:
    """Finds studies by name, keeps their stores open, and tells who listens when something changed."""

    def __init__(self, target: str, learner: Learner):
        self.target = target
        self.learner = learner
        self.aside = Learner(
            1, workers.LONGEST
        )  # for what takes long and nobody who answers waits for: reports, the dashboard
        self.plans: dict[str, tuple[int, int]] = {}  # being simulated: people who are through, and all
        self.folder = Path(target) if Path(target).is_dir() else None
        self._stores: dict[str, Store] = {}
        self._records: dict[str, Record] = {}
        self._desks: OrderedDict[tuple[str, int], Desk] = OrderedDict()
        self._reserves: dict[str, Reserve] = {}
        self._listeners: dict[str, set[asyncio.Event]] = {}
        self._trips: dict[str, asyncio.Task[tuple[int, list[Journey]]]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()  # held, so that they are not dropped
        self._whole = (
            Store.at(Address.of(target), WAL_PAGES) if self.folder is None else None
        )  # refuses what is no study

    def names(self) -> list[str]:
        """The studies there are."""
        if self.folder is not None:
            return sorted(file.stem for file in self.folder.glob(f"*{SUFFIX}"))
        assert self._whole is not None
        name = self._whole.address.name
        return self._whole.names() if name is None else [name]

    def has(self, name: str) -> bool:
        """Whether there is such a study. Anybody may ask, so nothing is opened for it."""
        if name in self._stores:
            return True
        if self.folder is None:
            return name in self.names()
        try:
            return Path(name).name == name and (self.folder / f"{name}{SUFFIX}").is_file()
        except (OSError, ValueError):  # too long, or with characters that no file has
            return False

    def place(self, name: str) -> Address:
        """Where a study of that name is, or would be."""
        if self.folder is not None:
            return Address.of(self.folder / f"{name}{SUFFIX}")
        address = Address.of(self.target)
        return address if address.is_file else address.named(name)

    def store(self, name: str) -> Store:
        """The open store of a study; those of one database share its connections."""
        if not self.has(name):
            raise NoSuchStudy(f"there is no study {name!r}")
        if name not in self._stores:
            place = self.place(name)
            opened = Store.at(place, WAL_PAGES) if self._whole is None else Store(place, self._whole.engine)
            self._stores.setdefault(name, opened)
        return self._stores[name]

    def record(self, name: str) -> Record:
        return self.store(name).record()

    def known(self, name: str) -> Record:
        """The record as it was when the study was first used: its number and its recipe never change."""
        if name not in self._records:
            self._records[name] = self.record(name)
        return self._records[name]

    def signed(self, name: str, token: str) -> bool:
        """Whether a participant's token is sound, as far as is known without the database."""
        store, record = self._stores.get(name), self._records.get(name)
        if store is None or record is None or record.study not in store.secrets:
            return False
        return signed(store, record.study, token)

    async def desk(self, name: str, participant: Participant | None = None) -> Desk:
        """The desk where this person's answers go; without a participant, that of the study's own log."""
        log = (await asyncio.to_thread(self.known, name)).study if participant is None else participant.log
        if (name, log) not in self._desks:
            opened = await asyncio.to_thread(self._opened, name, log)
            self._desks.setdefault((name, log), opened)  # unless somebody was faster
        self._desks.move_to_end((name, log))
        while len(self._desks) > SEATED:
            self._desks.popitem(last=False)  # whoever comes back finds everything in the store
        return self._desks[name, log]

    def _opened(self, name: str, log: int) -> Desk:
        store = self.store(name)
        record = store.record(log)
        opened = OpenLog(StudyJournal(store, record), record.mode == "pooled")
        reserve = self._reserves.setdefault(name, Reserve())
        state = self.learner, lambda: self.changed(name), reserve, settled(store, log)[log]
        return Desk(opened, self.job(name, log), *state)

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
            job = self.job(name, self.known(name).study)
            self._trips[name] = asyncio.create_task(self.learner.run_aside(travel, job))
        task = self._trips[name]
        sound = task.done() and not task.cancelled() and task.exception() is None
        found: tuple[int, list[Journey]] = task.result() if sound else (0, [])
        return found[1]

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Has something done in the background."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

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
        for store in (*self._stores.values(), *([self._whole] if self._whole else [])):
            store.close()
