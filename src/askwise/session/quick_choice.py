"""A question in a hurry: from the draws of the last round that was computed, reweighed by the answers since."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from askwise.session import recording
from askwise.session.event_log import EventLog, ValidEvent
from askwise.session.events import Event
from askwise.types import Answer

if TYPE_CHECKING:
    from askwise.session.session import Session

CHEAP = ("ask", "skip", "show", "tell")  # events that change no belief, but for answers that count


def choose_reweighed(session: Session, events: Sequence[Event]) -> Event | None:
    """The question to ask after these events, which come next in the session's log, without an update of the posterior.

    None where that says too little: a question is open, an answer was taken back, or too few draws fit the new answers.
    What costs nothing is applied to the session, such as an answer whose round was prepared.

    >>> from askwise import best_item
    >>> session = best_item(["tea", "coffee", "water"], seed=1)
    >>> asked = session.ask()
    >>> told = session.event_log.tell_event("left", asked.id).event
    >>> choose_reweighed(session, [told])["info"]["reweighed"], len(session.answers)
    (1, 0)
    """
    log, waiting = session.event_log, list(events)
    while waiting:
        valid = log.validate(waiting[0])
        counted = _counted(log, valid)
        prepared = None if counted is None else session.prepared.find(log, valid)
        if prepared is None and (counted is not None or waiting[0]["event"] not in CHEAP):
            break
        recording.apply(session, valid, prepared)
        waiting.pop(0)
    log, answers = log.copy(), list[Answer]()
    for event in waiting:
        valid = log.validate(event)
        if event["event"] not in CHEAP:
            return None
        answers += [] if (counted := _counted(log, valid)) is None else [counted]
        log.append(valid)
    round = session.round.reweighed(answers)
    if round is None or log.open_ids or not len(round.fresh_atoms(log)):
        return None
    chosen = round.best(log, 1)[0]
    return {**chosen, "info": {**chosen["info"], "reweighed": len(answers)}}


def _counted(log: EventLog, valid: ValidEvent) -> Answer | None:
    """The answer of an event, unless it is one of somebody who is excluded."""
    return None if valid.event.get("who") in log.excluded else valid.answer
