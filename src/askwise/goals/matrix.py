"""All entries of a matrix, of which few are known."""

from __future__ import annotations

from collections.abc import Callable
from math import floor, log10
from typing import Any, ClassVar

import numpy as np

from askwise.distances.entries import EntryDifference
from askwise.goals.base.charts import INTERVAL_LEAD, MAX_HEAT_ROWS, HeatMap, HeatRow, Interval, Intervals, Result, Table
from askwise.goals.base.entries import EntryGoal, KnownMatrix
from askwise.goals.base.findings import INTERVAL_SHARES, quantiles
from askwise.goals.base.function import python_function
from askwise.goals.base.goal import Summary
from askwise.goals.base.texts import one_line, plural, rounded, shorten
from askwise.session import Session
from askwise.stopping.certificate import Certificate
from askwise.strategies import Strategy
from askwise.structures.matrices import matrices_of
from askwise.types import Floats, Sample

MAX_TABLE_COLUMNS = 12  # beyond, each entry has a row of its own
MAX_TABLE_ROWS = 2_000
MAX_LEAST_SURE = 20  # entries
MAX_LINES = 12  # columns that those who answered read
MAX_LINE = 120  # letters


class MatrixGoal(EntryGoal):
    """Finds all entries of a matrix, asking for one at a time.

    The matrix is taken to be row and column offsets plus a few factors. What is asked gains most per unit of cost. The
    estimate is the whole table as columns, also the entries that were known or answered: these are smoothed, since
    answers have noise.

    >>> session = matrix({"name": ["Ann", "Ben"], "tea": [3.0, None], "milk": [None, 1.0]}, budget=2, seed=1)
    >>> while not session.done:
    ...     question = session.ask()
    ...     session.tell(3 if question.options[1].name == "tea" else 1)
    >>> list(session.estimate().value), session.estimate().value["name"]
    (['name', 'tea', 'milk'], ['Ann', 'Ben'])
    """

    goal_name: ClassVar[str] = "matrix"
    order: ClassVar[int] = 85
    title: ClassVar[str] = "What are all the numbers of a matrix"
    estimate: ClassVar[str] = "the whole table"
    distance: ClassVar[str] = "EntryDifference"

    rule: str | Strategy = "ndbal"

    @property
    def counts_in_range(self) -> bool:
        return True

    def distance_of(self, matrix: KnownMatrix) -> EntryDifference:
        return EntryDifference(self.range_of(matrix), matrix.wanted)

    def description(self, matrix: KnownMatrix, distance: EntryDifference) -> Callable[[Any], dict[str, list[Any]]]:
        """Entries are rounded to a thousandth of their range, which is finer than they are known."""
        decimals = 3 - floor(log10(distance.unit))

        def describe(structure: Any) -> dict[str, list[Any]]:
            entries = matrices_of(np.asarray(structure)[None])[0].round(decimals) + 0.0  # no -0
            names = {} if matrix.label is None else {matrix.label: matrix.row_names}
            return names | dict(zip(matrix.column_names, entries.T.tolist(), strict=True))

        return describe

    def sentence(self, rows: int) -> str:
        return "Find all entries of the matrix."

    def data_sentences(self, session: Session, found: Summary) -> list[str]:
        unit = _unit(session)
        stops = f"{self.epsilon:g} means {self.epsilon * unit:.3g} apart on average"
        told = f"Undecided is a share of {unit:.4g}, the range of the entries: {stops}."
        return [*super().data_sentences(session, found), told]

    @classmethod
    def lines(cls, estimate: Any) -> list[str]:
        shown = [shorten(one_line({name: values}), MAX_LINE) for name, values in list(estimate.items())[:MAX_LINES]]
        more = len(estimate) - len(shown)
        return [*shown, f"and {plural(more, 'more column')}"] if more else shown

    def certainty_claim(self, certificate: Certificate) -> str:
        return f"These numbers are off by about {certificate.unit * certificate.expected_distance:.2g} on average."

    def result(self, session: Session, sample: Sample) -> Result:
        family: Any = session.problem.family
        distance: Any = session.problem.distance
        entries, unit = matrices_of(sample.structures), _unit(session)
        rows = slice(None) if distance.rows is None else distance.rows
        off = unit * float(session.estimate().expected_distance)
        over = "" if self.rows is None else f" in {plural(len(self.rows), 'chosen row')}"
        middle = matrices_of(np.asarray(session.estimate().structure)[None])[0]
        low, _, high = quantiles(entries.reshape(len(entries), -1), sample.weights, INTERVAL_SHARES)
        low, high = low.reshape(family.shape), high.reshape(family.shape)
        texts = np.vectorize(lambda value: rounded(value, unit), otypes=[object])
        cells, lows, highs = texts(middle), texts(low), texts(high)
        wide = np.zeros(family.shape)
        wide[rows] = (high - low)[rows]
        least = [divmod(int(place), family.shape[1]) for place in np.argsort(-wide, axis=None, kind="stable")]
        drawn = tuple(
            Interval(
                _name(family, i, j), float(low[i, j]), float(middle[i, j]), float(high[i, j]),
                f"{lows[i, j]} to {highs[i, j]}",
            )
            for i, j in least[:MAX_LEAST_SURE]
        )  # fmt: skip
        return Result(
            f"What are the {family.askable.size:,} numbers of the table?",
            text=f"They are off by about {off:.2g} on average{over}.",
            charts=(
                _heat_map(family, middle, cells, _table(family, cells, lows, highs)).with_table_of(MAX_TABLE_ROWS),
                Intervals(
                    "entries",
                    "The least certain entries",
                    f"The widest intervals first. {INTERVAL_LEAD.format(what='entry')}",
                    None,
                    "entry",
                    drawn,
                    len(least) - len(drawn),
                ),
            ),
        )


def _heat_map(family: Any, middle: Floats, cells: Any, table: Table) -> HeatMap:
    """The entries as a picture, the larger the darker."""
    shares = (middle - middle.min()) / (np.ptp(middle) or 1.0)
    rows = tuple(
        HeatRow(family.row_names[i], tuple(zip(shares[i].tolist(), cells[i].tolist(), strict=True)))
        for i in range(min(len(middle), MAX_HEAT_ROWS))
    )
    return HeatMap(
        "matrix",
        "The whole table",
        "The best guess of every entry, the larger the darker. Entries that were known or answered are guesses, too, "
        "since answers have noise.",
        table,
        columns=tuple(family.column_names),
        rows=rows,
        others=len(middle) - len(rows),
    )


def _table(family: Any, cells: Any, lows: Any, highs: Any) -> Table:
    """The entries row by row; if there are many columns, one below the other with their intervals."""
    rows, columns = family.shape
    if columns <= MAX_TABLE_COLUMNS:
        body = tuple((name, *row) for name, row in zip(family.row_names, cells, strict=True))
        return Table("All entries", ("", *family.column_names), body, numeric=tuple(range(1, columns + 1)))
    listed = (
        (family.row_names[i], family.column_names[j], cells[i, j], f"{lows[i, j]} to {highs[i, j]}")
        for i in range(rows)
        for j in range(columns)
    )
    return Table("All entries", ("row", "column", "entry", "80 % interval"), tuple(listed), numeric=(2, 3))


def _name(family: Any, row: int, column: int) -> str:
    return f"{family.row_names[row]} x {family.column_names[column]}"


def _unit(session: Session) -> float:
    distance: Any = session.problem.distance
    return float(distance.unit)


matrix = python_function(MatrixGoal)
