"""How the answers were given: who gave how many, how long they took, which items they were about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from askwise.report.people import StudyPeople
from askwise.session import Session
from askwise.session.events import Event, response_name
from askwise.types import named_text


@dataclass(frozen=True)
class ReportedAnswer:
    """One question that was answered or skipped."""

    question: str
    text: str
    answer: str  # in the words of the question
    who: str | None
    time: str
    seconds: float | None
    gain: float | None  # what the strategy expected of it; None if no strategy chose it
    skipped: bool


@dataclass(frozen=True)
class Usage:
    """Counts over the whole log."""

    answers: int
    skips: int
    undos: int
    open_questions: int
    median_seconds: float | None
    items: tuple[tuple[str, int], ...]  # item, questions about it; most first
    first: str
    last: str


def answer_rows(session: Session, people: StudyPeople | None = None) -> list[ReportedAnswer]:
    """The answers in force and the skips, in the order they came. `people` names those who answered.

    >>> from askwise.goals import best_item
    >>> session = best_item(["tea", "coffee", "water"], seed=1)
    >>> question = session.ask()
    >>> session.tell("left", who="Ann")
    >>> [(row.who, row.answer == question.options[0].name) for row in answer_rows(session)]
    [('Ann', True)]
    """
    known, asked = people or StudyPeople(), session.event_log.ask_events
    return [_answer_row(asked[event["question"]], event, known) for event in session.event_log.closed()]


def usage(session: Session, rows: Sequence[ReportedAnswer]) -> Usage:
    """Counts of what happened. `rows` are the answers of the session.

    >>> from askwise.goals import best_item
    >>> usage(best_item(["tea", "coffee", "water"], seed=1), []).answers
    0
    """
    log = session.event_log
    answered = [row for row in rows if not row.skipped]
    items = Counter(option["name"] for row in answered for option in log.ask_events[row.question]["options"])
    seconds = [row.seconds for row in rows if row.seconds is not None]
    times = sorted(event["time"] for event, _ in log.closing_history() if "time" in event)
    return Usage(
        answers=len(answered),
        skips=len(rows) - len(answered),
        undos=log.counts.undos,
        open_questions=len(log.open_questions()),
        median_seconds=median(seconds) if seconds else None,
        items=tuple(items.most_common()),
        first=times[0] if times else "",
        last=times[-1] if times else "",
    )


def _answer_row(asked: Event, closing: Event, people: StudyPeople) -> ReportedAnswer:
    skipped = closing["event"] == "skip"
    reason = "skipped" + (f": {closing['reason']}" if closing.get("reason") else "")
    return ReportedAnswer(
        question=closing["question"],
        text=named_text(asked["text"], [option["name"] for option in asked["options"]]),
        answer=reason if skipped else _answer_text(asked, closing["response"]),
        who=people.name(closing.get("who")),
        time=closing.get("time", ""),
        seconds=closing.get("seconds"),
        gain=None if asked["info"].get("posed") else float(asked["gain"]),
        skipped=skipped,
    )


def _answer_text(asked: Event, response: object) -> str:
    """The item that "left" or "right" means; else the response itself."""
    named = response_name(asked["kind"], [option["name"] for option in asked["options"]], response)
    return f"{named:g}" if isinstance(named, float) else str(named)
