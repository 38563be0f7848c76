"""What people see of the rows that a question is about. The terminal, the browser, files and programs show the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from string import digits as DIGITS
from typing import Any

from askwise.data.encoding import Items, check_known
from askwise.data.formats import Format, format_of
from askwise.data.parquet import Pool
from askwise.data.tables import Columns, is_text
from askwise.data.telling import most_telling
from askwise.errors import DataError
from askwise.types import Option

NAMED = ("is the name", "is the image")
MAX_DEFAULT_FIELDS = 8  # of an option, unless the owner chooses


class Presentation:
    """Completes the options of questions about a table: with their fields and their rows.

    `columns` is the table and `items` gives what was understood of it. `show` names the columns to show; None means
    the most telling features. `pool` is what is known of a pool on disk: its path and the types of its columns.

    >>> from functools import partial
    >>> from askwise.data.encoding import encode
    >>> table = {"name": ["tea", "wine"], "price ($)": [1.5, 9.0]}
    >>> present = Presentation(table, partial(encode, table))
    >>> present([Option("tea", row=0)], "label", 0)[0].fields
    {'price ($)': '$1.50'}
    """

    def __init__(
        self,
        columns: Columns,
        items: Callable[[], Items],
        show: Sequence[str] | None = None,
        pool: Mapping[str, Any] | None = None,
    ):
        self.columns = columns
        self.known_columns = list(columns if pool is None else pool.get("columns", columns))
        check_known(self.known_columns, show=show or [])
        self.show = show
        self.pool_path: str | None = None if pool is None else pool.get("path")
        self._items = items
        self._fields: dict[int, dict[str, str]] = {}  # by row

    def __call__(self, options: Iterable[Option], kind: str, atom: Any) -> tuple[Option, ...]:
        """The options of a question of that kind about an atom, as people see them."""
        return tuple(self._complete(option, kind, atom) for option in options)

    @cached_property
    def shown(self) -> list[str]:
        """The columns that are shown, in order. By default a long series such as pixel1, pixel2, ... is left out."""
        if self.show is not None:
            return list(dict.fromkeys(self.show))
        telling = [self._source(column) for column in most_telling(self.columns, self.items, len(self.columns))]
        series = Counter(column.rstrip(DIGITS) for column in telling if column[-1:].isdigit())
        new = [
            column
            for column in dict.fromkeys(telling)
            if self.items.left_out.get(column) not in NAMED and series[column.rstrip(DIGITS)] <= MAX_DEFAULT_FIELDS
        ]
        return new[:MAX_DEFAULT_FIELDS]

    @cached_property
    def offered(self) -> list[str]:
        """The columns to choose from: all but those of names and pictures, which are shown anyway."""
        return [column for column in self.known_columns if self.items.left_out.get(column) not in NAMED]

    def _source(self, column: str) -> str:
        """The texts that a column of numbers was made of, such as "review" of "review 2"; else the column itself."""
        source, _, number = column.rpartition(" ")
        return source if number.isdigit() and is_text(self.columns.get(source, ())) else column

    @cached_property
    def items(self) -> Items:
        """The rows of the table; of a pool, its sample."""
        return self._items()

    def fields(self, row: int) -> dict[str, str]:
        """The columns of a row that are shown, and what they hold."""
        if row not in self._fields:
            values = self._values(row)
            self._fields[row] = {column: self._formats[column](value) for column, value in values.items()}
        return dict(self._fields[row])

    def _values(self, row: int) -> dict[str, Any]:
        if self.pool_path is None:
            there = (column for column in self.shown if 0 <= row < len(self.columns[column]))
            return {column: self.columns[column][row] for column in there}
        try:
            read = self._pool.take([row], self.shown) if self.shown else {}
        except (DataError, OSError):  # whoever chooses questions says so; people still see the name
            return {}
        return {column: values[0] for column, values in read.items()}

    @cached_property
    def _pool(self) -> Pool:
        assert self.pool_path is not None
        return Pool(self.pool_path)

    @cached_property
    def _formats(self) -> dict[str, Format]:
        return {column: format_of(column, self.columns.get(column, ())) for column in self.shown}

    def _complete(self, option: Option, kind: str, atom: Any) -> Option:
        row = self._row(option, kind, atom) if option.row is None else option.row
        return option if row is None else replace(option, row=row, fields=self.fields(row))

    def _row(self, option: Option, kind: str, atom: Any) -> int | None:
        """The row of an option that does not say it: earlier versions did not note it."""
        return int(atom) if kind == "label" else self._places.get(option.name)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.items.names)}


def differing_columns(options: Sequence[Option]) -> set[str]:
    """The columns whose fields are not the same for all options.

    >>> differing_columns([Option("tea", fields={"price": "2", "hot": "yes"}),
    ...                    Option("milk", fields={"price": "1", "hot": "yes"})])
    {'price'}
    """
    columns = {column for option in options for column in option.fields}
    return {column for column in columns if len({option.fields.get(column) for option in options}) > 1}
