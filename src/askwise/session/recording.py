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
from askwise.posteriors import Posterior
from askwise.session.beliefs import Beliefs, TrailEntry
from askwise.session.config import Recipe
from askwise.session.contradictions import check_answer
from askwise.session.event_log import EventLog, ValidEvent
from askwise.session.events import CHANGES, Event
from askwise.session.item_events import recipe_after
from askwise.session.prepared_rounds import PreparedRounds
from askwise.session.round import Eligible, Round
from askwise.types import Question, Scored

if TYPE_CHECKING:
    from askwise.session.session import Session

MAX_ATTEMPTS = 100  # at writing one event, while others write theirs first
Trail = tuple[TrailEntry, ...]
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
        if len(open_ids()) >= count:
            return None
        return log.validate(session.wording.apply(session.round.choose(log, eligible, who)))

    session.refresh()
    while len(open_ids()) < count:
        try:
            record(session, next_question)
        except NothingToAsk:
            if not open_ids():
                raise
            break
    ids = log.open_questions() if who is None else log.open_for(who)
    return [session.question(id) for id in ids[:count]]


def open_plate(session: Session, plates: dict[str, list[Any]]) -> list[Question]:
    """The open questions; if there are none, those of the best of these plates, which are opened."""
    log = session.event_log

    def pose(atom: Any, scored: Scored, _: str | Question | None) -> ValidEvent:
        return log.validate(session.wording.apply(session.round.pose(log, atom, scored)))

    session.refresh()
    if not log.open_ids:
        plate = session.round.best_plate(log, plates)
        scored = Scored(np.array([plate.gain / len(plate.atoms)]), {"plate": plate.name})
        for atom in plate.atoms:
            record(session, partial(pose, atom, scored))
    return [session.question(id) for id in log.open_questions()]


def replay(session: Session, events: Iterable[Event]) -> None:
    """Applies a log to a new session. If an event is refused, the session is new again."""
    if session.log:
        raise SettingError(f"a log is replayed on a new session; this one has {len(session.log)} events")
    config, prior = session.config, session.prior
    try:
        for event in events:
            apply(session, session.event_log.validate(event))
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        number = len(session.log) + 1
        session.prior = prior
        session._restart(config)
        raise DataError(
            f"event {number} of the log cannot be replayed ({type(error).__name__}: {error}); "
            "give the whole log of a session that was built the same way"
        ) from error


@one_at_a_time
def resume(session: Session, events: Iterable[Event], load: Callable[[Posterior], Trail | None]) -> bool:
    """Puts a new session where this log has led before, with the posteriors of its latest answers: at once.

    `load` gives these posteriors, which follow from that prior; False if it has none.
    """
    log, recipe, grown = EventLog(), session.recipe, session.recipe
    log.extend(events)
    for event in log.changes:
        assert recipe is not None
        recipe = recipe_after(recipe, event)
        grown = recipe if "added" in event else grown
    config, prior = session.config, session.prior
    if log.changes:
        config = config.changed(_remade(session, recipe).config, str(recipe and recipe["goal"]), len(log.changes))
        prior = prior if grown is session.recipe else _remade(session, grown).prior
    trail = load(prior)
    if trail is None:
        return False
    session.event_log, session.config, session.prior = log, config, prior
    known = log.answers.copy(), trail, log.counts.revision, config.anchor
    session.round = Round(config, Beliefs(prior, config.seed, *known))
    return True


def apply(session: Session, valid: ValidEvent, round: Round | None = None) -> None:
    """Takes in an event: a new one, whose round is known, or one that happened before or elsewhere."""
    round = _round_after(session, valid) if round is None else round
    session.event_log.append(valid)
    if round is not session.round:
        session.round, session.config, session.prepared = round, round.config, PreparedRounds()
        session.prior = round.beliefs.prior


def _round_after(session: Session, valid: ValidEvent) -> Round:
    """The round that an event leads to: the same one unless the answers in force, the goal or the items change."""
    event, config, beliefs = valid.event, session.config, session.round.beliefs
    id = event.get("question", "")
    if event["event"] in CHANGES:
        recipe = session.pursued and recipe_after(session.pursued, event)
        other = _remade(session, recipe)
        after = config.changed(other.config, str(recipe and recipe["goal"]))
        return Round(after, beliefs.with_prior(other.prior) if "added" in event else beliefs)
    if event["event"] == "people":
        return Round(config, beliefs.with_answers(session.event_log.answers_without(event["excluded"])))
    if event["event"] == "undo" and id in beliefs.told:
        return Round(config, beliefs.undo(id))
    if valid.answer is None or event.get("who") in session.event_log.excluded:
        return session.round
    try:
        return session.prepared.find(session.event_log, valid) or Round(config, beliefs.tell(id, valid.answer))
    except ContradictionError:
        check_answer(beliefs, session.event_log, valid)  # which names the answers
        raise


def _remade(session: Session, recipe: Recipe | None) -> Session:
    """A new session of another recipe."""
    if session.remake is None or recipe is None:
        raise SettingError("the session was built by hand, so it knows no other goal; build another one")
    return session.remake(recipe)
