"""What people see of the rows that a question is about. The terminal, the browser, files and programs show the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from string import digits as DIGITS
from typing import Any, NamedTuple

from askwise.data.encoding import SHOWN_REASONS, Items, check_known
from askwise.data.formats import Format, format_of
from askwise.data.parquet import Pool
from askwise.data.tables import Columns, is_text, is_vectors, rows_named
from askwise.data.telling import most_telling
from askwise.errors import DataError
from askwise.types import Option

BODY_FORMATS = ("markdown", "text", "code")
MAX_BODY_LETTERS = 50_000  # of a long text; rendering one takes a fraction of a second
MAX_DEFAULT_FIELDS = 8  # of an option, unless the owner chooses


class BodyColumns(NamedTuple):
    """The columns of what is too large for a field: long texts, sounds and films.

    >>> BodyColumns(body="reply").columns
    {'body': 'reply', 'audio': None, 'video': None}
    """

    body: str | None = None
    body_format: str = BODY_FORMATS[0]
    audio: str | None = None
    video: str | None = None

    @property
    def columns(self) -> dict[str, str | None]:
        """By part of an option."""
        return {"body": self.body, "audio": self.audio, "video": self.video}

    def check(self, columns: Columns) -> None:
        """Refuses texts that are too long to show."""
        for row, text in enumerate(columns.get(self.body, ()) if self.body is not None else ()):
            if isinstance(text, str) and len(text) > MAX_BODY_LETTERS:
                problem = f"column {self.body!r} has {len(text):,} letters in {rows_named([row])}"
                raise DataError(f"{problem}; a long text may have {MAX_BODY_LETTERS:,}: shorten it")


class Presentation:
    """Completes the options of questions about a table: with their fields and their rows.

    `columns` is the table and `items` gives what was understood of it. `show` names the columns to show; None means
    the most telling features. `pool` is what is known of a pool on disk: its path and the types of its columns.
    `bodies` names the columns of long texts, sounds and films.

    :param columns: The table, by column.
    :param items: Gives what was understood of it.
    :param show: The columns to show; None: the most telling features.
    :param pool: What is known of a pool on disk.
    :param bodies: The columns of long texts, sounds and films.

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
        bodies: BodyColumns | None = None,
    ):
        self.columns = columns
        self.known_columns = list(columns if pool is None else pool.get("columns", columns))
        check_known(self.known_columns, show=show or [])
        self.show = show
        self.bodies = bodies or BodyColumns()
        self.bodies.check(columns)
        self._body_columns = {part: column for part, column in self.bodies.columns.items() if column is not None}
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
            if self.items.left_out.get(column) not in SHOWN_REASONS.values()
            and series[column.rstrip(DIGITS)] <= MAX_DEFAULT_FIELDS
        ]
        return new[:MAX_DEFAULT_FIELDS]

    @cached_property
    def offered(self) -> list[str]:
        """The columns to choose from: all but those of names and pictures, which are shown anyway."""
        reasons = self.items.left_out
        vectors = {column for column, values in self.columns.items() if is_vectors(values)}
        return [
            column
            for column in self.known_columns
            if reasons.get(column) not in SHOWN_REASONS.values() and column not in vectors
        ]

    def _source(self, column: str) -> str:
        """The texts that a column of numbers was made of, such as "review" of "review 2"; else the column itself."""
        source, _, number = column.rpartition(" ")
        return source if number.isdigit() and is_text(self.columns.get(source, ())) else column

    @cached_property
    def items(self) -> Items:
        """The rows of the table; of a pool, its sample."""
        return self._items()

    def fields(self, row: int) -> dict[str, str]:
        """The columns of a row that are shown, and what they hold.

        :param row: The number of the row.
        """
        if row not in self._fields:
            values = self._values(row, self.shown)
            self._fields[row] = {column: self._formats[column](value) for column, value in values.items()}
        return dict(self._fields[row])

    def body(self, row: int) -> dict[str, Any]:
        """The long text, the sound and the film of a row, as far as the table has them.

        :param row: The number of the row.
        """
        if not self._body_columns:
            return {}
        values = self._values(row, list(dict.fromkeys(self._body_columns.values())))
        present = {part: values.get(column) for part, column in self._body_columns.items()}
        found = {part: None if value is None else str(value) for part, value in present.items()}
        return {**found, "body_format": self.bodies.body_format} if found.get("body") is not None else found

    def _values(self, row: int, columns: Sequence[str]) -> dict[str, Any]:
        if self.pool_path is None:
            there = (column for column in columns if 0 <= row < len(self.columns[column]))
            return {column: self.columns[column][row] for column in there}
        try:
            read = self._pool.take([row], list(columns)) if columns else {}
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
        return option if row is None else replace(option, row=row, fields=self.fields(row), **self.body(row))

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
