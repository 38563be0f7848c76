"""How events come into a session: new ones, those of a log that is replayed, and those that other programs wrote.

The same code applies an event when it happens and when it is replayed. With a journal, an event is on disk before it is
in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sized
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from askwise._runtime.threads import one_at_a_time
from askwise.errors import ContradictionError, DataError, NothingToAsk, SettingError, StudyError
from askwise.session.beliefs import Beliefs, TrailEntry
from askwise.session.contradictions import check_answer
from askwise.session.event_log import ValidEvent
from askwise.session.events import Event
from askwise.session.prepared_rounds import PreparedRounds
from askwise.session.round import Eligible, Round
from askwise.types import Question, Scored

if TYPE_CHECKING:
    from askwise.session.session import Session

MAX_ATTEMPTS = 100  # at writing one event, while others write theirs first
MakeEvent = Callable[[str | Question | None], ValidEvent | None]  # a question (None: the default one) -> the event


def record(session: Session, make: MakeEvent, question: str | Question | None = None) -> None:
    """Records the event that `make` gives for the question; nothing if it gives None.

    The one place where something new happens. If the posterior refuses an answer, nothing has changed. If others
    wrote to the journal first, their events are taken in, and the event is made again for the same question.
    """
    for _ in range(MAX_ATTEMPTS):
        valid = make(question)
        if valid is None:
            return
        round, position, journal = _round_after(session, valid), len(session.event_log.events), session.journal
        if journal is None or journal.append(position, valid.event):
            apply(session, valid, round)
            if journal is not None:
                journal.keep(session)
            return
        session.refresh()
        if len(session.event_log.events) == position:
            raise StudyError("the study takes no new events, though nobody else wrote; nothing was added")
        question = valid.event.get("question", question) if question is None else question
    raise StudyError("other programs keep writing to this study; nothing was added: try again when they are done")


def open_questions(session: Session, count: int, eligible: Eligible | None, who: str | None = None) -> list[Question]:
    """The first `count` open questions; with `who`, of those that ask this person. Opens as many as are missing, as far
    as there are candidates."""
    log = session.event_log

    def open_ids() -> Sized:
        return log.open_ids if who is None else log.open_for(who)

    def next_question(_: str | Question | None) -> ValidEvent | None:
        """None where others have opened enough."""
        return None if len(open_ids()) >= count else log.validate(session.round.choose(log, eligible, who))

    session.refresh()
    while len(open_ids()) < count:
        try:
            record(session, next_question)
        except NothingToAsk:
            if not open_ids():
                raise
            break
    ids = log.open_questions() if who is None else log.open_for(who)
    return [log.question(id) for id in ids[:count]]


def open_plate(session: Session, plates: dict[str, list[Any]]) -> list[Question]:
    """The open questions; if there are none, those of the best of these plates, which are opened."""
    log = session.event_log

    def pose(atom: Any, scored: Scored, _: str | Question | None) -> ValidEvent:
        return log.validate(session.round.pose(log, atom, scored))

    session.refresh()
    if not log.open_ids:
        plate = session.round.best_plate(log, plates)
        scored = Scored(np.array([plate.gain / len(plate.atoms)]), {"plate": plate.name})
        for atom in plate.atoms:
            record(session, partial(pose, atom, scored))
    return [log.question(id) for id in log.open_questions()]


def replay(session: Session, events: Iterable[Event]) -> None:
    """Applies a log to a new session. If an event is refused, the session is new again."""
    if session.log:
        raise SettingError(f"a log is replayed on a new session; this one has {len(session.log)} events")
    config = session.config
    try:
        for event in events:
            apply(session, session.event_log.validate(event))
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        number = len(session.log) + 1
        session._restart(config)
        raise DataError(
            f"event {number} of the log cannot be replayed ({type(error).__name__}: {error}); "
            "give the whole log of a session that was built the same way"
        ) from error


@one_at_a_time
def resume(session: Session, events: Iterable[Event], trail: tuple[TrailEntry, ...]) -> None:
    """Puts a new session where this log has led before, with the posteriors of its latest answers: at once."""
    log = session.event_log
    log.extend(events)
    for event in log.goal_events:
        session.config = session.config.with_goal(session.recipe, session.remake, event)
    config = session.config
    beliefs = Beliefs(session.prior, config.seed, log.answers.copy(), trail, log.counts.revision)
    session.round = Round(config, beliefs)


def apply(session: Session, valid: ValidEvent, round: Round | None = None) -> None:
    """Takes in an event: a new one, whose round is known, or one that happened before or elsewhere."""
    round = _round_after(session, valid) if round is None else round
    session.event_log.append(valid)
    if round is not session.round:
        session.round, session.config, session.prepared = round, round.config, PreparedRounds()


def _round_after(session: Session, valid: ValidEvent) -> Round:
    """The round that an event leads to: the same one unless the answers in force or the goal change."""
    event, config, beliefs = valid.event, session.config, session.round.beliefs
    id = event.get("question", "")
    if event["event"] == "goal":
        return Round(config.with_goal(session.recipe, session.remake, event), beliefs)
    if event["event"] == "undo" and id in beliefs.told:
        return Round(config, beliefs.undo(id))
    if valid.answer is None:
        return session.round
    try:
        return session.prepared.find(session.event_log, valid) or Round(config, beliefs.tell(id, valid.answer))
    except ContradictionError:
        check_answer(beliefs, session.event_log, valid)  # which names the answers
        raise
