"""What was asked and what became of it, folded from an append-only log of events.

An event is a plain dict that JSON can hold: a question asked, told, skipped or undone, or another goal taken up. The
past never changes; an undo is one more event. An event may carry a key: sent twice, it counts once.
"""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from decimal import Decimal
from numbers import Real
from typing import Any, Protocol

import numpy as np

from askwise.errors import AnswerError
from askwise.types import Answer, Option, Prompt, Question, Response, Scored

Event = dict[str, Any]
STANDING = {"ask": "open", "tell": "answered", "skip": "skipped", "undo": "open"}  # of the question, after the event
KINDS = (*STANDING, "goal")
CLOSED = ("answered", "skipped")
NUMBER = "number"  # the kind of question that is answered with a number of one's own
# what comes with an answer: how many letters it may have, and an example
TEXTS = {"who": (200, "Ann"), "key": (200, "k1"), "reason": (2000, "both unknown")}
MAX_SECONDS = 1e9
OPTION_PARTS = ({"name"}, {"name", "image"})
PARTS: dict[str, Any] = {  # of the event of a new question, and of what kind they are
    "atom": (int, float, list),
    "kind": str,
    "options": list,
    "responses": list,
    "codes": list,
    "text": str,
    "gain": (int, float),
    "info": dict,
}


class Journal(Protocol):
    """Where events last: the file or the database of a study."""

    def append(self, position: int, event: Event) -> bool: ...  # True once it is on disk; False if the place is taken
    def since(self, position: int) -> list[Event]: ...  # what is there from that place on
    def keep(self, session: Any) -> None: ...  # after each event: a chance to save what a replay would have to compute


