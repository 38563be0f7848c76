"""All studies that are served: a file, the files of a folder, or a database; and a service for each log in use."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import OrderedDict, defaultdict
from collections.abc import Coroutine, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from askwise.errors import StudyError
from askwise.goals import goal_class
from askwise.goals.base.goal import row_count
from askwise.goals.base.registry import presentation_of, shown_options
from askwise.session.config import Present, Recipe
from askwise.session.event_log import EventLog
from askwise.session.wording import Wording
from askwise.simulate.runs import SimulatedRun
from askwise.storage.address import SUFFIX, Address
from askwise.storage.changes import Change
from askwise.storage.journal import StudyJournal
from askwise.storage.participants import (
    Participant,
    StudySettings,
    is_valid_token,
    options_shown,
    participant_for_token,
    settled,
)
from askwise.storage.populations import logs_before
from askwise.storage.store import Record, Store, stored_wording
from askwise.types import Option
from askwise.web.computed_states import ComputedStates, SharedFallback
from askwise.web.learner.dashboard import forget_watched
from askwise.web.learner.learner import Job, Learner, begin_log, forget_log, simulate_people
from askwise.web.learner.next_person import simulate_next_people
from askwise.web.learner.workers import Worker
from askwise.web.log_service import LogService
from askwise.web.simulated_runs import SimulatedRuns
from askwise.web.stored_fallback import load_fallback
from askwise.web.stored_log import StoredLog

MAX_OPEN_LOGS = 1000  # logs kept in memory
WAL_PAGES = 100  # about ten answers; merging each one into the file would double the time to write it
logger = logging.getLogger("askwise.web")


class NoSuchStudy(StudyError):
    """A study that is not served here."""


class ServedStudies:
    """Finds studies by name, keeps their stores open, and tells who listens when something changed."""

    def __init__(self, target: str, learner: Learner, root_path: str = ""):
        self.target = target
        self.root_path = root_path  # before every address, behind a proxy with a prefix
        self.stopping = False  # whether the server is about to stop
        self.learner = learner
        self.background = Worker()  # for long work that no participant waits for: reports, the dashboard
        self.plans: dict[str, tuple[int, int]] = {}  # being simulated: people done, people in all
        self.previews: dict[str, list[tuple[str, Any]]] = {}  # by study: what the owner answered in a preview
        self.folder = Path(target) if Path(target).is_dir() else None
        self._stores: dict[str, Store] = {}
        self._records: dict[str, Record] = {}
        self.wordings: dict[tuple[str, str | None], Wording] = {}  # by study and what its settings say
        self._services: OrderedDict[tuple[str, int], LogService] = OrderedDict()
        self._past_fallbacks = 0  # of logs that are not in memory any more
        self._fallbacks: dict[str, SharedFallback] = {}
        self._editions: dict[str, int] = {}  # of studies, as they were last seen
        self._presentations: dict[
            tuple[str, str, int, str], Present | None
        ] = {}  # by study, goal, number of rows and what is shown
        self._listeners: dict[str, set[asyncio.Event]] = {}
        # by study, and whether people start from others
        self._simulated_runs: defaultdict[tuple[str, bool], SimulatedRuns] = defaultdict(SimulatedRuns)
        self._tasks: set[asyncio.Task[Any]] = set()  # referenced, so that they are not garbage collected
        # refuses a file that is not a study
        self._whole = Store.at(Address.of(target), WAL_PAGES) if self.folder is None else None

    def names(self) -> list[str]:
        """The studies there are."""
        if self.folder is not None:
            return sorted(file.stem for file in self.folder.glob(f"*{SUFFIX}") if file.is_file())
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
        if name not in self._stores:
            if not self.has(name):
                raise NoSuchStudy(f"there is no study {name!r}")
            place = self.place(name)
            opened = Store.at(place, WAL_PAGES) if self._whole is None else Store(place, self._whole.engine)
            self._stores.setdefault(name, opened)
        return self._stores[name]

    def record(self, name: str) -> Record:
        return self.store(name).record()

    def known(self, name: str) -> Record:
        """The record as it was when the study was first used: its number never changes, and its recipe only when
        somebody is erased from a group."""
        if name not in self._records:
            self._records[name] = self.record(name)
        return self._records[name]

    def wording(self, name: str, changed: str | None) -> Wording:
        """What people of a study read; `changed` is what its settings say."""
        self.wordings[name, changed] = stored_wording(self.known(name).recipe, changed)
        return self.wordings[name, changed]

    def knows_token(self, name: str, token: str) -> bool:
        """Whether a participant's token is valid, as far as is known without the database."""
        store, record = self._stores.get(name), self._records.get(name)
        if store is None or record is None or record.study not in store.secrets:
            return False
        return is_valid_token(store, record.study, token)

    def participant(self, name: str, token: str, verified: bool) -> tuple[Record, Participant, StudySettings] | None:
        """The participant of a link, with the study and its settings; None if the link is not valid.

        `verified` says that the token was checked for this very study before.
        """
        try:
            record = self._records.get(name) or self.known(name)
        except NoSuchStudy:
            return None
        found = participant_for_token(self._stores[name], record.study, token, verified=verified)
        return None if found is None else (record, *found)

    async def service(
        self, name: str, participant: Participant | None = None, edition: int | None = None
    ) -> LogService:
        """The service where this person's answers go; without a participant, that of the study's own log. `edition` is
        that of the study: after answers in it were erased, on any server, its logs are read anew."""
        log = (await asyncio.to_thread(self.known, name)).study if participant is None else participant.log
        if edition is not None:
            await self.follow_edition(name, edition)
        fresh = (name, log) in self._services and not self._services[name, log].event_log.events
        if fresh and await asyncio.to_thread(self._services[name, log].log.journal.is_outdated):
            self._services.pop((name, log), None)  # another server has begun the log
        if (name, log) not in self._services:
            if participant is not None and await asyncio.to_thread(self._has_logs_before, name, log):
                await self._begin(name, log)
            opened = await asyncio.to_thread(self._opened, name, log)
            self._services.setdefault((name, log), opened)  # unless another request was faster
        self._services.move_to_end((name, log))
        while len(self._services) > MAX_OPEN_LOGS:
            _, closed = self._services.popitem(last=False)  # the store has everything for whoever comes back
            self._past_fallbacks += closed.fallback_count
        return self._services[name, log]

    async def follow_edition(self, name: str, edition: int) -> None:
        """Forgets the logs of a study if answers in it were erased, on any server, since they were read."""
        if self._editions.setdefault(name, edition) != edition:
            self._editions[name] = edition
            await self.forget_logs(name)

    async def forget_logs(self, name: str) -> None:
        """Forgets all logs of a study, since answers were erased."""
        for key in [key for key in self._services if key[0] == name]:
            self._services.pop(key, None)  # another request may have been faster
            await self.learner.run(forget_log, self.job(*key))
        if name in self._records:  # the recipe of a group names its people
            self._records[name] = await asyncio.to_thread(self.record, name)
        self._fallbacks.pop(name, None)
        await self.background.run(forget_watched, self.job(name, 0)[0])
        self.changed(name)

    async def forget_study(self, name: str) -> None:
        """Forgets a study that was deleted: the next one of this name has nothing of it."""
        where, _ = self.job(name, 0)
        for known in (self._stores, self._records, self._fallbacks, self._editions, self.previews):
            known.pop(name, None)
        by_study: list[dict[Any, Any]] = [self._services, self.wordings, self._presentations, self._simulated_runs]
        for kept in by_study:
            for key in [key for key in kept if key[0] == name]:
                del kept[key]
        await self.background.run(forget_watched, where)
        self.changed(name)

    async def forget_if_deleted(self, name: str) -> None:
        """Forgets a study that was deleted on another server."""
        if name in self._records and not await asyncio.to_thread(self.store(name).holds, self._records[name].study):
            await self.forget_study(name)

    def _has_logs_before(self, name: str, log: int) -> bool:
        store = self.store(name)
        return bool(logs_before(store, store.record(log)))

    async def _begin(self, name: str, log: int) -> None:
        """Lets a new person start from what those before have in common. If that fails, they start without it."""
        try:
            await self.learner.run(begin_log, self.job(name, log))
        except Exception:
            logger.exception("nothing could be learned from the people before log %s", log)

    def _opened(self, name: str, log: int) -> LogService:
        store = self.store(name)
        record = store.record(log)
        opened = StoredLog(StudyJournal(store, record), record.mode == "pooled")
        if name not in self._fallbacks:
            study = record.study if record.parent is None else record.parent
            stored = load_fallback(store, study, opened.event_log.pursued(record.recipe))
            self._fallbacks.setdefault(name, SharedFallback(stored))
        fallback = self._fallbacks[name]
        more = self.learner, partial(self.changed, name), fallback, settled(store, log)[log]
        return LogService(opened, ComputedStates(opened, self.job(name, log), *more))

    async def presentation(self, name: str, recipe: Recipe, log: EventLog, study: str | None = None) -> Present | None:
        """What completes the questions of a log, which begins with a recipe, with what people see. `study` is an event
        of the study's own log, as JSON, whose options come before those of the recipe."""
        pursued = log.pursued(recipe)
        goal, options = pursued["goal"], {**pursued["options"], **options_shown(study, pursued["goal"])}
        wanted = {option: options.get(option) for option in shown_options(goal_class(goal))}
        # rows only ever come: so many rows are always the same ones
        key = name, goal, row_count(pursued["data"]), json.dumps(wanted, sort_keys=True)
        if key not in self._presentations:
            made = await asyncio.to_thread(_presentation, {**pursued, "options": options})
            self._presentations[key] = made
        return self._presentations[key]

    def job(self, name: str, log: int) -> Job:
        """What a worker needs to find a log."""
        address = self.place(name)
        return (address.where if address.is_file else f"{address.where}#{address.name or ''}"), log

    def services(self, name: str) -> list[LogService]:
        """Those in use."""
        return [service for (study, _), service in self._services.items() if study == name]

    def open_stores(self) -> list[Store]:
        """Those of the studies that were used."""
        return list(self._stores.values())

    def all_services(self) -> list[LogService]:
        """Those of all studies."""
        return list(self._services.values())

    @property
    def watchers(self) -> int:
        """How many pages watch."""
        return sum(map(len, self._listeners.values()))

    @property
    def fallbacks(self) -> int:
        """Fallback questions asked since the server started."""
        return self._past_fallbacks + sum(service.fallback_count for service in self._services.values())

    def simulated_runs(self, name: str, people_before: int = 0) -> list[SimulatedRun]:
        """The runs of people simulated for this study, who start from others if there are `people_before`.

        The first call starts them and does not wait. When many people have come, it starts them again."""
        known = self._simulated_runs[name, people_before > 0]
        if known.is_due(people_before):
            job = self.job(name, self.known(name).study)
            if people_before:
                simulated = simulate_next_people(self.learner, job)
            else:
                simulated = self.learner.run_in_background(simulate_people, job)
            known.start(simulated, people_before, partial(self.changed, name))
        return known.runs

    def forget_simulations(self, name: str) -> None:
        """Forgets the people simulated for this study, since it is about other items now."""
        for before in (False, True):
            self._simulated_runs.pop((name, before), None)

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Has something done in the background. The log says if it fails."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("work in the background failed: %s: %s", type(error).__name__, error)

    def changed(self, name: str) -> None:
        """Wakes whoever watches the study."""
        for listener in self._listeners.get(name, ()):
            listener.set()

    async def heard(self, change: Change) -> None:
        """Takes in what another server wrote, or this one: a log in use catches up, and whoever watches hears of it."""
        for name in [name for name, record in self._records.items() if record.study == change.study]:
            if not change.events:
                await self.forget_if_deleted(name)
            service = self._services.get((name, change.log))
            if service is not None:
                known = len(service.event_log.changes)
                await service.catch_up(change.events)
                if len(service.event_log.changes) != known:
                    self.forget_simulations(name)  # they were about other items
            self.changed(name)

    def stop(self) -> None:
        """Ends what lasts, so that the server can stop: pages that watch connect again, perhaps to another server."""
        self.stopping = True
        self.wake_all()

    async def catch_up(self) -> None:
        """Takes in what other servers did while this one could not hear of it."""
        for name in list(self._records):
            await self.forget_if_deleted(name)
        self.wake_all()

    def wake_all(self) -> None:
        """Wakes everybody who watches, since changes may have been missed."""
        for name in list(self._listeners):
            self.changed(name)

    def listen(self, name: str) -> Iterator[asyncio.Event]:
        """An event that is set when something changed, for as long as it is held."""
        listener = asyncio.Event()
        self._listeners.setdefault(name, set()).add(listener)
        try:
            yield listener
        finally:
            self._listeners[name].discard(listener)

    async def finish(self) -> None:
        """Ends what is done in the background, before `close`."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.learner.stop()
        # a thread that still reads would leave its connection open
        await asyncio.get_running_loop().shutdown_default_executor()

    def close(self) -> None:
        self.learner.close()
        self.background.close()
        for store in (*self._stores.values(), *([self._whole] if self._whole else [])):
            store.close()


def _presentation(recipe: Recipe) -> Present | None:
    """What completes the questions of a recipe. What takes longest is computed here, once."""
    made = presentation_of(recipe)
    if made is not None:
        made((Option("", row=0),), "", None)  # an item as such, in no question
    return made
