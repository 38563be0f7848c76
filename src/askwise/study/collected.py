"""Answers collected elsewhere: a lab's table or a spreadsheet, every row checked before any is taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from askwise.conversation import key as hashable
from askwise.errors import AnswerError, AskwiseError, DataError
from askwise.session import Session
from askwise.structures import prompt
from askwise.structures.choice import Choice
from askwise.structures.clusterings import Clusterings
from askwise.structures.hierarchies import Hierarchies
from askwise.structures.linear import LinearPool
from askwise.structures.matrices import Matrices
from askwise.structures.multiclass import SoftmaxPool
from askwise.tables import Columns

SAME = {"yes": "same", "true": "same", "1": "same", "no": "different", "false": "different", "0": "different"}
SHAPES: dict[type, tuple[str, ...]] = {  # of a family, the columns that make a row an answer, the answer last
    Choice: ("left", "right", "winner"),
    Clusterings: ("a", "b", "same"),
    Hierarchies: ("a", "b", "c", "odd"),
    LinearPool: ("item", "label"),
    SoftmaxPool: ("item", "label"),
    Matrices: ("row", "column", "value"),
}


@dataclass(frozen=True)
class Collected:
    """One row of the table, understood: an answer to a question that is open, or about an atom."""

    line: int
    question: str | None
    atom: Any
    response: Any
    who: str | None
    seconds: float | None


def shape_of(session: Session) -> tuple[str, ...]:
    """The columns in which answers of this study may come beside `question, response`."""
    return next((shape for kind, shape in SHAPES.items() if isinstance(session.problem.family, kind)), ())


def understand(session: Session, columns: Columns) -> tuple[list[Collected], list[str]]:
    """The rows that can be taken, and for every other one what is wrong with it, by its line (the header is line 1)."""
    asked, named = ("question", "response"), shape_of(session)
    by_id = all(column in columns for column in asked)
    if not by_id and not (named and all(column in columns for column in named)):
        told = f"the table has the columns {', '.join(columns)}"
        raise DataError(f"{told}; expected {', '.join(asked)}" + (f", or {', '.join(named)}" if named else ""))
    good: list[Collected] = []
    bad: list[str] = []
    taken: dict[str, int] = {}
    for number in range(len(next(iter(columns.values())))):
        row = {column: values[number] for column, values in columns.items()}
        line = number + 2
        try:
            found = _by_id(session, row, line) if by_id else _by_name(session, row, line, named)
            if found is None:
                continue
            if found.question is not None and taken.setdefault(found.question, line) != line:
                raise AnswerError(f"question {found.question} is answered in line {taken[found.question]} already")
            good.append(found)
        except AskwiseError as error:
            bad.append(f"line {line}: {error}")
    return good, bad


def take(session: Session, rows: Sequence[Collected], source: bytes, who: str | None = None) -> Iterator[bool]:
    """Tells the rows one by one: True for each that was new. The same file told twice counts once."""
    name = sha256(source).hexdigest()[:16]
    for row in rows:
        key = f"{name}:{row.line}"
        new = key not in session.conversation.keys
        if new:
            question = row.question if row.question is not None else _opened(session, row.atom)
            session.tell(row.response, question, row.who or who, seconds=row.seconds, key=key)
        yield new


def _by_id(session: Session, row: dict[str, Any], line: int) -> Collected | None:
    talk = session.conversation
    if row["response"] is None:
        return None  # not answered yet
    id = str(row["question"])
    known = talk.closing.get(id, {})
    if talk.status.get(id) == "answered" and talk.match(id, row["response"]) == known.get("response"):
        return None  # told before
    return Collected(line, talk.to_answer(id), None, talk.match(id, row["response"]), *_person(row))


def _by_name(session: Session, row: dict[str, Any], line: int, shape: Sequence[str]) -> Collected:
    family: Any = session.problem.family
    names, response = [row[column] for column in shape[:-1]], row[shape[-1]]
    if response is None:
        raise AnswerError(f"there is no {shape[-1]}; fill it or delete the line")
    if isinstance(family, Matrices):
        places = [_place(names[0], family.row_names, "row"), _place(names[1], family.column_names, "column")]
    else:
        places = [_place(name, family.names, "item") for name in names]
    if not isinstance(family, Matrices) and len(set(places)) < len(places):
        raise AnswerError(f"{names[0]!r} is named twice; a question is about different items")
    if isinstance(family, Choice | Hierarchies) and response in names:
        response = family.names[places[names.index(response)]]
    response = _meant(family, names, response)
    atom = places[0] if len(places) == 1 else places if isinstance(family, Matrices) else sorted(places)
    shown = prompt(family, np.asarray(atom), np.random.default_rng(0))
    said = {str(name).casefold() for name in shown.codes}
    if shown.kind != "number" and str(response).strip().casefold() not in said:
        raise AnswerError(f"{shape[-1]} is {response!r}; expected one of {', '.join(map(str, shown.codes))}")
    if shown.kind == "number" and not (isinstance(response, int | float) and np.isfinite(response)):
        raise AnswerError(f"{shape[-1]} is {response!r}; expected a number")
    return Collected(line, None, atom, response, *_person(row))


def _meant(family: Any, names: Sequence[Any], response: Any) -> Any:
    """Left and right are those of the table, not of a screen; same may be said as yes."""
    said = str(response).strip().casefold()
    if isinstance(family, Choice) and said in ("left", "right"):
        return str(names[0] if said == "left" else names[1])
    return SAME.get(said, response) if isinstance(family, Clusterings) else response


def _place(name: Any, names: Sequence[str], kind: str) -> int:
    for meant in (str(name), str(name).removeprefix("'")):  # which a table of ours has before =, +, - and @
        if meant in names:
            return list(names).index(meant)
    raise AnswerError(f"there is no {kind} {str(name)!r}; the first are {', '.join(names[:3])}")


def _person(row: dict[str, Any]) -> tuple[str | None, float | None]:
    who, seconds = row.get("who"), row.get("seconds")
    return (None if who is None else str(who)), (float(seconds) if isinstance(seconds, int | float) else None)


def _opened(session: Session, atom: Any) -> str:
    """A question about the atom: one that is open anyway, or a new one."""
    talk = session.conversation
    meant: Callable[[str], bool] = lambda id: hashable(talk.asked[id]["atom"]) == hashable(np.asarray(atom).tolist())  # noqa: E731
    return next((id for id in talk.open() if meant(id)), None) or session.pose(np.asarray(atom)).id