class Conversation:
    """The log, and the standing of every question: open, answered, skipped or withdrawn.

    >>> talk = Conversation()
    >>> shown = Prompt("label", (Option("x"),), ("yes", "no"), {"yes": 1, "no": -1}, "Is x good?")
    >>> talk.record(asked("q1", 0, shown, Scored(np.array([1.0])), 0))
    >>> talk.record({"event": "tell", "question": "q1", "response": "yes", "who": None})
    >>> talk.status
    {'q1': 'answered'}
    """

    def __init__(self) -> None:
        self.log: list[Event] = []
        self.asked: dict[str, Event] = {}
        self.status: dict[str, str] = {}
        self.closing: dict[str, Event] = {}  # of each question: the answer or skip that came last
        self.keys: dict[str, Event] = {}

    def copy(self) -> Conversation:
        """The same so far; what is recorded in one does not show in the other."""
        other = Conversation()
        other.log = self.log.copy()
        for part in ("asked", "status", "closing", "keys"):
            setattr(other, part, getattr(self, part).copy())
        return other

    def repeated(
        self,
        kind: str,
        question: str | Question | None,
        key: str | None,
        response: Response | None = None,
        *,
        who: str | None = None,
    ) -> bool:
        """True if the key is known and this is the same event once more; the key of another event is refused."""
        plain_details({"key": key, "who": who})
        if key is None or key not in self.keys:
            return False
        known = self.keys[key]
        id = known.get("question")
        meant = id if question is None else _id(question)
        same = known["event"] == kind and meant == id and (who is None or known.get("who") == who)
        if not same or (kind == "tell" and self.match(known["question"], response) != known["response"]):
            raise AnswerError(f"the key {key!r} was used before, to {known['event']} question {id}; use another one")
        return True

    def check(self, event: Event) -> None:
        """Refuses an event that cannot come next."""
        kind, id = event["event"], event.get("question")
        if kind not in KINDS:
            raise AnswerError(f"an event is {', '.join(KINDS)}, not {kind!r}")
        if not isinstance(event.get("time", ""), str):
            raise AnswerError(f"the time of an event is a text, not {reprlib.repr(event['time'])}")
        if kind == "goal":
            return
        if not isinstance(id, str):
            raise AnswerError(f"an event names its question, got {id!r}")
        if kind == "ask" and id in self.asked:
            raise AnswerError(f"question {id} was asked before")
        if kind == "ask" and not all(isinstance(event.get(part), kinds) for part, kinds in PARTS.items()):
            raise AnswerError(f"question {id} lacks one of {', '.join(PARTS)}, or it is of another kind")
        if kind == "ask" and not (
            all(
                isinstance(option, dict) and {"name"} <= option.keys() <= {"name", "image"}
                for option in event["options"]
            )
            and all(isinstance(pair, list) and len(pair) == 2 for pair in event["codes"])
        ):
            raise AnswerError(f"question {id} shows something else than options, or its codes are no pairs")
        if kind in ("tell", "skip"):
            self.to_answer(id)
        if kind == "tell":
            self.match(id, event["response"])
        if kind == "undo":
            self.to_undo(id)

    def record(self, event: Event) -> None:
        """Appends an event, which was checked before."""
        id, kind = event.get("question", ""), event["event"]
        if kind == "goal":
            self.withdraw()  # chosen for what nobody wants to know now
        else:
            self.status[id] = STANDING[kind]
        if kind == "ask":
            self.asked[id] = event
        elif kind == "undo":
            self._withdraw_after(id)
        elif kind in ("tell", "skip"):
            self.closing[id] = event
        self.log.append(event)
        if "key" in event:
            self.keys[event["key"]] = event

    def withdraw(self) -> None:
        """Closes the open questions without an answer."""
        self.status |= dict.fromkeys(self.open(), "withdrawn")

    def open(self) -> list[str]:
        """The open questions, first asked first."""
        return [id for id, status in self.status.items() if status == "open"]

    def taken(self, repeat: bool) -> set[Any]:
        """The atoms not to ask: those open or skipped, and those answered unless they may repeat."""
        free = ("withdrawn", "answered") if repeat else ("withdrawn",)
        return {key(event["atom"]) for id, event in self.asked.items() if self.status[id] not in free}

    def question(self, id: str) -> Question:
        event = self.asked[id]
        options = tuple(Option(**option) for option in event["options"])
        head = id, event["kind"], options, tuple(event["responses"]), event["text"]
        return Question(*head, event["atom"], event["gain"], event["info"])

    def to_answer(self, question: str | Question | None) -> str:
        """The id of the question meant, which must be open; by default the first open one."""
        if question is None:
            if not self.open():
                raise AnswerError("no question is open; call ask() first")
            return self.open()[0]
        id = _id(question)
        if id not in self.status:
            raise AnswerError(
                f"there is no question {reprlib.repr(id)}; the open ones are {', '.join(self.open()) or 'none'}"
            )
        if self.status[id] != "open":
            hint = "a new question took its place" if self.status[id] == "withdrawn" else "undo it first to change it"
            raise AnswerError(f"question {id} was {self.status[id]} before{self._how(id)} and is not open; {hint}")
        return id

    def _how(self, id: str) -> str:
        """What was answered before, and by whom, for the message."""
        closing = self.closing.get(id, {})
        said = [f"{closing['response']!r}"] if self.status[id] == "answered" else []
        by = [f"by {closing['who']}"] if self.status[id] in CLOSED and closing.get("who") else []
        return f" ({' '.join(said + by)})" if said or by else ""

    def to_undo(self, question: str | Question | None, who: str | None = None) -> str:
        """The id of the question meant, which must be answered or skipped; by default the last one that was. With
        `who`, only that person's answers count."""
        if question is None:
            past = [event["question"] for event in self.log if event["event"] in ("tell", "skip")]
            in_force = [id for id in past if self.status[id] in CLOSED]
            theirs = [id for id in in_force if who is None or self.closing[id].get("who") == who]
            if not theirs:
                whose = "" if who is None else f" of {who}"
                raise AnswerError(f"nothing to undo: no answer or skip{whose} is in force")
            return str(theirs[-1])
        id = _id(question)
        if self.status.get(id) not in CLOSED:
            raise AnswerError(
                f"question {reprlib.repr(id)} has no answer to undo; it is {self.status.get(id, 'unknown')}"
            )
        if who is not None and self.closing[id].get("who") != who:
            raise AnswerError(f"question {id} was not answered by {who}; leave out who to take it back all the same")
        return id

    def match(self, id: str, response: Any) -> Response:
        """What was told, as one of the names the question knows: itself, or the text of it in any case."""
        event = self.asked[id]
        if event["kind"] == NUMBER:
            return self._number(id, response)
        known: list[Response] = [said for said, _ in event["codes"]]
        same: list[Response] = [said for said in known if type(said) is type(response) and said == response]
        if not same and isinstance(response, str | Real | Decimal | np.bool_):
            same = [said for said in known if str(said).casefold() == str(response).strip().casefold()]
        if not same:
            allowed = ", ".join(map(repr, event["responses"]))
            raise AnswerError(f"response {reprlib.repr(response)} is not one of {allowed}; question {id} stays open")
        return same[0]

    def code(self, id: str, said: Response) -> Response:
        """What a response means to the family."""
        known = self.match(id, said)
        if self.asked[id]["kind"] == NUMBER:
            return known
        return next(code for name, code in self.asked[id]["codes"] if name == known)

    def standard(self, id: str, said: Response) -> Response:
        """The first of the question's responses that means the same: left, where the item's name was told."""
        event = self.asked[id]
        if event["kind"] == NUMBER:
            return said
        meant = self.code(id, said)
        return next((response for response in event["responses"] if self.code(id, response) == meant), said)

    def answer(self, event: Event) -> Answer:
        """What a told event means to a posterior."""
        id = event["question"]
        return Answer(np.asarray(self.asked[id]["atom"]), self.code(id, event["response"]), event.get("who"))

    def _number(self, id: str, response: Any) -> float:
        """A number, or the text of one; the log keeps the number."""
        try:
            truth = isinstance(response, bool | np.bool_)
            number = float(response) if isinstance(response, str | Real | Decimal) and not truth else float("nan")
        except (OverflowError, TypeError, ValueError):
            number = float("nan")
        if not np.isfinite(number):
            told = f"response {reprlib.repr(response)} is not a finite number such as 3.7"
            raise AnswerError(f"{told}; question {id} stays open")
        return number

    def _withdraw_after(self, id: str) -> None:
        """Open questions chosen after this answer stood on evidence that is now gone."""
        events = [event["event"] in ("tell", "skip") and event["question"] == id for event in self.log]
        last = len(events) - 1 - events[::-1].index(True)
        for later in self.log[last:]:
            if later["event"] == "ask" and self.status[later["question"]] == "open":
                self.status[later["question"]] = "withdrawn"


