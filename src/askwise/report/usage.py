"""How the answers came about: who gave how many, how long they took, what was compared most, and the list of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from askwise.session import Session


@dataclass(frozen=True)
class Told:
    """One question that was answered or skipped."""

    question: str
    text: str
    said: str  # what was answered, in the words of the question
    who: str | None
    time: str
    seconds: float | None
    gain: float | None  # what the rule expected of it; None if no rule chose it
    skipped: bool


@dataclass(frozen=True)
class Usage:
    """Counts over the whole log."""

    answers: int
    skips: int
    undos: int
    waiting: int
    people: tuple[tuple[str, int], ...]  # who, answers in force; most first
    seconds: float | None  # the median
    shown: tuple[tuple[str, int], ...]  # item, questions about it; most first
    first: str
    last: str


def told(session: Session) -> list[Told]:
    """The answers in force and the skips, in the order they came.

    >>> from askwise.goals import best_item
    >>> session = best_item(["tea", "coffee", "water"], seed=1)
    >>> question = session.ask()
    >>> session.tell("left", who="Ann")
    >>> [(row.who, row.said == question.options[0].name) for row in told(session)]
    [('Ann', True)]
    """
    talk = session.conversation
    last = {event["question"]: place for place, event in enumerate(session.log) if event["event"] in ("tell", "skip")}
    standing = [id for id in last if talk.status[id] in ("answered", "skipped")]
    return [_told(session, id) for id in sorted(standing, key=last.__getitem__)]


def usage(session: Session) -> Usage:
    """Counts of what happened.

    >>> from askwise.goals import best_item
    >>> usage(best_item(["tea", "coffee", "water"], seed=1)).answers
    0
    """
    talk, rows = session.conversation, told(session)
    answered = [row for row in rows if not row.skipped]
    shown = Counter(option["name"] for row in answered for option in talk.asked[row.question]["options"])
    taken = [row.seconds for row in rows if row.seconds is not None]
    times = sorted(_times(session))
    return Usage(
        answers=len(answered),
        skips=len(rows) - len(answered),
        undos=sum(event["event"] == "undo" for event in session.log),
        waiting=len(talk.open()),
        people=tuple(Counter(row.who or "nobody named" for row in answered).most_common()),
        seconds=median(taken) if taken else None,
        shown=tuple(shown.most_common()),
        first=times[0] if times else "",
        last=times[-1] if times else "",
    )


def _told(session: Session, id: str) -> Told:
    asked, closing = session.conversation.asked[id], session.conversation.closing[id]
    skipped = closing["event"] == "skip"
    said = "skipped" + (f": {closing['reason']}" if closing.get("reason") else "")
    return Told(
        question=id,
        text=str(asked["text"]),
        said=said if skipped else _in_words(asked["options"], closing["response"]),
        who=closing.get("who"),
        time=closing.get("time", ""),
        seconds=closing.get("seconds"),
        gain=None if asked["info"].get("posed") else float(asked["gain"]),
        skipped=skipped,
    )


def _in_words(options: list[dict[str, str]], said: object) -> str:
    """The item meant by "left" or "right"; else what was said."""
    side = {"left": 0, "right": 1}.get(str(said))
    if side is not None and len(options) == 2:
        return options[side]["name"]
    return f"{said:g}" if isinstance(said, float) else str(said)


def _times(session: Session) -> Iterator[str]:
    return (event["time"] for event in session.log if event["event"] in ("tell", "skip") and "time" in event)
