"""Computes the states of logs in worker processes, so that no page waits for arithmetic.

A worker reads a log from its store, brings the session up to date and says what to ask, now and after each possible
answer. It writes only checkpoints. The web process records questions and answers, with or without a learner.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from typing import Any

from askwise import storage
from askwise._runtime.streams import stream
from askwise.goals import goal_of
from askwise.report.people import people_of
from askwise.session import Session, contradictions, recording
from askwise.session.events import Event
from askwise.session.log_state import LogState, state_of_round
from askwise.session.quick_choice import choose_reweighed
from askwise.session.set_responses import BEST_WORST, outlooks_by_best
from askwise.simulate.runs import SimulatedRun
from askwise.storage import populations
from askwise.storage.address import Address
from askwise.storage.journal import StudyJournal, journal_of
from askwise.storage.store import Store
from askwise.structures import AsksPeople
from askwise.web.learner.workers import Worker

MAX_SESSIONS = 300  # that a worker keeps in memory
MAX_SECONDS = 1800.0  # for one call: a very long log is replayed from its beginning
MAX_SHARED_EVENTS = 12  # of logs that begin alike and share what is computed
FALLBACK_QUESTIONS = 6  # in a state, for when the learner is behind
STORED_FALLBACK_QUESTIONS = 40  # in the store, for when the server starts again
FALLBACK_OF_PERSON = 4  # of each person in a group
# of an event: all but who and when
SHARED_PARTS = ("event", "question", "atom", "options", "response", "goal", "added", "retired", "excluded")
# whose call goes first: of a person who waits; of a log whose state is behind; of states ahead, the likeliest first
URGENT_RANK, STATE_RANK, AHEAD_RANK = 0, 1, 2
Job = tuple[str, int]  # the address of a store, the number of a log in it

_stores: dict[str, Store] = {}  # of a worker
_sessions: OrderedDict[Job, Session] = OrderedDict()
_beginnings: OrderedDict[Any, Any] = OrderedDict()  # by recipe and first events: what is known after them


class Learner:
    """Computes what is known of logs, in worker processes. A log always goes to the same worker, which keeps
    its session in memory."""

    def __init__(self, workers: int | None = None):
        count = (os.cpu_count() or 1) if workers is None else workers
        self._workers = [Worker(max_seconds=MAX_SECONDS) for _ in range(count)]
        self._background: Worker | None = None

    async def run(self, function: Any, job: Job, *more: Any, rank: int = URGENT_RANK) -> Any:
        """What the function finds out about a log. Calls of a lower rank go first."""
        return await self._workers[job[1] % len(self._workers)].run(function, job, *more, rank=rank)

    async def run_in_background(self, function: Any, *more: Any) -> Any:
        """The same for what may take long: in a process of its own that yields to everything else."""
        self._background = self._background or Worker(idle_priority=True)
        return await self._background.run(function, *more)

    @property
    def waiting(self) -> int:
        """Calls that no worker has begun."""
        return sum(worker.waiting for worker in self._workers)

    def is_behind(self, job: Job) -> bool:
        """Whether the states of other logs are to be computed before a call about this one."""
        return self._workers[job[1] % len(self._workers)].has_waiting(STATE_RANK)

    async def stop(self) -> None:
        """Says goodbye where that takes time, before `close`."""

    def close(self) -> None:
        """Ends the workers."""
        for worker in (*self._workers, *([self._background] if self._background else [])):
            worker.close()


def begin_log(job: Job) -> bool:
    """Lets a participant's log start from what those before have in common, if it has not begun; in a worker."""
    found = populations.begin_log(_store(job[0]), job[1])
    if found:
        _sessions.pop(job, None)
    return found


def forget_log(job: Job) -> None:
    """Forgets a log in which answers were erased, so that it is read anew; in a worker."""
    _sessions.pop(job, None)
    _beginnings.clear()


