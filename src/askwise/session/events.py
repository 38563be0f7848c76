"""Events: plain dicts that JSON can hold. How they are made, what they must contain, and what a response means."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple, Protocol

import numpy as np

from askwise.errors import AnswerError
from askwise.session.set_responses import BEST_WORST, SET, as_spelled, expected_response
from askwise.types import Option, Prompt, Question, Response, Scored

Event = dict[str, Any]
KINDS = ("ask", "tell", "skip", "undo", "goal", "items", "show", "people")
CHANGES = ("goal", "items")  # events that change what is sought or among what
WITHOUT_QUESTION = (*CHANGES, "show", "people")
NUMBER = "number"  # the kind of question that is answered with any number
PAIR = "pair"  # the kind of question that is answered with a side
SIDES = {"left": 0, "right": 1}  # the option that stands there
MAX_LETTERS = {"who": 200, "key": 200, "reason": 2000, "note": 2000}
MAY_BE_EMPTY = ("reason", "note")
NUMBERS = {"seconds": "how long the answer took, such as 2.5", "cost": "what the answer cost, such as 0.02"}
DETAILS = {*MAX_LETTERS, *NUMBERS}
EXAMPLES = {"who": "Ann", "key": "k1", "reason": "both unknown", "note": "the second reply is shorter"}
MAX_NUMBER = 1e9  # seconds, or units of cost
UNSTORABLE = re.compile("[\0\ud800-\udfff]")  # NUL, and half of a surrogate pair: not every database can hold them
ASK_PARTS: dict[str, Any] = {  # what the event of a new question contains, and of which types
    "atom": (int, float, list),
    "kind": str,
    "options": list,
    "responses": list,
    "codes": list,
    "text": str,
    "gain": (int, float),
    "info": dict,
}
OPTION_PARTS = {"name", "image", "row"}  # what the log keeps of an option


class Journal(Protocol):
    """Where events are stored: the file or the database of a study."""

    def append(self, position: int, event: Event) -> bool: ...  # True once it is on disk; False if the place is taken
    def since(self, position: int) -> list[Event]: ...  # the events from that place on
    def keep(self, session: Any) -> None: ...  # after each event: a chance to save what a replay would compute
    def keep_wording(self, wording: Any) -> None: ...  # what people read from now on


class MatchedResponse(NamedTuple):
    """What a response means.

    `response` is how the question spells it, `code` is what the family expects, and `canonical` is the first response
    of the question with the same meaning: "left" where the name of the item on the left was given. `left` is the side
    of the score for which the left one of a pair stands, 1 or -1; 0 where there is no left, or where the question was
    posed for an answer collected before, so that nobody saw it like this.
    """

    response: Response
    code: Response
    canonical: Response
    left: int = 0


def new_event(kind: str, question: str | None, /, **parts: Any) -> Event:
    """An event of this moment. Parts that are None are left out.

    >>> new_event("skip", "q1", reason=None, who="Ann")
    {'event': 'skip', 'question': 'q1', 'time': '...', 'who': 'Ann'}
    """
    moment = datetime.now(UTC).isoformat(timespec="milliseconds")
    details = plain_details(parts) if parts.keys() & DETAILS else {}
    given = {"event": kind, "question": question, "time": moment, **parts, **details}
    return {part: value for part, value in given.items() if value is not None}


def ask_event(id: str, atom: Any, prompt: Prompt, scored: Scored, place: int, who: str | None = None) -> Event:
    """The event of a new question: candidate number `place` of those scored. `who` is asked, if not anybody."""
    return new_event(
        "ask",
        id,
        atom=np.asarray(atom).tolist(),
        kind=prompt.kind,
        options=[  # no more: the fields come from the table when they are shown
            {"name": option.name, "image": option.image} | ({} if option.row is None else {"row": option.row})
            for option in prompt.options
        ],
        responses=list(prompt.responses),
        codes=[list(pair) for pair in prompt.codes.items()],
        text=prompt.text,
        gain=float(scored.gain[place]),
        info=dict(scored.info),
        **({} if who is None else {"who": who}),
    )


def plain_details(details: Mapping[str, Any]) -> dict[str, str | float]:
    """Who answered, in how many seconds, at which cost, with which key, reason and note, as plain texts and numbers.
    Others are refused.

    >>> plain_details({"who": "Ann", "key": None, "seconds": 2})
    {'who': 'Ann', 'seconds': 2.0}
    >>> plain_details({"key": 7})
    Traceback (most recent call last):
    askwise.errors.AnswerError: key is 7; expected a text of at most 200 letters, such as 'k1'
    """
    plain: dict[str, str | float] = {}
    for name, limit in MAX_LETTERS.items():
        value = details.get(name)
        if value is None:
            continue
        fits = isinstance(value, str) and len(value) <= limit and not UNSTORABLE.search(value)
        if not (fits and (value or name in MAY_BE_EMPTY)):
            came = f"{name} is {reprlib.repr(value)}; expected a text of at most {limit} letters"
            raise AnswerError(f"{came}, such as {EXAMPLES[name]!r}")
        plain[name] = str(value)
    for name, expected in NUMBERS.items():
        value = details.get(name)
        if value is None:
            continue
        number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
        if not (number and 0 <= value <= MAX_NUMBER):
            raise AnswerError(f"{name} is {reprlib.repr(value)}; expected {expected}")
        plain[name] = float(value)
    return plain


def check_ask_event(event: Event) -> None:
    """Refuses the event of a new question if a part is missing or has another type.

    >>> check_ask_event({"event": "ask", "question": "q1"})
    Traceback (most recent call last):
    askwise.errors.AnswerError: question q1 lacks one of atom, kind, ...
    """
    id = event["question"]
    if not all(isinstance(event.get(part), types) for part, types in ASK_PARTS.items()):
        raise AnswerError(f"question {id} lacks one of {', '.join(ASK_PARTS)}, or one of them has another type")
    named = [
        isinstance(option, dict) and {"name"} <= option.keys() <= OPTION_PARTS and isinstance(option.get("row", 0), int)
        for option in event["options"]
    ]
    if not (all(named) and all(isinstance(pair, list) and len(pair) == 2 for pair in event["codes"])):
        raise AnswerError(f"the options of question {id} have no names, or its codes are not pairs")
    renamed = event.get("answer_names")
    if renamed and not (isinstance(renamed, dict) and all(isinstance(name, str) for name in renamed.values())):
        raise AnswerError(f"the answers of question {id} have names that are no texts")


def match_response(question: Event, response: Any) -> MatchedResponse:
    """What a response to a question means: one of its responses, or the text of one, upper or lower case.

    >>> question = {"question": "q1", "kind": "pair", "responses": ["left", "right"],
    ...             "codes": [["left", 1], ["right", -1], ["tea", 1]]}
    >>> match_response(question, "TEA")
    MatchedResponse(response='tea', code=1, canonical='left', left=1)
    """
    if question["kind"] == NUMBER:
        number = _finite_number(question["question"], response)
        return MatchedResponse(number, number, number)
    codes, given = question["codes"], response
    if question["kind"] in (SET, BEST_WORST):
        response = as_spelled(question, response)
    same = [pair for pair in codes if type(pair[0]) is type(response) and pair[0] == response]  # True is not 1
    if not same and isinstance(response, str | Real | Decimal | np.bool_):
        text = str(response).strip().casefold()
        same = [pair for pair in codes if str(pair[0]).casefold() == text]
    if not same:
        allowed = f"one of {', '.join(map(repr, question['responses']))}"
        if question["kind"] == BEST_WORST:
            allowed = expected_response(question)
        came = f"response {reprlib.repr(given)} is not {allowed}"
        raise AnswerError(f"{came}; question {question['question']} stays open")
    name, code = same[0]
    known = [(type(other), other) for other, its_code in codes if its_code == code]
    canonical = next((shown for shown in question["responses"] if (type(shown), shown) in known), name)
    left = 0
    if question["kind"] == PAIR and not question.get("info", {}).get("posed"):
        first = next((its_code for other, its_code in codes if other in question["responses"][:1]), 0)
        left = (first > 0) - (first < 0) if isinstance(first, int | float) else 0
    return MatchedResponse(name, code, canonical, left)


def response_name(kind: str, names: Sequence[str], response: Any) -> Any:
    """What was answered to a question of this kind: of a pair, the name of the item on that side; else the response.

    >>> response_name("pair", ["tea", "milk"], "right"), response_name("label", ["tea"], "good")
    ('milk', 'good')
    >>> response_name("pair", ["tea", "milk"], "left, clearly")
    'tea, clearly'
    """
    side, comma, grade = response.partition(", ") if isinstance(response, str) else ("", "", "")
    return f"{names[SIDES[side]]}{comma}{grade}" if kind == PAIR and side in SIDES else response


def question_of(event: Event) -> Question:
    """The question that an ask event opens."""
    options = tuple(Option(**option) for option in event["options"])
    head = event["question"], event["kind"], options, tuple(event["responses"]), event["text"]
    return Question(*head, event["atom"], event["gain"], event["info"], event.get("answer_names", {}), event.get("who"))


def question_id(question: str | Question) -> str:
    """The id of a question, or the id itself."""
    id = question.id if isinstance(question, Question) else question
    if not isinstance(id, str):
        raise AnswerError(f"question is {reprlib.repr(id)}; expected a question or its id, such as 'q1'")
    return id


def is_fallback(event: Event) -> bool:
    """Whether a server asked this question because the strategy's choice was not ready.

    >>> is_fallback({"info": {"fallback": True}}), is_fallback({"info": {"diameter": 0.2}})
    (True, False)
    """
    return bool(event["info"].get("fallback") or event["info"].get("reserve"))  # earlier versions wrote "reserve"


def hashable_atom(atom: Any) -> Any:
    """An atom as JSON holds it, made hashable."""
    return tuple(atom) if isinstance(atom, list) else atom


def _finite_number(id: str, response: Any) -> float:
    """A number, or the text of one; the log keeps the number."""
    try:
        truth = isinstance(response, bool | np.bool_)
        number = float(response) if isinstance(response, str | Real | Decimal) and not truth else float("nan")
    except (OverflowError, TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(number):
        came = f"response {reprlib.repr(response)} is not a finite number such as 3.7"
        raise AnswerError(f"{came}; question {id} stays open")
    return number
