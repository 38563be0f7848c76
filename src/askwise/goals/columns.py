"""Goals about matrices: the best column of a table of which few entries are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from askwise.distances.columns import BestColumn
from askwise.errors import DataError, SettingError
from askwise.goals.build import BUDGET, build, check_rows, plain_options
from askwise.options import number, numbers, parts, refusal, shown, whole_number
from askwise.posteriors.matrices import MatrixPosterior
from askwise.problem import Problem
from askwise.session import Session
from askwise.strategies import Strategy
from askwise.structures.matrices import LARGEST, LARGEST_NUMBER, Matrices, gaussian
from askwise.tables import Columns, is_text, table
from askwise.types import Floats

Known = Sequence[tuple[int | str, int | str, float]]
TRIPLE = "a row, a column and a value"
TRIPLES = "a list of known entries, each " + TRIPLE


def best_column(
    data: Any,
    *,
    score: str | Callable[[Floats], Any] = "mean",
    rows: Sequence[int | str] | None = None,
    known: Known | None = None,
    costs: Any = None,
    name: str | None = None,
    rank: int = 3,
    row_features: Any = None,
    column_features: Any = None,
    decimals: int | None = None,
    epsilon: float = 0.05,
    delta: float = 0.05,
    budget: int = BUDGET,
    rule: str | Strategy = "expected",
    repeat: bool = False,
    seed: int = 0,
    draws: int = 64,
) -> Session:
    """Finds the column with the best score, asking for one entry at a time.

    `data` is a shape (rows, columns), or a table or 2-D array whose entries are known where they are present; a column
    of texts (`name`, or the only one) names the rows. More entries may be `known`, as (row, column, value) by name or
    number from 0. `score` is "mean", "max" or "min" over `rows` (all unless given), or a function from matrices
    (S, R, M) to scores (S, M). `costs` is a number, one for each column, or one for each entry: what is asked gains
    most per unit. The matrix is taken to be row and column offsets plus `rank` factors.

    >>> session = best_column({"name": ["Ann", "Ben"], "tea": [3.0, None], "milk": [None, 1.0]}, budget=2, seed=1)
    >>> while not session.done:
    ...     question = session.ask()
    ...     session.tell(4 if question.options[1].name == "tea" else 0)
    >>> session.estimate().value
    'tea'
    """
    options = plain_options("best_column", locals())
    row_names, column_names, entries = _read(data, options["name"])
    check_rows("best_column", len(row_names))
    more = None if known is None else [_triple(part) for part in parts("known", known, TRIPLES)]
    places = _known(entries, row_names, column_names, more or [])
    chosen = None if rows is None else [_which("rows", row) for row in parts("rows", rows, "a list of rows")]
    wanted = None if chosen is None else [_place("row", row, row_names) for row in chosen]
    distance = BestColumn(score, wanted)
    askable = np.ones(entries.shape, dtype=bool)
    for i, j, _ in places:
        askable[i, j] = options["repeat"]
    family = Matrices(entries.shape, row_names, column_names, costs, askable, options["decimals"])
    prior = MatrixPosterior.prior(
        family,
        options["rank"],
        options["draws"],
        row_features=row_features,
        column_features=column_features,
        known=places,
        seed=options["seed"],
    )

    def describe(structure: Any) -> str:
        return column_names[int(distance.best(np.asarray(structure)[None])[0])]

    plain = {"known": more, "rows": chosen} | {
        option: None if options[option] is None else numbers(option, options[option], "numbers").tolist()
        for option in ("costs", "row_features", "column_features")
    }
    kept = _table(data)
    session = build("best_column", kept, options | plain, Problem(family, distance, gaussian), prior, describe)
    if callable(score):
        session.recipe = None  # a function is not JSON: such a session is built again by hand
    return session


def _table(data: Any) -> Columns:
    """The data as columns, whatever held it; a shape is a table with nothing in it."""
    if isinstance(data, list | tuple) and len(data) == 2 and all(isinstance(size, int | np.integer) for size in data):
        rows, columns = map(int, data)
        if min(rows, columns) < 1 or rows * columns > LARGEST:
            limits = f"at least one row and two columns and at most {LARGEST:,} entries"
            raise DataError(f"a matrix needs {limits}, got the shape {shown((rows, columns))}")
        return {f"column {j + 1}": [None] * rows for j in range(columns)}
    if isinstance(data, list | tuple) and data and all(isinstance(row, list | tuple) for row in data):
        if len({len(row) for row in data}) > 1:
            raise DataError("the rows of the matrix differ in length; give None for entries that are not known")
        try:
            data = np.array(data, dtype=float)
        except (TypeError, ValueError):
            raise DataError(
                "the matrix holds something that is not a number; give None for what is not known"
            ) from None
    return table(data)


def _read(data: Any, name: str | None) -> tuple[list[str], list[str], Floats]:
    """Row names, column names, and entries with NaN for what is not known."""
    columns = _table(data)
    texts = [column for column, values in columns.items() if is_text(values)]
    if name is not None and name not in columns:
        raise DataError(f"there is no column {shown(name)} to name the rows; the columns are {', '.join(columns)}")
    label = name if name is not None else texts[0] if len(texts) == 1 else None
    odd = [column for column in texts if column != label]
    if odd:
        raise DataError(f"column {odd[0]!r} holds texts; entries are numbers, and only one column may name the rows")
    names = columns.pop(label) if label is not None else []
    if len(columns) < 2:
        raise DataError(f"the best column is found among at least two, got {len(columns)}")
    entries = np.array([[np.nan if v is None else float(v) for v in values] for values in columns.values()]).T
    if any(cell is None for cell in names):
        raise DataError(f"column {label!r} names the rows but is empty in some; name them all")
    return [str(cell) for cell in names] or [f"row {i + 1}" for i in range(len(entries))], list(columns), entries


def _known(
    entries: Floats, row_names: list[str], column_names: list[str], more: list[list[Any]]
) -> list[tuple[int, int, float]]:
    """All that is known at the start: (row, column, value) by number."""
    found = [(int(i), int(j), float(entries[i, j])) for i, j in np.argwhere(~np.isnan(entries))]
    for i, j, value in found:
        if not abs(value) <= LARGEST_NUMBER:
            told = f"the entry {row_names[i]!r}, {column_names[j]!r} is {value:g}"
            raise DataError(f"{told}; expected a number from -{LARGEST_NUMBER:g} to {LARGEST_NUMBER:g}")
    return found + [
        (_place("row", row, row_names), _place("column", column, column_names), value) for row, column, value in more
    ]


def _triple(part: Any) -> list[Any]:
    """A known entry as JSON can hold it: row, column and value."""
    found = parts("a known entry", part, TRIPLE)
    if len(found) != 3:
        raise refusal("a known entry", part, TRIPLE)
    row, column = _which("the row of a known entry", found[0]), _which("the column of a known entry", found[1])
    name = f"the known entry {shown(row)}, {shown(column)}"
    return [row, column, number(name, found[2], at_least=-LARGEST_NUMBER, at_most=LARGEST_NUMBER)]


def _which(name: str, value: Any) -> int | str:
    """A row or a column, by its name or its number."""
    return str(value) if isinstance(value, str) else whole_number(name, value)


def _place(kind: str, which: int | str, names: list[str]) -> int:
    if isinstance(which, str) and which in names:
        return names.index(which)
    if isinstance(which, int) and 0 <= which < len(names):
        return which
    raise SettingError(f"there is no {kind} {shown(which)}; name one of the {len(names)}, or number it from 0")