def asked(id: str, atom: Any, shown: Prompt, scored: Scored, best: int) -> Event:
    """The event of a new question."""
    return happened(
        "ask",
        id,
        atom=np.asarray(atom).tolist(),
        kind=shown.kind,
        options=[asdict(option) for option in shown.options],
        responses=list(shown.responses),
        codes=[list(pair) for pair in shown.codes.items()],
        text=shown.text,
        gain=float(scored.gain[best]),
        info=dict(scored.info),
    )


def happened(what: str, question: str | None, /, **parts: Any) -> Event:
    """An event of this moment; parts that are None are left out.

    >>> happened("skip", "q1", reason=None, who="Ann")
    {'event': 'skip', 'question': 'q1', 'time': '...', 'who': 'Ann'}
    """
    moment = datetime.now(UTC).isoformat(timespec="milliseconds")
    given = {"event": what, "question": question, "time": moment, **parts, **plain_details(parts)}
    return {part: value for part, value in given.items() if value is not None}


def plain_details(details: Mapping[str, Any]) -> dict[str, str | float]:
    """Who answered, in how many seconds, with which key and reason, as plain texts and numbers; others are refused.

    >>> plain_details({"who": "Ann", "key": None, "seconds": 2})
    {'who': 'Ann', 'seconds': 2.0}
    >>> plain_details({"key": 7})
    Traceback (most recent call last):
    askwise.errors.AnswerError: key is 7; expected a text of at most 200 letters, such as 'k1'
    """
    plain: dict[str, str | float] = {}
    for name, (most, example) in TEXTS.items():
        value = details.get(name)
        if value is None:
            continue
        if not (isinstance(value, str) and len(value) <= most and is_storable(value) and (value or name == "reason")):
            told = f"{name} is {reprlib.repr(value)}; expected a text of at most {most} letters"
            raise AnswerError(f"{told}, such as {example!r}")
        plain[name] = str(value)
    seconds = details.get("seconds")
    if seconds is not None:
        number = isinstance(seconds, int | float | np.integer | np.floating) and not isinstance(seconds, bool)
        if not (number and 0 <= seconds <= MAX_SECONDS):
            raise AnswerError(f"seconds is {reprlib.repr(seconds)}; expected how long the answer took, such as 2.5")
        plain["seconds"] = float(seconds)
    return plain


def is_storable(text: str) -> bool:
    """Whether every database and file can hold a text: it has no NUL character and no half of a surrogate pair.

    >>> is_storable("Ann"), is_storable("A\\0"), is_storable("\\ud800")
    (True, False, False)
    """
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def _id(question: str | Question) -> str:
    id = question.id if isinstance(question, Question) else question
    if not isinstance(id, str):
        raise AnswerError(f"question is {reprlib.repr(id)}; expected a question or its id, such as 'q1'")
    return id


def key(atom: Any) -> Any:
    """An atom as lists hold it, made hashable."""
    return tuple(atom) if isinstance(atom, list) else atom