def compute_state(job: Job, pooled: bool, beyond: bool = False) -> LogState:
    """Brings the session of a log up to date and says what to ask; in a worker.

    In a log that people share, each answer changes what is best for all; the best few questions are handed out in turn.
    `beyond` goes on asking although the goal is settled.
    """
    session = _session(job)
    journal = journal_of(session)
    journal.keep(session)
    beginning = _beginning(session, journal, ("now", pooled, beyond))
    state: LogState = _beginnings.get(beginning) or _state(session, pooled, beyond)
    _share(beginning, state)
    if state.done is not None:
        del _sessions[job]  # if the study continues all the same, it is loaded again
    return state


def catch_up(job: Job, answers: int) -> bool:
    """Takes in so many answers of a log that is far behind, and says whether there are more; in a worker. What somebody
    waits for is computed between two such calls."""
    session = _sessions.get(job)
    if session is None:
        return False
    for event in journal_of(session).since(len(session.event_log.events)):
        told = session.event_log.validate(event)
        if told.answer is not None and answers == 0:
            return True
        answers -= told.answer is not None
        recording.apply(session, told)
    return False


def fallback_questions(job: Job) -> list[Event]:
    """Questions for any log of the study, chosen at random, for when the server starts again; in a worker."""
    session = _session(job)
    log, round = session.event_log, session.round
    atoms = round.fresh_atoms(log)
    some = stream(session.config.seed, 0, "stored fallback").permutation(len(atoms))[:STORED_FALLBACK_QUESTIONS]
    return [round.pose(log, atoms[place]) for place in some]


def compute_state_after(job: Job, position: int, response: Any, who: str, asked: str | None = None) -> LogState | None:
    """The state after that answer to the question `asked`, or to the only open one, of a log of so many events; None if
    the log has moved on."""
    session = _session(job, position)
    if len(session.event_log.events) != position or not session.event_log.open_ids:
        return None
    beginning = _beginning(session, journal_of(session), ("after", response, asked), who)
    round = session.prepared.add(session.round, session.event_log, response, who, _beginnings.get(beginning), asked)
    _share(beginning, round)
    question = None if round.prepared_question is None else round.prepared_question[1]
    reason = round.prepared_reason
    if question is None and reason is None and asked is not None:  # others have open questions
        log, told = session.event_log.copy(), session.event_log.tell_event(response, asked, who)
        assert told is not None
        log.append(told)
        question = round.choose(log) if len(round.fresh_atoms(log)) else None
    return state_of_round(round, position + 1, question, question=question, done=reason, settled=reason)


def choose_quickly(job: Job) -> Event | None:
    """The question to ask now, from the draws of the last state that was computed, reweighed by the answers since; None
    if they say too little; in a worker."""
    session = _sessions.get(job)
    if session is None or isinstance(session.problem.family, AsksPeople):
        return None
    return choose_reweighed(session, journal_of(session).since(len(session.event_log.events)))


def check_answer(job: Job, question: str, response: Any, who: str) -> None:
    """Refuses an answer that contradicts others; in a worker."""
    session = _session(job)
    log = session.event_log
    if log.status.get(question) == "open":  # else the log has moved on, which is judged elsewhere
        told = log.tell_event(response, question, who)
        assert told is not None
        contradictions.check_answer(session.round.beliefs, log, told)


def explain_question(job: Job, question: str) -> list[dict[str, Any]]:
    """What each answer to the question would settle, or each choice of the best where the worst is asked for, too; in
    a worker."""
    session = _session(job)
    headline = goal_of(session).headline
    outlooks, asked = session.why(question), session.question(question)
    if asked.kind == BEST_WORST:
        outlooks = outlooks_by_best(asked.names, outlooks)
    return [
        {
            "response": found.response,
            "chance": found.chance,
            "diameter": found.diameter,
            "guess": headline(found.estimate.value),
        }
        for found in outlooks
    ]


