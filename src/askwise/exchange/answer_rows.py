"""Answers collected elsewhere, in a lab's table or a spreadsheet: every row is checked before any is applied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from askwise.data.tables import Columns
from askwise.errors import AnswerError, AskwiseError, ContradictionError, DataError
from askwise.goals import goal_of
from askwise.posteriors import RefusesContradictions
from askwise.session import Session
from askwise.session.contradictions import listing
from askwise.session.events import hashable_atom, match_response
from askwise.structures import prompt
from askwise.types import Answer

BY_QUESTION = ("question", "response")  # columns of answers to open questions


@dataclass(frozen=True)
class AnswerRow:
    """One row of a table: an answer to an open question, or about an atom."""

    line: int
    question: str | None
    atom: Any
    response: Any
    who: str | None
    seconds: float | None


def parse_rows(session: Session, columns: Columns) -> tuple[list[AnswerRow], list[str]]:
    """The rows that can be applied, and what is wrong with each other one, by its line (the header is line 1).

    >>> from askwise import ranking
    >>> session = ranking(["tea", "coffee"], seed=1)
    >>> rows, problems = parse_rows(session, {"left": ["tea"], "right": ["coffee"], "winner": ["left"]})
    >>> rows[0].response, problems
    ('tea', [])
    """
    named = () if session.pursued is None else goal_of(session).columns_of_answers()
    by_question = all(column in columns for column in BY_QUESTION)
    if not by_question and not (named and all(column in columns for column in named)):
        told = f"the table has the columns {', '.join(columns)}"
        raise DataError(f"{told}; expected {', '.join(BY_QUESTION)}" + (f", or {', '.join(named)}" if named else ""))
    rows: list[AnswerRow] = []
    problems: list[str] = []
    line_of: dict[str, int] = {}
    for number in range(len(next(iter(columns.values())))):
        row = {column: values[number] for column, values in columns.items()}
        line = number + 2
        try:
            found = _by_question(session, row, line) if by_question else _by_name(session, row, line, named)
            if found is None:
                continue
            if found.question is not None and line_of.setdefault(found.question, line) != line:
                raise AnswerError(f"question {found.question} is answered in line {line_of[found.question]} already")
            rows.append(found)
        except AskwiseError as error:
            problems.append(f"line {line}: {error}")
    consistent, contradictions = _without_contradictions(session, rows)
    return consistent, [*problems, *contradictions]


def apply_rows(session: Session, rows: Sequence[AnswerRow], source: bytes, who: str | None = None) -> Iterator[bool]:
    """Tells the rows one by one: True for each that is new. The same file is counted once, however often it is applied.

    >>> from askwise import ranking
    >>> session = ranking(["tea", "coffee"], seed=1)
    >>> rows, _ = parse_rows(session, {"left": ["tea"], "right": ["coffee"], "winner": ["left"]})
    >>> list(apply_rows(session, rows, b"the file")), list(apply_rows(session, rows, b"the file"))
    ([True], [False])
    """
    name = sha256(source).hexdigest()[:16]
    for row in rows:
        key = f"{name}:{row.line}"
        new = key not in session.event_log.events_by_key
        if new:
            question = row.question if row.question is not None else _open_question(session, row.atom)
            session.tell(row.response, question, row.who or who, seconds=row.seconds, key=key)
        yield new


def _without_contradictions(session: Session, rows: Sequence[AnswerRow]) -> tuple[list[AnswerRow], list[str]]:
    """The rows that contradict neither the study's answers nor rows before, where that matters; and about the others,
    what they contradict."""
    posterior, rng = session.posterior, np.random.default_rng(0)
    if not isinstance(posterior, RefusesContradictions):
        return list(rows), []
    kept, problems = [], []
    known = list(session.round.beliefs.told)
    for row in rows:
        try:
            posterior = posterior.update(_answer(session, row), rng)
            known.append(f"line {row.line}")
            kept.append(row)
        except ContradictionError as error:
            others = listing([known[place] for place in error.others])
            problems.append(f"line {row.line}: the answer {row.response!r} contradicts {others}")
    return kept, problems


def _answer(session: Session, row: AnswerRow) -> Answer:
    """What a row means to a posterior."""
    if row.question is not None:
        event = session.event_log.ask_events[row.question]
        return Answer(np.asarray(event["atom"]), match_response(event, row.response).code, row.who)
    atom = np.asarray(row.atom)
    codes = prompt(session.problem.family, atom, np.random.default_rng(0)).codes
    said = str(row.response).strip().casefold()
    return Answer(atom, next(code for name, code in codes.items() if str(name).casefold() == said), row.who)


def _by_question(session: Session, row: dict[str, Any], line: int) -> AnswerRow | None:
    log = session.event_log
    if row["response"] is None:
        return None  # not answered yet
    id = str(row["question"])
    if id not in log.answers:
        log.require_open(id)
    response = match_response(log.ask_events[id], row["response"]).response
    if id in log.answers and response == log.closing_events[id]["response"]:
        return None  # told before
    return AnswerRow(line, log.require_open(id), None, response, *_person(row))


def _by_name(session: Session, row: dict[str, Any], line: int, columns: Sequence[str]) -> AnswerRow:
    names, response = [row[column] for column in columns[:-1]], row[columns[-1]]
    if response is None:
        raise AnswerError(f"there is no {columns[-1]}; fill it or delete the line")
    atom, response = goal_of(session).parse_answer(session, names, response)
    shown = prompt(session.problem.family, np.asarray(atom), np.random.default_rng(0))
    known = {str(name).casefold() for name in shown.codes}
    if known and str(response).strip().casefold() not in known:
        words = list(map(str, shown.codes))
        expected = ", ".join(map(repr, words) if any("," in word for word in words) else words)
        raise AnswerError(f"{columns[-1]} is {response!r}; expected one of {expected}")
    return AnswerRow(line, None, atom, response, *_person(row))


def _person(row: dict[str, Any]) -> tuple[str | None, float | None]:
    who, seconds = row.get("who"), row.get("seconds")
    return (None if who is None else str(who)), (float(seconds) if isinstance(seconds, int | float) else None)


def _open_question(session: Session, atom: Any) -> str:
    """A question about the atom: one that is open, or a new one."""
    log, wanted = session.event_log, hashable_atom(np.asarray(atom).tolist())
    same = (id for id in log.open_questions() if hashable_atom(log.ask_events[id]["atom"]) == wanted)
    return next(same, None) or session.pose(np.asarray(atom)).id
