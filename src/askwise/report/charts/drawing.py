"""Lays charts out: where each bar, dot and line goes.

Widths are percentages and heights are pixels, so that a chart fills a wide page and a phone alike while its letters
keep their size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from markupsafe import Markup

from askwise.goals.base.charts import Bars, EffectCurve, HeatMap, Intervals, Tree
from askwise.goals.base.texts import percent
from askwise.report.charts.scale import tick_label, ticks
from askwise.report.charts.series import Columns, Curves, band_layout, columns_layout, curves_layout
from askwise.report.templating import render, render_macro

ROW_HEIGHT = 26
XHTML = "http://www.w3.org/1999/xhtml"  # what HTML within a file of SVG must say it is
PLOT_LEFT, PLOT_RIGHT, MIN_PLOT_RIGHT = 36.0, 80.0, 55.0  # per cent of the width
BAR_RIGHT = 86.0  # only a percentage stands beside a bar
LETTER_WIDTH = 7.8  # pixels, about
PHONE_WIDTH = 300.0  # pixels of a chart there
LEAF_HEIGHT = 24
HEAT_LEFT = 26.0  # per cent: where the cells of a map begin
HEAT_OPACITY = 0.6  # of the darkest cell, so that its number can be read
MAX_WRITTEN_COLUMNS = 12  # of a map that have their numbers in the cells
SPOKEN_ROWS = 3  # rows named to those who cannot see the chart


def draw(chart: Any) -> Markup:
    """A chart as an SVG element.

    >>> draw(Bars("chances", "How likely", "", rows=(("tea", 0.75), ("<b>", 0.25)))).count("&lt;b&gt;: 25 %")
    1
    """
    kind, layout = LAYOUTS[type(chart)]
    return render_macro("charts.html", kind, layout(chart))


def svg_file(chart: Any, width: int = 640) -> str:
    """A chart as a file of its own, with its colours, so many pixels wide.

    >>> svg_file(Bars("chances", "How likely", "", rows=(("tea", 0.75),)))[:39]
    '<svg xmlns="http://www.w3.org/2000/svg"'
    """
    _, layout = LAYOUTS[type(chart)]
    drawn = Markup(draw(chart).replace('<div class="name">', f'<div xmlns="{XHTML}" class="name">'))  # not on a page
    return render("chart.svg", chart=drawn, title=chart.title, width=width, height=layout(chart)["height"])


def bars_layout(chart: Bars) -> dict[str, Any]:
    """Where the bars of a chart go.

    >>> bars_layout(Bars("chances", "How likely", "", rows=(("tea", 0.5),)))["rows"][0]["width"]
    25.0
    """
    track = BAR_RIGHT - PLOT_LEFT
    rows = [
        {"name": name, "text": percent(share), "top": number * ROW_HEIGHT, "width": track * min(1.0, max(0.0, share))}
        for number, (name, share) in enumerate(chart.rows)
    ]
    spoken = ", ".join(f"{row['name']} {row['text']}" for row in rows[:SPOKEN_ROWS])
    return {
        "label": f"{chart.title}: {spoken}",
        "height": ROW_HEIGHT * len(rows),
        "left": PLOT_LEFT,
        "track": track,
        "rows": rows,
    }


def intervals_layout(chart: Intervals) -> dict[str, Any]:
    """Where the dots and lines of a chart go, above one axis."""
    longest = LETTER_WIDTH * max(len(row.text) for row in chart.rows) / PHONE_WIDTH  # beside a line, also on a phone
    right = min(PLOT_RIGHT, max(MIN_PLOT_RIGHT, 100 * (1 - longest) - 3))
    low, high = min(row.low for row in chart.rows), max(row.high for row in chart.rows)
    marks = ticks(low, high)
    start, end = min(low, marks[0]), max(high, marks[-1])

    def across(value: float) -> float:
        return PLOT_LEFT + (right - PLOT_LEFT) * (value - start) / ((end - start) or 1.0)

    bottom = ROW_HEIGHT * len(chart.rows)
    spoken = ", ".join(f"{row.name} {row.text}" for row in chart.rows[:SPOKEN_ROWS])
    return {
        "label": f"{chart.title}: {spoken}",
        "height": bottom + 40,
        "bottom": bottom,
        "axis": chart.axis,
        "axis_x": (PLOT_LEFT + right) / 2,
        "ticks": [(across(mark), tick_label(mark)) for mark in marks],
        "rows": [
            {
                "name": row.name,
                "text": row.text,
                "top": number * ROW_HEIGHT,
                "low": across(row.low),
                "middle": across(row.middle),
                "high": across(row.high),
            }
            for number, row in enumerate(chart.rows)
        ],
    }


def heat_layout(chart: HeatMap) -> dict[str, Any]:
    """Where the cells of a map go. Few columns have their names above and their numbers in the cells.

    >>> from askwise.goals.base.charts import HeatRow
    >>> rows = (HeatRow("Ann", ((0.0, "1"), (1.0, "4"))),)
    >>> [cell["x"] for cell in heat_layout(HeatMap("map", "x", "", columns=("a", "b"), rows=rows))["rows"][0]["cells"]]
    [26.0, 63.0]
    """
    step, written = (100 - HEAT_LEFT) / len(chart.columns), len(chart.columns) <= MAX_WRITTEN_COLUMNS
    top = ROW_HEIGHT if written else 0
    rows = [
        {
            "name": row.name,
            "top": top + number * ROW_HEIGHT,
            "cells": [
                {"x": HEAT_LEFT + step * place, "text": text, "column": column, "opacity": HEAT_OPACITY * share}
                for place, (column, (share, text)) in enumerate(zip(chart.columns, row.cells, strict=True))
            ],
        }
        for number, row in enumerate(chart.rows)
    ]
    return {
        "label": f"{chart.title}: {len(chart.rows)} rows, {len(chart.columns)} columns",
        "height": top + ROW_HEIGHT * len(rows),
        "step": step,
        "written": written,
        "columns": [(HEAT_LEFT + step * place, name) for place, name in enumerate(chart.columns)] if written else [],
        "rows": rows,
    }


def tree_layout(chart: Tree) -> dict[str, Any]:
    """Where the branches of a tree go; it lies on its side, the root at the left."""
    longest = LETTER_WIDTH * max(map(len, chart.names)) / PHONE_WIDTH
    leaves = 100 * (1 - min(0.5, longest)) - 4  # names too long for half a phone are cut

    def across(x: float) -> float:
        return 2 + (leaves - 2) * x

    def down(row: float) -> float:
        return row * LEAF_HEIGHT + 14

    forks = [
        {
            "strong": fork.strong,
            "note": fork.note,
            "x": across(fork.x),
            "y": down(fork.row),
            "children": [(across(x), down(row)) for x, row in fork.children],
        }
        for fork in chart.forks
    ]
    return {
        "label": f"{chart.title}: a tree of {len(chart.names)} items",
        "height": int(down(len(chart.names) - 1)) + 16,
        "forks": forks,
        "leaves": [(name, down(row)) for row, name in enumerate(chart.names)],
        "leaves_x": leaves + 1.5,
        "leaves_width": 98.5 - leaves,
    }


LAYOUTS: dict[type, tuple[str, Callable[[Any], dict[str, Any]]]] = {
    Bars: ("bars", bars_layout),
    Columns: ("columns", columns_layout),
    EffectCurve: ("curves", band_layout),
    HeatMap: ("heat", heat_layout),
    Curves: ("curves", curves_layout),
    Intervals: ("intervals", intervals_layout),
    Tree: ("tree", tree_layout),
}
