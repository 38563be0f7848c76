"""Whole plates of a matrix, of which a session asks the best: one for each row or column, or those of a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from askwise.errors import DataError, SettingError
from askwise.goals.base.goal import place_of
from askwise.options import choice
from askwise.session import Session
from askwise.structures.matrices import Matrices

Plates = dict[str, list[list[int]]]  # the entries of each plate, (row, column) by number
SIDES = ("rows", "columns")


def plates_by(session: Session, side: str) -> Plates:
    """A plate for each row or for each column, with all its entries that can be asked.

    - `session`: of a goal about a matrix.
    - `side`: "rows" or "columns".

    >>> import askwise
    >>> plates_by(askwise.best_column({"tea": [3.0, None], "milk": [None, None]}), "columns")
    {'tea': [[1, 0]], 'milk': [[0, 1], [1, 1]]}
    """
    family, axis = _family(session), SIDES.index(choice("plates", side, SIDES))
    names = (family.row_names, family.column_names)[axis]
    entries = np.argwhere(family.askable)
    return {name: entries[entries[:, axis] == place].tolist() for place, name in enumerate(names)}


def plates_from(session: Session, table: dict[str, list[Any]]) -> Plates:
    """The plates of a table with the columns plate, row and column, one line for each entry; known ones are left out.

    - `session`: of a goal about a matrix.
    - `table`: its columns.

    >>> import askwise
    >>> session = askwise.best_column({"who": ["Ann", "Ben"], "tea": [3.0, None], "milk": [None, None]})
    >>> plates_from(session, {"plate": ["a", "a"], "row": ["Ann", "Ben"], "column": ["tea", "milk"]})
    {'a': [[1, 1]]}
    """
    family = _family(session)
    missing = [name for name in ("plate", "row", "column") if name not in table]
    if missing:
        raise DataError(f"a table of plates has the columns plate, row and column; {missing[0]} is missing")
    found: Plates = {}
    for name, row, column in zip(table["plate"], table["row"], table["column"], strict=True):
        entry = [place_of(row, family.row_names, "row"), place_of(column, family.column_names, "column")]
        if family.askable[tuple(entry)]:
            found.setdefault(str(name), []).append(entry)
    return found


def _family(session: Session) -> Matrices:
    family = session.problem.family
    if not isinstance(family, Matrices):
        raise SettingError("plates are sets of entries; only goals about a matrix have them")
    return family
