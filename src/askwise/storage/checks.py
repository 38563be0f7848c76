"""Checks between questions: some have a known answer, others repeat what was asked before.

They are scored apart. They are no events of a log, so no posterior and no result ever depends on them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Literal

from sqlalchemy import exc, func, insert, select, update

from askwise.session.events import PAIR, Event, match_response, response_name
from askwise.storage.actions import note_action
from askwise.storage.changes import announce
from askwise.storage.crowd import CheckQuestion, CrowdSettings
from askwise.storage.permission import NotNow, require_person
from askwise.storage.schema import checks, participants
from askwise.storage.store import Store

CHECK = "check"  # the kind of question that a check with a known answer is
MIN_GAP = 3  # answers between a question and its repetition
REPEATABLE = ("pair", "same", "triple", "label", "set", "best-worst")
SIDES = ["left", "right"]


@dataclass(frozen=True)
class PastCheck:
    """A check that somebody has answered."""

    kind: str
    question: str  # its id
    passed: bool
    key: str


@dataclass(frozen=True)
class DueCheck:
    """The check that is before somebody: an event like that of a question, and the answer that passes it."""

    number: int
    kind: Literal["attention", "repeat"]
    event: Event
    expected: str

    @property
    def question(self) -> str:
        id: str = self.event["question"]
        return id

    def passes(self, response: Any) -> bool:
        """Whether an answer is the one that is known, or the one that was given before; one that the question does not
        have is refused."""
        return response is not None and meant(self.event, response) == self.expected


def is_check(question: str) -> bool:
    """Whether an id is that of a check.

    >>> is_check("check-2"), is_check("q2")
    (True, False)
    """
    return question.startswith(("check-", "repeat-"))


def meant(event: Event, response: Any) -> str:
    """What an answer says, wherever it stood: of a pair, the name of the item.

    >>> pair = {"question": "q1", "kind": "pair", "options": [{"name": "tea"}, {"name": "milk"}],
    ...         "responses": ["left", "right"], "codes": [["left", 1], ["right", -1]]}
    >>> meant(pair, "right")
    'milk'
    """
    names = [option["name"] for option in event["options"]]
    return str(response_name(event["kind"], names, match_response(event, response).canonical))


def due_check(
    settings: CrowdSettings,
    participant: str,
    closed: Sequence[Event],
    asked: Mapping[str, Event],
    past: Sequence[PastCheck],
    instructed: CheckQuestion,
) -> DueCheck | None:
    """The check that comes next, if one is due after so many answers. The same person always gets the same one.

    - `closed`: their answers and skips in force.
    - `asked`: the questions of the log, by id.
    - `past`: the checks that they have answered.
    - `instructed`: a check that says which answer to choose, where the owner has written none.

    >>> settings = CrowdSettings(check_every=2)
    >>> known = CheckQuestion("Choose red.", ("red", "blue"), "red")
    >>> due_check(settings, "ann", [{}], {}, [], known)
    >>> due_check(settings, "ann", [{}, {}], {}, [], known).question
    'check-0'
    """
    done = {kind: sum(check.kind == kind for check in past) for kind in ("attention", "repeat")}
    if settings.check_every and done["attention"] < len(closed) // settings.check_every:
        own = settings.checks[done["attention"] % len(settings.checks)] if settings.checks else instructed
        return DueCheck(len(past), "attention", known_question(f"check-{len(past)}", own), own.answer)
    if settings.repeat_every and done["repeat"] < len(closed) // settings.repeat_every:
        return _repetition(len(past), participant, closed, asked, past)
    return None


def known_question(id: str, check: CheckQuestion) -> Event:
    """A check with a known answer, as a question that a page shows.

    >>> known_question("check-0", CheckQuestion("Choose red.", ("red", "blue"), "red"))["responses"]
    ['red', 'blue']
    """
    codes = [[option, option] for option in check.options]
    shown = {"kind": CHECK, "text": check.text, "options": [], "responses": list(check.options), "codes": codes}
    return {"event": "ask", "question": id, **shown, "atom": 0, "gain": 0.0, "info": {}}


def _repetition(
    number: int, participant: str, closed: Sequence[Event], asked: Mapping[str, Event], past: Sequence[PastCheck]
) -> DueCheck | None:
    """An earlier question once more, the sides of a pair swapped where its text allows; None if there is none."""
    repeated = {check.question.partition("-")[2].partition("-")[2] for check in past if check.kind == "repeat"}
    free = [
        event
        for event in closed[:-MIN_GAP]
        if event["event"] == "tell"
        and event["question"] not in repeated
        and asked[event["question"]]["kind"] in REPEATABLE
    ]
    if not free:
        return None
    told = free[int(sha256(f"{participant} {number}".encode()).hexdigest(), 16) % len(free)]
    question = asked[told["question"]]
    again = {**question, "question": f"repeat-{number}-{told['question']}", "gain": 0.0, "info": {}}
    if question["kind"] == PAIR and question["responses"][:2] == SIDES and (swapped := _swapped_text(question)):
        codes = [[SIDES[1 - SIDES.index(said)] if said in SIDES else said, code] for said, code in question["codes"]]
        again |= {"options": question["options"][::-1], "text": swapped, "codes": codes}
    return DueCheck(number, "repeat", again, meant(question, told["response"]))


def _swapped_text(question: Event) -> str | None:
    """The text of a pair with its sides swapped; None if it is not known how to swap them. Wording such as "Is A better
    than B?", and answers with names of their own such as "yes", may mean something else the other way round.

    >>> pair = {"text": "Which do you prefer: tea or milk?", "options": [{"name": "tea"}, {"name": "milk"}]}
    >>> _swapped_text(pair)
    'Which do you prefer: milk or tea?'
    >>> _swapped_text({**pair, "text": "Is tea better than milk?"})
    """
    one, other = (option["name"] for option in question["options"])
    rest = question["text"].replace(f"{one} or {other}", "")
    named = any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", rest) for name in (one, other))
    if named or question.get("answer_names"):
        return None
    return str(question["text"].replace(f"{one} or {other}", f"{other} or {one}"))


def past_checks(store: Store, study: int, participant: str) -> list[PastCheck]:
    """The checks that somebody has answered, the first first."""
    query = select(checks).where(checks.c.study == study, checks.c.participant == participant).order_by(checks.c.number)
    return [
        PastCheck(row.kind, json.loads(row.question)["question"], bool(row.passed), row.key)
        for row in store.read(query)
    ]


def record_check(
    store: Store, study: int, participant: str, due: DueCheck, response: Any, key: str, seconds: float | None,
    max_failed: int | None = None,
) -> bool:  # fmt: skip
    """Notes an answer to a check, or that it was skipped (None), once however often it is sent; returns whether it
    passed. Whoever fails too many checks with a known answer is screened out in the same transaction."""
    passed = due.passes(response)
    shown = {part: due.event[part] for part in ("question", "kind", "text", "responses")}
    shown |= {"options": [option["name"] for option in due.event["options"]], "expected": due.expected}
    row = {"study": study, "participant": participant, "number": due.number, "kind": due.kind, "passed": int(passed)}
    row |= {"question": json.dumps(shown), "response": None if response is None else str(response), "key": key}
    row |= {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "seconds": seconds}
    try:
        with store.begin() as connection:
            connection.execute(insert(checks).values(**row))  # the same check sent twice at once waits here
            require_person(connection, study, participant)
            failed = select(func.count()).where(
                checks.c.study == study,
                checks.c.participant == participant,
                checks.c.kind == "attention",
                checks.c.passed == 0,
            )
            if max_failed is not None and not passed and connection.execute(failed).scalar_one() >= max_failed:
                chosen = (participants.c.study == study) & (participants.c.participant == participant)
                connection.execute(update(participants).where(chosen).values(status="screened out"))
                note_action(connection, study, "screened out", participant, {"failed": max_failed})
            announce(connection, study)
    except exc.IntegrityError:
        known = past_checks(store, study, participant)
        if len(known) > due.number and known[due.number].key == key:
            return known[due.number].passed
        raise NotNow("answered_before") from None
    return passed
