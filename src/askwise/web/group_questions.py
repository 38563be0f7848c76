"""Which questions a person of a group may be asked, of those that the learner has computed for everybody."""

from __future__ import annotations

from collections.abc import Iterable

from askwise.session.event_log import EventLog
from askwise.session.events import Event
from askwise.web.respondent import Respondent


def questions_for(events: Iterable[Event], person: Respondent, log: EventLog) -> list[Event]:
    """The questions for this person, in their order; all where everybody is asked the same.

    Whoever joins a group of which only the size is known takes a place that nobody has been asked at.

    >>> events = [{"who": "person 1", "atom": [0, 0, 1]}, {"who": "person 2", "atom": [1, 0, 1]}]
    >>> questions_for(events, Respondent("Dora", joins=True), EventLog())
    [{'who': 'Dora', 'atom': [0, 0, 1]}]
    >>> questions_for(events, Respondent("person 2"), EventLog())
    [{'who': 'person 2', 'atom': [1, 0, 1]}]
    """
    known = list(events)
    own = known if person.for_everybody else [event for event in known if event.get("who") in (None, person.who)]
    if own or not person.joins or person.who in log.people_asked:
        return own
    taken = {event["atom"][0] for event in log.ask_events.values()}
    free = [event for event in known if event["atom"][0] not in taken]
    return [{**event, "who": person.who} for event in free if event["atom"][0] == free[0]["atom"][0]]
