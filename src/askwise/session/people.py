"""Whom a question asks, where a family asks several people: names and places, as the log says."""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING, Any

import numpy as np

from askwise.errors import SettingError
from askwise.options import text
from askwise.structures import AsksPeople, Family

if TYPE_CHECKING:
    from askwise.session.event_log import EventLog


def names_of_people(family: AsksPeople, log: EventLog) -> list[str]:
    """The names of everybody by place. In a group of which only the size is known, whoever was asked has a place.

    >>> from askwise.session.event_log import EventLog
    >>> from askwise.structures.groups import GroupChoice
    >>> names_of_people(GroupChoice(["Ann", "Ben"], 3), EventLog())
    ['Ann', 'Ben']
    """
    names = list(family.people)
    if not family.named:
        for event in log.ask_events.values():
            names[event["atom"][0]] = event.get("who", names[event["atom"][0]])
    return names


def place_of_person(family: Family, log: EventLog, who: Any) -> int:
    """The place of somebody; a newcomer gets a place that nobody has taken, if there is one.

    >>> from askwise.session.event_log import EventLog
    >>> from askwise.structures.groups import GroupChoice
    >>> place_of_person(GroupChoice(["Ann", "Ben"], 3), EventLog(), "Ben")
    1
    >>> place_of_person(GroupChoice(["Ann", "Ben"], 3), EventLog(), "Cleo")
    Traceback (most recent call last):
    askwise.errors.SettingError: there is no 'Cleo' in this group; the people are Ann, Ben
    """
    if not isinstance(family, AsksPeople):
        raise SettingError("everybody is asked the same here; leave out who, and give it with the answer")
    names = names_of_people(family, log)
    if text("who", who) in names:
        return names.index(who)
    taken = {event["atom"][0] for event in log.ask_events.values()}
    free = [place for place in range(len(names)) if place not in taken]
    if family.named or not free:
        more = "" if family.named else "; all places are taken"
        raise SettingError(f"there is no {reprlib.repr(who)} in this group; the people are {', '.join(names)}{more}")
    return free[0]


def person_asked(family: Any, log: EventLog, atom: Any) -> str:
    """The name of whom an atom asks.

    >>> from askwise.session.event_log import EventLog
    >>> from askwise.structures.groups import GroupChoice
    >>> person_asked(GroupChoice(["Ann", "Ben"], 3), EventLog(), (1, 0, 2))
    'Ben'
    """
    return names_of_people(family, log)[int(family.places(np.asarray(atom)[None])[0])]