def simulate_people(job: Job) -> tuple[int, list[SimulatedRun]]:
    """Simulates people from the start, for "about 12 more questions"; in a worker. Their runs are kept in the study."""
    from askwise.simulate import forecaster, workers

    session = _session(job)
    journal = journal_of(session)
    store, study = journal.store, journal.record.study
    since, runs = forecaster.load_runs(store, study, session.pursued)
    if not runs or since:
        assert session.pursued is not None
        packed, limit = workers.PackedSession(session.pursued), workers.answers_left(session)
        since, runs = 0, workers.simulate_people(packed, 2 * forecaster.PEOPLE, limit, forecaster.MAX_SECONDS)
        forecaster.save_runs(store, study, session.pursued, since, runs)
    return since, runs


def _session(job: Job, position: int | None = None) -> Session:
    """The session of a log as it is now, or at least after its first `position` events."""
    store = _store(job[0])
    if job not in _sessions or not _sessions[job].event_log.events:  # what a log starts from can change until it begins
        _sessions[job] = storage.resume(store, job[1])
    elif position is None or len(_sessions[job].event_log.events) < position:
        _sessions[job].refresh()
    _sessions.move_to_end(job)
    while len(_sessions) > MAX_SESSIONS:
        _sessions.popitem(last=False)
    return _sessions[job]


def _store(where: str) -> Store:
    """The open store. If its file was deleted and another study has its name by now, nothing is kept of the old one."""
    if where in _stores and not _stores[where].is_in_place():
        for job in [job for job in _sessions if job[0] == where]:
            del _sessions[job]
        _stores.pop(where).close()
    if where not in _stores:
        _stores[where] = Store.at(Address.of(where))
    return _stores[where]


def _beginning(session: Session, journal: StudyJournal, what: Any, who: str | None = None) -> Any:
    """What identifies all logs that begin alike, so that something is computed once for them; None if it is not shared.
    `who` answers next, if anybody.

    Where several people answer in one log, their reliability and their tastes belong to them and their study alone.
    """
    events, people = session.event_log.events, session.event_log.people | ({who} if who else set())
    alone = len(people) <= 1 and not isinstance(session.config.problem.family, AsksPeople)
    if len(events) > MAX_SHARED_EVENTS or not alone:
        return None
    parts = (str([event.get(part) for part in SHARED_PARTS]) for event in events)
    return (journal.record.digest, what, *parts)


def _share(beginning: Any, value: Any) -> None:
    if beginning is not None:
        _beginnings[beginning] = value
        _beginnings.move_to_end(beginning)
        while len(_beginnings) > MAX_SESSIONS:
            _beginnings.popitem(last=False)


def _state(session: Session, pooled: bool, beyond: bool) -> LogState:
    log, round, reason = session.event_log, session.round, session.reason
    ids = log.open_questions()
    waiting = log.ask_events[ids[0]] if ids else None
    atoms = round.fresh_atoms(log)
    options = session.pursued["options"] if session.pursued else {}
    known: dict[str, Any] = {"settled": reason, "beyond": beyond, "budget": options.get("budget")}
    known["questions_left"] = len(atoms) > 0
    if reason is not None and not (beyond and len(atoms)):
        found = session.certificate()
        if found.uneven_sides:
            found = found.with_names(people_of(session).names)
        known |= {"done": reason, "certificate": str(found), "certainty": goal_of(session).certainty(found)}
    elif len(atoms) and (pooled or not ids):
        asks_people = isinstance(session.problem.family, AsksPeople)
        count = FALLBACK_OF_PERSON if asks_people else FALLBACK_QUESTIONS
        waiting, *fallback = round.best(log, count, everybody=asks_people)
        known |= {"question": waiting, "fallback": tuple(fallback)}
    else:
        some = stream(session.config.seed, len(log.events), "spares").permutation(len(atoms))[:FALLBACK_QUESTIONS]
        known |= {"fallback": tuple(round.pose(log, atoms[place]) for place in some)}
    return state_of_round(round, len(log.events), waiting, **known)
