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
    if person.for_everybody:
        return known
    if not person.joins:
        return [event for event in known if event.get("who") in (None, person.who)]
    # what was computed before they joined has the number of their place for a name
    places = {event["who"]: event["atom"][0] for event in (*known, *log.ask_events.values())}
    taken = {event["atom"][0]: event["who"] for event in log.ask_events.values()}
    free = [event["atom"][0] for event in known if event["atom"][0] not in taken]
    place = places.get(person.who)
    if place is None or taken.get(place, person.who) != person.who:
        place = next(iter(free), None)
    return [{**event, "who": person.who} for event in known if event["atom"][0] == place]
