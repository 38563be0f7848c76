"""Charts over time: curves over the number of answers, and columns over minutes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from askwise.goals.base.charts import EffectCurve
from askwise.report.charts.scale import MINUS, long_label, tick_label, ticks

LEFT, WIDTH = 12.0, 86.0  # per cent: where the plot begins, and how wide it is
CURVE_HEIGHT, COLUMN_HEIGHT = 190, 110  # pixels of the plot
LEGEND_ROW = 22
Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Line:
    """One curve, in pieces where it is interrupted: each piece is a list of (x, y)."""

    name: str
    pieces: Sequence[Points]


@dataclass(frozen=True)
class Curves:
    """Lines over a common x.

    >>> Curves("how it went", "answers", [Line("undecided", [[(0, 0.5), (4, 0.1)]])]).level is None
    True
    """

    title: str  # for those who cannot see it
    axis: str
    lines: Sequence[Line]  # at most six, which have colours of their own
    level: tuple[float, str] | None = None  # a value to get below, and what it means
    marks: Sequence[tuple[float, str]] = ()  # where something changed
    background: Sequence[Line] = ()  # thin lines, named when pointed at
    from_zero: bool = True  # whether both axes begin at 0; otherwise where the lines do


@dataclass(frozen=True)
class Columns:
    """Counts side by side, each with a text to show when pointed at; some have a label below.

    >>> Columns("answers a minute", "minutes ago", [3, 1], ["3 answers", "1 answer"], {1: "now"}).counts
    [3, 1]
    """

    title: str
    axis: str
    counts: Sequence[int]
    texts: Sequence[str]
    labels: dict[int, str]


def curves_layout(chart: Curves) -> dict[str, Any]:
    """Where the lines of a chart go, and the values to show at each x.

    >>> found = curves_layout(Curves("x", "answers", [Line("a", [[(0, 0.4), (5, 0.2), (10, 0.0)]])]))
    >>> found["lines"][0]["paths"]
    ['0.0,0.0 500.0,500.0 1000.0,1000.0']
    """
    shown = [*chart.lines, *chart.background]
    points = [point for line in shown for piece in line.pieces for point in piece]
    left, right = (0.0, max(1.0, max(x for x, _ in points))) if chart.from_zero else _span([x for x, _ in points])
    lowest = 0.0 if chart.from_zero else min(y for _, y in points)
    heights = ticks(lowest, max([y for _, y in points] + ([chart.level[0]] if chart.level else [])) or 1.0)
    top = LEGEND_ROW * (len(chart.lines) + (chart.level is not None)) + 14
    bottom = top + CURVE_HEIGHT

    def across(x: float) -> float:
        return LEFT + WIDTH * (x - left) / (right - left)

    def down(y: float) -> float:
        return bottom - CURVE_HEIGHT * share(y)

    def share(y: float) -> float:
        return (y - heights[0]) / (heights[-1] - heights[0])

    def path(piece: Points) -> str:
        """In a frame of 1000 by 1000 that stretches with the page."""
        return " ".join(f"{1000 * (x - left) / (right - left):.1f},{1000 - 1000 * share(y):.1f}" for x, y in piece)

    def paths(lines: Sequence[Line]) -> list[dict[str, Any]]:
        return [{"name": line.name, "paths": [path(piece) for piece in line.pieces]} for line in lines]

    return {
        "label": chart.title,
        "axis": chart.axis,
        "left": LEFT,
        "width": WIDTH,
        "right": LEFT + WIDTH,
        "top": top,
        "bottom": bottom,
        "plot_height": CURVE_HEIGHT,
        "height": bottom + 44,
        "y_ticks": [(down(y), tick_label(y)) for y in heights],
        "x_ticks": [
            (across(x), long_label(x))
            for x in ticks(left, right, 5)
            if left <= x <= right and (x == int(x) or not chart.from_zero)
        ],
        "level": None if chart.level is None else (down(chart.level[0]), chart.level[1]),
        "marks": [{"x": across(x), "text": text, "before": x > right / 2} for x, text in chart.marks],
        "lines": paths(chart.lines),
        "background": paths(chart.background),
        "points": _points(chart.lines, across, down),
        "legend_row": LEGEND_ROW,
    }


def band_layout(chart: EffectCurve) -> dict[str, Any]:
    """Where a curve and the two thin lines around it go.

    >>> from askwise.goals.base.charts import CurvePoint
    >>> points = (CurvePoint(1990, -1, 0, 1), CurvePoint(2010, 0, 1, 2))
    >>> [text for _, text in band_layout(EffectCurve("effect", "How year mattered", "", rows=points))["x_ticks"]][:2]
    ['1990', '1995']
    """
    edges = (("low", [(row.x, row.low) for row in chart.rows]), ("high", [(row.x, row.high) for row in chart.rows]))
    return curves_layout(
        Curves(
            chart.title,
            chart.axis,
            [Line("effect", [[(row.x, row.middle) for row in chart.rows]])],
            background=[Line(f"80 % interval, {name} end", [points]) for name, points in edges],
            from_zero=False,
        )
    )


def columns_layout(chart: Columns) -> dict[str, Any]:
    """Where the columns of a chart go.

    >>> [round(one["height"]) for one in columns_layout(Columns("x", "y", [2, 4], ["", ""], {}))["columns"]]
    [55, 110]
    """
    heights = [tick for tick in ticks(0.0, max(4, *chart.counts), 3) if tick == int(tick)]
    top, step = 24, WIDTH / len(chart.counts)
    bottom = top + COLUMN_HEIGHT
    columns = [
        {
            "x": LEFT + step * place,
            "height": COLUMN_HEIGHT * count / heights[-1],
            "text": text,
            "label": chart.labels.get(place, ""),
        }
        for place, (count, text) in enumerate(zip(chart.counts, chart.texts, strict=True))
    ]
    return {
        "label": chart.title,
        "axis": chart.axis,
        "left": LEFT,
        "right": LEFT + WIDTH,
        "top": top,
        "bottom": bottom,
        "plot_height": COLUMN_HEIGHT,
        "height": bottom + 44,
        "step": step,
        "y_ticks": [(bottom - COLUMN_HEIGHT * y / heights[-1], tick_label(y)) for y in heights],
        "columns": columns,
    }


def _span(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _points(lines: Sequence[Line], across: Any, down: Any) -> list[dict[str, Any]]:
    """For each x: the strip of the plot that is nearest to it, and the value of each line there."""
    values = [dict(point for piece in line.pieces for point in piece) for line in lines]
    xs = sorted({x for line in values for x in line})
    edges = [xs[0], *((one + two) / 2 for one, two in pairwise(xs)), xs[-1]]
    return [
        {
            "x": across(x),
            "text": long_label(x),
            "left": across(edges[place]),
            "width": across(edges[place + 1]) - across(edges[place]),
            "values": [(f"{line[x]:.3f}".replace("-", MINUS), down(line[x])) if x in line else None for line in values],
        }
        for place, x in enumerate(xs)
    ]
