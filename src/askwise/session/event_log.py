"""The event log: the one place where events are checked and folded into state.

The log is append-only. An undo is one more event. An event may carry a key: sent twice, it counts once.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from askwise.errors import AnswerError
from askwise.session.events import (
    CHANGES,
    KINDS,
    WITHOUT_QUESTION,
    Event,
    check_ask_event,
    hashable_atom,
    match_response,
    new_event,
    question_id,
    question_of,
)
from askwise.session.item_events import check_items_event, recipe_after
from askwise.session.log_counts import LogCounts
from askwise.types import Answer, Question, Response

if TYPE_CHECKING:
    from askwise.session.config import Recipe

STATUS_AFTER = {"ask": "open", "tell": "answered", "skip": "skipped", "undo": "open"}  # of the question
CLOSED = ("answered", "skipped")


class ValidEvent(NamedTuple):
    """An event that may come next in a log. Only `EventLog.validate` and its like make one."""

    event: Event
    answer: Answer | None = None  # of a tell: what it means to a posterior
    canonical: Response | None = None  # of a tell: the first response of the question with the same meaning


class EventLog:
    """Events, and the state that follows from them.

    >>> from askwise.session.events import ask_event
    >>> from askwise.types import Option, Prompt, Scored
    >>> log = EventLog()
    >>> prompt = Prompt("label", (Option("x"),), ("yes", "no"), {"yes": 1, "no": -1}, "Is x good?")
    >>> log.append(log.validate(ask_event("q1", 0, prompt, Scored(np.array([1.0])), 0)))
    >>> log.append(log.tell_event("yes", who="Ann"))
    >>> log.status, len(log.answers), [event["response"] for event in log.closed("Ann")]
    ({'q1': 'answered'}, 1, ['yes'])
    """

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.ask_events: dict[str, Event] = {}  # by question
        self.status: dict[str, str] = {}  # by question: open, answered, skipped or withdrawn
        self.closing_events: dict[str, Event] = {}  # by question: its last answer or skip
        self.events_by_key: dict[str, Event] = {}
        self.answers: dict[str, tuple[int, Answer]] = {}  # in force, by question: the revision it came at, the answer
        self._given: dict[str, tuple[int, Answer]] = {}  # the same with the answers of people who are excluded
        self.excluded: frozenset[str] = frozenset()  # people whose answers do not count
        self.people: set[str | None] = set()  # who has answered or skipped a question
        self.people_asked: set[str] = set()  # whom questions asked; none where they ask anybody
        self.goal_events: list[Event] = []
        self.shown_options: dict[str, Any] = {}  # that say what people see, as changed since the present goal
        self.changes: list[Event] = []  # of the goal and of the items
        self.change_positions: list[int] = []
        self.retired: set[str] = set()  # names of items that are not asked about any more
        self.late_ids: set[str] = set()  # of questions that were withdrawn as an item retired; their answers count
        self._pursued: dict[int, Recipe] = {}  # the recipe after so many changes; one at most
        self.counts = LogCounts()
        self._closed: dict[str, Event] = {}  # by question: answers and skips in force, in the order they came
        self._closed_by: dict[str | None, dict[str, Event]] = {}  # the same by person
        self.open_ids: dict[str, None] = {}  # of the open questions, in any order
        self._atoms: dict[str, Any] = {}  # by question, hashable
        self._asked_at: dict[str, int] = {}  # by question: positions in the log
        self._closed_at: dict[str, int] = {}

    def copy(self) -> EventLog:
        """The same so far. What is appended to one does not show in the other."""
        other = copy(self)
        for name, value in vars(self).items():
            setattr(other, name, value if isinstance(value, frozenset) else value.copy())
        other._closed_by = {who: events.copy() for who, events in self._closed_by.items()}
        return other

    # ------------------------------------------------------------------ events that may come next

    def tell_event(
        self,
        response: Any,
        question: str | Question | None = None,
        who: str | None = None,
        *,
        seconds: float | None = None,
        key: str | None = None,
        cost: float | None = None,
        note: str | None = None,
    ) -> ValidEvent | None:
        """An answer to the open question, or to the one named; None if the same came before with this key."""
        if isinstance(key, str) and key in self.events_by_key:
            self._require_repeat("tell", question, key, who, response)
            return None
        id, who = self._addressed(question, who) if self.people_asked else (self.require_open(question), who)
        details = {"who": who, "seconds": seconds, "key": key, "cost": cost, "note": note}
        return self._answer(new_event("tell", id, response=response, **details))

    def skip_event(
        self,
        question: str | Question | None = None,
        reason: str | None = None,
        who: str | None = None,
        *,
        seconds: float | None = None,
        key: str | None = None,
        cost: float | None = None,
    ) -> ValidEvent | None:
        """A skip of the open question, or of the one named; None if the same came before with this key."""
        if isinstance(key, str) and key in self.events_by_key:
            self._require_repeat("skip", question, key, who)
            return None
        id, who = self._addressed(question, who) if self.people_asked else (self.require_open(question), who)
        return ValidEvent(new_event("skip", id, reason=reason, who=who, seconds=seconds, key=key, cost=cost))

    def undo_event(
        self, question: str | Question | None = None, who: str | None = None, *, key: str | None = None
    ) -> ValidEvent | None:
        """An undo of the last answer or skip, or of that to the question named; None if the same came before with this
        key. With `who`, only that person's answers count."""
        if isinstance(key, str) and key in self.events_by_key:
            self._require_repeat("undo", question, key, who)
            return None
        id = self.require_closed(question, who)
        return ValidEvent(new_event("undo", id, who=self.closing_events[id].get("who"), key=key))

    def is_known_change(self, key: str) -> bool:
        """Whether the items were changed before with this key. The key of another event is refused."""
        known = self.events_by_key.get(key)
        if known is not None and known["event"] != "items":
            raise AnswerError(f"the key {key!r} was used before, to {known['event']}; use another one")
        return known is not None

    def validate(self, event: Event) -> ValidEvent:
        """The event, if it may come next. Others are refused."""
        kind, id = event["event"], event.get("question")
        if kind not in KINDS:
            raise AnswerError(f"an event is {', '.join(KINDS)}, not {kind!r}")
        if not isinstance(event.get("time", ""), str):
            raise AnswerError(f"the time of an event is a text, not {reprlib.repr(event['time'])}")
        if kind not in WITHOUT_QUESTION and not isinstance(id, str):
            raise AnswerError(f"an event names its question, got {id!r}")
        if kind == "ask":
            check_ask_event(event)
            if id in self.ask_events:
                raise AnswerError(f"question {id} was asked before")
        elif kind in ("tell", "skip"):
            self.require_open(id)
        elif kind == "undo":
            self.require_closed(id)
        elif kind == "show" and not isinstance(event.get("options"), dict):
            raise AnswerError("an event that changes what is shown has no options")
        elif kind == "items":
            check_items_event(event)
        elif kind == "people":
            excluded = event.get("excluded")
            if not (isinstance(excluded, list) and all(isinstance(who, str) for who in excluded)):
                raise AnswerError("an event about people names those who are excluded, in a list")
        return self._answer(event) if kind == "tell" else ValidEvent(event)

    def require_open(self, question: str | Question | None) -> str:
        """The id of the question, which must be open; by default the first open one."""
        if question is None:
            ids = self.open_questions()
            if not ids:
                raise AnswerError("no question is open; call ask() first")
            return ids[0]
        id = question if isinstance(question, str) else question_id(question)
        status = self.status.get(id)
        if id in self.late_ids:
            return id
        if status is None:
            known = ", ".join(self.open_questions()) or "none"
            raise AnswerError(f"there is no question {reprlib.repr(id)}; the open ones are {known}")
        if status != "open":
            hint = "a new question took its place" if status == "withdrawn" else "undo it first to change it"
            raise AnswerError(f"question {id} was {status} before{self._by_whom(id)} and is not open; {hint}")
        return id

    def open_for(self, who: str) -> list[str]:
        """The open questions that this person may answer: their own, and those that ask anybody."""
        return [id for id in self.open_questions() if self.ask_events[id].get("who") in (None, who)]

    def _addressed(self, question: str | Question | None, who: str | None) -> tuple[str, str | None]:
        """The id of the question, which must be open, and whom it asks; by default the first one for this person."""
        if question is None and who is not None:
            question = next(iter(self.open_for(who)), None)
        id = self.require_open(question)
        asked = self.ask_events[id].get("who")
        if asked is not None and who is not None and who != asked:
            told = f"question {id} asks {asked}, not {reprlib.repr(who)}"
            raise AnswerError(f"{told}; answer one that asks them: ask(who=...) opens it")
        return id, who if asked is None else asked

    def require_closed(self, question: str | Question | None, who: str | None = None) -> str:
        """The id of the question, which must be answered or skipped; by default the last one that was. With `who`, only
        that person's answers count."""
        if question is None:
            theirs = self._closed if who is None else self._closed_by.get(who, {})
            if not theirs:
                whose = "" if who is None else f" of {who}"
                raise AnswerError(f"nothing to undo: no answer or skip{whose} is in force")
            return next(reversed(theirs))
        id = question if isinstance(question, str) else question_id(question)
        if id not in self._closed:
            status = self.status.get(id, "unknown")
            raise AnswerError(f"question {reprlib.repr(id)} has no answer to undo; it is {status}")
        if who is not None and self._closed[id].get("who") != who:
            raise AnswerError(f"question {id} was not answered by {who}; leave out who to take it back all the same")
        return id

    # ------------------------------------------------------------------ the fold

    def append(self, valid: ValidEvent) -> None:
        """Adds an event, and brings all state up to date with it."""
        event, (kind, id) = valid.event, (valid.event["event"], valid.event.get("question", ""))
        if kind == "goal":
            self.withdraw_open()  # they were chosen for another goal
            self.goal_events.append(event)
            self.shown_options = {}  # the options of the goal say it
        elif kind == "show":
            self.shown_options = event["options"]
        elif kind == "items":
            self.retired.update(event.get("retired", ()))
            self._withdraw_retired()
        elif kind == "people":
            self.answers, self.excluded = self.answers_without(event["excluded"]), frozenset(event["excluded"])
            self.change_positions.append(len(self.events))
        elif kind == "ask":
            self.ask_events[id], self._atoms[id] = event, hashable_atom(event["atom"])
            self._asked_at[id] = len(self.events)
            if "who" in event:
                self.people_asked.add(event["who"])
        elif kind == "undo":
            self._reopen(id)
        else:
            self.closing_events[id] = self._closed[id] = event
            self._closed_by.setdefault(event.get("who"), {})[id] = event
            self.people.add(event.get("who"))
            self._closed_at[id] = len(self.events)
        if kind in CHANGES:
            self.changes.append(event)
            self.change_positions.append(len(self.events))
        if kind not in WITHOUT_QUESTION:
            self.status[id] = STATUS_AFTER[kind]
            if kind in ("tell", "skip"):
                self.open_ids.pop(id, None)
                self.late_ids.discard(id)
            else:
                self.open_ids[id] = None
        if kind == "undo":
            self._withdraw_retired()
        if valid.answer is not None:
            self._given[id] = self.counts.revision, valid.answer
            if event.get("who") not in self.excluded:
                self.answers[id] = self._given[id]
        self.counts.add(event)
        self.events.append(event)
        if "key" in event:
            self.events_by_key[event["key"]] = event

    def extend(self, events: Iterable[Event]) -> None:
        """Adds events that were recorded elsewhere. One that may not come next is refused."""
        for event in events:
            self.append(self.validate(event))

    def withdraw_open(self) -> None:
        """Closes the open questions without an answer."""
        self._withdraw(self.open_questions())

    def _reopen(self, id: str) -> None:
        """Takes back an answer or skip. Open questions that were chosen after it are withdrawn: what they were based on
        is gone."""
        del self._closed[id], self._closed_by[self.closing_events[id].get("who")][id]
        self.answers.pop(id, None)
        self._given.pop(id, None)
        self._withdraw([other for other in self.open_ids if self._asked_at[other] > self._closed_at[id]])

    def _withdraw_retired(self) -> None:
        """Withdraws open questions about retired items. Who sees one may still answer it."""
        gone = [id for id in self.open_ids if self.retired.intersection(self.names_in(self.ask_events[id]))]
        self._withdraw(gone)
        self.late_ids.update(gone)

    @staticmethod
    def names_in(event: Event) -> list[str]:
        """The names of the items that a question shows."""
        return [option["name"] for option in event["options"]]

    def _withdraw(self, questions: list[str]) -> None:
        for id in questions:
            del self.open_ids[id]
            self.status[id] = "withdrawn"

    # ------------------------------------------------------------------ views

    def answers_without(self, excluded: Iterable[str]) -> dict[str, tuple[int, Answer]]:
        """The answers in force of everybody but these people."""
        left_out = set(excluded)
        return {id: given for id, given in self._given.items() if given[1].who not in left_out}

    def open_questions(self) -> list[str]:
        """The open questions, first asked first."""
        return sorted(self.open_ids, key=self._asked_at.__getitem__)

    def is_current(self, position: int, answers: int) -> bool:
        """Whether what was known at a position, with so many answers, is about the present answers, goal and items."""
        return answers == len(self.answers) and all(position > change for change in self.change_positions[-1:])

    def takes_answer(self, question: str) -> bool:
        """Whether the question is open, or was only withdrawn because an item retired."""
        return question in self.open_ids or question in self.late_ids

    def closed(self, who: str | None = None) -> list[Event]:
        """The answers and skips in force, in the order they came; with `who`, those of one person."""
        return list((self._closed if who is None else self._closed_by.get(who, {})).values())

    def closed_count(self, who: str | None = None) -> int:
        """How many answers and skips are in force; with `who`, those of one person."""
        return len(self._closed if who is None else self._closed_by.get(who, {}))

    def closing_history(self) -> list[tuple[Event, str]]:
        """Every answer and skip in the order they came, with its status: answered, skipped, excluded or undone."""
        closing = [event for event in self.events if event["event"] in ("tell", "skip")]
        in_force = {id(event) for event in self._closed.values()}
        return [(event, self._status_of(event) if id(event) in in_force else "undone") for event in closing]

    def _status_of(self, event: Event) -> str:
        """Of an answer or skip in force."""
        excluded = event["event"] == "tell" and event.get("who") in self.excluded
        return "excluded" if excluded else STATUS_AFTER[event["event"]]

    def unavailable_atoms(self, repeat: bool) -> set[Any]:
        """The atoms not to ask: those open or skipped, and those answered unless they may repeat."""
        free = ("withdrawn", "answered") if repeat else ("withdrawn",)
        return {self._atoms[id] for id, status in self.status.items() if status not in free}

    def last_atoms(self, count: int) -> set[Any]:
        """The atoms of the last questions, so many of them."""
        return {self._atoms[id] for id in list(self.ask_events)[-count:]} if count else set()

    def pursued(self, recipe: Recipe) -> Recipe:
        """The recipe of a session with the goal, the items and the options of now."""
        known, found = next(iter(self._pursued.items()), (0, recipe))
        new = self.changes[known:]
        for event in new:
            found = recipe_after(found, event)
        self._pursued = {known + len(new): found}  # another thread may add changes meanwhile
        return {**found, "options": {**found["options"], **self.shown_options}} if self.shown_options else found

    def question(self, id: str) -> Question:
        """The question of that id."""
        return question_of(self.ask_events[id])

    def _require_repeat(
        self, kind: str, question: str | Question | None, key: str, who: str | None, response: Any = None
    ) -> None:
        """Refuses the key of another event than this one."""
        known = self.events_by_key[key]
        id = known.get("question")
        meant = id if question is None else question_id(question)
        same = known["event"] == kind and meant == id and (who is None or known.get("who") == who)
        if same and kind == "tell":
            same = match_response(self.ask_events[str(id)], response).response == known["response"]
        if not same:
            raise AnswerError(f"the key {key!r} was used before, to {known['event']} question {id}; use another one")

    def _answer(self, event: Event) -> ValidEvent:
        """A tell event with what its response means."""
        question = self.ask_events[event["question"]]
        matched = match_response(question, event.get("response"))
        answer = Answer(np.asarray(question["atom"]), matched.code, event.get("who"), matched.left)
        return ValidEvent({**event, "response": matched.response}, answer, matched.canonical)

    def _by_whom(self, id: str) -> str:
        """What was answered before, and by whom, for a message."""
        closing = self._closed.get(id, {})
        parts = [repr(closing["response"])] if "response" in closing else []
        parts += [f"by {closing['who']}"] if closing.get("who") else []
        return f" ({' '.join(parts)})" if parts else ""
