"""What a goal found, as plain values: the result itself and the charts behind it.

The report and the dashboard draw the same values. A value holds data and plain text; escaping and drawing happen where
it is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

from askwise.goals.base.findings import Chance, Span

SMALLEST_CHANCE = 0.005  # smaller chances have no bar of their own
MAX_BARS = 12
MAX_INTERVALS = 60
MAX_GROUPS = 60
MAX_HEAT_ROWS = 60
INTERVAL_LEAD = "The dot is the middle of what is plausible; the line holds the true {what} with a probability of 80 %."


@dataclass(frozen=True)
class Table:
    """All numbers behind a chart, as texts.

    >>> Table("Every item as a table", ("item", "chance"), (("tea", "75 %"),), numeric=(1,)).headings
    ('item', 'chance')
    """

    title: str  # above the table
    headings: tuple[str, ...]  # of the columns
    rows: tuple[tuple[str, ...], ...]  # the texts of each row
    numeric: tuple[int, ...] = ()  # the columns that hold numbers


@dataclass(frozen=True)
class Chart:
    """What every chart has: an identifier within its page, a title, a sentence on how to read it, its numbers.

    A plain `Chart` is drawn as its title and its sentence.

    >>> Chart("fairness", "Fairness between the groups", "The groups differ by 3 %.").table is None
    True
    """

    id: str  # an identifier, unique on its page
    title: str  # above the chart
    lead: str  # how to read it, in a sentence
    table: Table | None = None  # all its numbers
    notes: tuple[str, ...] = field(default=(), kw_only=True)  # what the chart shows, in words

    def with_table_of(self, rows: int) -> Self:
        """The same chart with no more than so many rows in its table.

        :param rows: How many rows at most.
        """
        if self.table is None or len(self.table.rows) <= rows:
            return self
        title = f"{self.table.title} (the first {rows:,})"
        return replace(self, table=replace(self.table, title=title, rows=self.table.rows[:rows]))


@dataclass(frozen=True)
class Bars(Chart):
    """Probabilities, one row each; `others` more are not shown.

    >>> Bars("chances", "How likely each is the best", "", rows=(("tea", 0.75), ("milk", 0.25))).others
    0
    """

    rows: tuple[tuple[str, float], ...] = ()  # names and probabilities
    others: int = 0  # how many more there are


@dataclass(frozen=True)
class Interval:
    """One row of `Intervals`: where a number lies, and the text beside it."""

    name: str  # of the row
    low: float  # where the interval begins
    middle: float  # the number itself
    high: float  # where the interval ends
    text: str  # beside it


@dataclass(frozen=True)
class Intervals(Chart):
    """A number for each row with the interval that holds it, above one axis; `others` more are not shown."""

    axis: str = ""  # what the axis shows
    rows: tuple[Interval, ...] = ()  # one for each number
    others: int = 0  # how many more there are


@dataclass(frozen=True)
class HeatRow:
    """One row of a `HeatMap`: its name, and for each column a share from 0 (light) to 1 (dark) and a text."""

    name: str  # of the row
    cells: tuple[tuple[float, str], ...]  # a share from 0 to 1 and a text for each column


@dataclass(frozen=True)
class HeatMap(Chart):
    """Numbers in rows and columns, the larger the darker; `others` more rows are not shown.

    >>> HeatMap("map", "The table", "", columns=("tea",), rows=(HeatRow("Ann", ((1.0, "4"),)),)).others
    0
    """

    columns: tuple[str, ...] = ()  # their names
    rows: tuple[HeatRow, ...] = ()  # one for each row
    others: int = 0  # how many more there are


class CurvePoint(NamedTuple):
    """One point of a `EffectCurve`."""

    x: float  # where the point lies
    low: float  # where the band begins
    middle: float  # the number itself
    high: float  # where the band ends


@dataclass(frozen=True)
class EffectCurve(Chart):
    """A number over another, with the band that holds it.

    >>> points = (CurvePoint(0, 0, 1, 2), CurvePoint(5, 1, 2, 3))
    >>> EffectCurve("effect", "How price mattered", "", None, "price", points).axis
    'price'
    """

    axis: str = ""  # what the axis shows
    rows: tuple[CurvePoint, ...] = ()  # the points from left to right


@dataclass(frozen=True)
class Item:
    """A thing that was found: its name, its row in the table (which has its picture), and a short note.

    >>> Item("tea", 0, "75 %").note
    '75 %'
    """

    name: str  # of the item
    place: int | None = None  # its row in the table; None: it has none
    note: str = ""  # beside the name


@dataclass(frozen=True)
class Group:
    """Items that belong together, under a heading."""

    title: str  # the heading
    items: tuple[Item, ...]  # what belongs together


@dataclass(frozen=True)
class Groups(Chart):
    """Groups of items; `others` more are not shown."""

    groups: tuple[Group, ...] = ()  # one for each group
    others: int = 0  # how many more there are


@dataclass(frozen=True)
class Fork:
    """A fork of a drawn tree: where it stands (0 the root, 1 the leaves; rows from the top), its children, a note."""

    x: float  # how far from the root, 0 to 1
    row: float  # how far from the top, in leaves
    children: tuple[tuple[float, float], tuple[float, float]]  # (x, row) of each
    note: str  # beside the fork
    strong: bool  # whether it is drawn strongly


@dataclass(frozen=True)
class Tree(Chart):
    """A tree that lies on its side, the root at the left."""

    names: tuple[str, ...] = ()  # the leaves from the top
    forks: tuple[Fork, ...] = ()  # one for each inner node


@dataclass(frozen=True)
class Result:
    """What was found: the question in plain words, the answer to it, and the charts behind it.

    >>> Result("Which of 3 is the best?", items=(Item("tea", 0),), large=True).charts
    ()
    """

    question: str  # in plain words
    items: tuple[Item, ...] = ()  # one or several things that were found
    large: bool = False  # whether the items are the whole answer and shown large
    facts: tuple[tuple[str, str], ...] = ()  # names and values beside them
    text: str = ""  # a sentence below them
    drawing: Chart | None = None  # the answer where it is a drawing: clusters, a tree
    charts: tuple[Chart, ...] = ()  # what stands behind the answer

    @property
    def all_charts(self) -> tuple[Chart, ...]:
        """The drawing and the charts behind it."""
        return self.charts if self.drawing is None else (self.drawing, *self.charts)


def chance_rows(rows: Sequence[Chance], most: int = MAX_BARS, total: bool = False) -> tuple[tuple[str, float], ...]:
    """The likeliest as bars; with `total`, all others share one more bar.

    :param rows: Names and their probabilities, the likeliest first.
    :param most: How many bars at most.
    :param total: Whether all others share one more bar.

    >>> chance_rows([Chance(0, "tea", 0.9), Chance(1, "milk", 0.1)], most=1, total=True)
    (('tea', 0.9), ('the other one', 0.1))
    """
    drawn = [(row.name, row.probability) for row in rows[:most] if row.probability >= SMALLEST_CHANCE]
    others = len(rows) - len(drawn)
    if total and others:
        rest = min(1.0, sum(row.probability for row in rows[len(drawn) :]))
        drawn.append((f"all other {others:,}" if others > 1 else "the other one", rest))
    return tuple(drawn)


def interval_rows(spans: Sequence[Span], texts: Sequence[str]) -> tuple[Interval, ...]:
    """The first intervals with their texts.

    :param spans: Numbers and their intervals.
    :param texts: The text beside each.

    >>> interval_rows([Span(0, "tea", 1, 1, 2, 0.9)], ["1 (1 to 2)"])[0].high
    2
    """
    both = zip(spans[:MAX_INTERVALS], texts, strict=False)
    return tuple(Interval(span.name, span.low, span.middle, span.high, text) for span, text in both)
