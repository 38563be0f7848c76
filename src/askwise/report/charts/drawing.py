"""Lays charts out: where each bar, dot and line goes.

Widths are percentages and heights are pixels, so that a chart fills a wide page and a phone alike while its letters
keep their size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
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
TICK_WIDTH = 34.0  # pixels of a number below an axis, with some space
MAX_LETTERS_BESIDE, MAX_LETTERS_BESIDE_ON_PHONE = 20, 13  # of a name beside its bar; longer ones stand above it
NAME_LINES = ((36, 20), (64, 38))  # above a bar: letters that fit, also on a phone, and how many pixels they take
NAME_ABOVE_ON_PHONE = 18  # pixels
MAX_LEAF_LETTERS, LEAF_HEIGHTS = (19, 38), (24, 38)  # of one line and of two
COLUMN_NAME_HEIGHT = 150  # pixels of a name that stands upright, at most
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
    fixed = str(draw(chart)).replace("on-phone", "")  # the file has one size
    drawn = Markup(fixed.replace('<div class="name', f'<div xmlns="{XHTML}" class="name'))  # not on a page
    return render("chart.svg", chart=drawn, title=chart.title, width=width, height=layout(chart)["height"])


def names_layout(names: Sequence[str]) -> dict[str, Any]:
    """Where the rows of a chart go and their names: beside them, above them, or above them on a phone only. Names that
    are cut until they look alike say nothing.

    >>> found = names_layout(["tea", "a cup of the finest Darjeeling"])
    >>> found["above"], [(row["name_top"], row["top"]) for row in found["rows"]]
    (20, [(0, 20), (46, 66)])
    """
    longest = max(map(len, names))
    fitting = [pixels for letters, pixels in NAME_LINES if longest <= letters]
    above = 0 if longest <= MAX_LETTERS_BESIDE else (fitting or [NAME_LINES[-1][1]])[0]
    most = NAME_LINES[-1][0]
    rows = [
        {"name": name, "shown": middle_cut(name, most), "name_top": top, "top": top + above}
        for top, name in zip(range(0, len(names) * (ROW_HEIGHT + above), ROW_HEIGHT + above), names, strict=True)
    ]
    bottom = (ROW_HEIGHT + above) * len(names)
    taller = NAME_ABOVE_ON_PHONE * len(names)
    on_phone = not above and longest > MAX_LETTERS_BESIDE_ON_PHONE
    return {"above": above, "rows": rows, "bottom": bottom, "on_phone": on_phone, "taller": taller}


def middle_cut(name: str, letters: int) -> str:
    """A name of at most so many letters: long names often differ only at their end.

    >>> middle_cut("The collected works, volume 1", 20)
    'The collecte…olume 1'
    """
    ending = letters // 3 + 1
    return name if len(name) <= letters else f"{name[: letters - ending - 1]}…{name[-ending:]}"


def bars_layout(chart: Bars) -> dict[str, Any]:
    """Where the bars of a chart go.

    >>> bars_layout(Bars("chances", "How likely", "", rows=(("tea", 0.5),)))["rows"][0]["width"]
    25.0
    """
    names = names_layout([name for name, _ in chart.rows])
    left = 0.0 if names["above"] else PLOT_LEFT
    track = BAR_RIGHT - left
    rows = [
        {**place, "text": percent(share), "width": track * min(1.0, max(0.0, share))}
        for place, (_, share) in zip(names["rows"], chart.rows, strict=True)
    ]
    spoken = ", ".join(f"{row['name']} {row['text']}" for row in rows[:SPOKEN_ROWS])
    return {**names, "label": f"{chart.title}: {spoken}", "height": names["bottom"], "left": left, "track": track,
            "rows": rows}  # fmt: skip


def intervals_layout(chart: Intervals) -> dict[str, Any]:
    """Where the dots and lines of a chart go, above one axis."""
    names = names_layout([row.name for row in chart.rows])
    left = 2.0 if names["above"] else PLOT_LEFT
    longest = LETTER_WIDTH * max(len(row.text) for row in chart.rows) / PHONE_WIDTH  # beside a line, also on a phone
    right = min(PLOT_RIGHT, max(MIN_PLOT_RIGHT, 100 * (1 - longest) - 3))
    low, high = min(row.low for row in chart.rows), max(row.high for row in chart.rows)
    marks = ticks(low, high)
    start, end = min(low, marks[0]), max(high, marks[-1])

    def across(value: float) -> float:
        return left + (right - left) * (value - start) / ((end - start) or 1.0)

    every = ceil(len(marks) * TICK_WIDTH / (PHONE_WIDTH * (right - left) / 100))  # so that numbers do not touch
    bottom = names["bottom"]
    spoken = ", ".join(f"{row.name} {row.text}" for row in chart.rows[:SPOKEN_ROWS])
    return {
        **names,
        "label": f"{chart.title}: {spoken}",
        "height": bottom + 40,
        "axis": chart.axis,
        "axis_x": (left + right) / 2,
        "ticks": [(across(mark), "" if place % every else tick_label(mark)) for place, mark in enumerate(marks)],
        "rows": [
            {
                **place,
                "text": row.text,
                "low": across(row.low),
                "middle": across(row.middle),
                "high": across(row.high),
            }
            for place, row in zip(names["rows"], chart.rows, strict=True)
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
    widest = LETTER_WIDTH * max(map(len, chart.columns))
    upright = widest > PHONE_WIDTH * step / 100
    top = 0 if not written else min(int(widest) + 6, COLUMN_NAME_HEIGHT) if upright else ROW_HEIGHT
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
        "upright": upright,
        "top": top,
        "columns": [(HEAT_LEFT + step * place, name) for place, name in enumerate(chart.columns)] if written else [],
        "rows": rows,
    }


def tree_layout(chart: Tree) -> dict[str, Any]:
    """Where the branches of a tree go; it lies on its side, the root at the left."""
    longest = LETTER_WIDTH * max(map(len, chart.names)) / PHONE_WIDTH
    leaves = 100 * (1 - min(0.5, longest)) - 4  # a name too long for half a phone takes two lines, or is cut
    height = LEAF_HEIGHTS[max(map(len, chart.names)) > MAX_LEAF_LETTERS[0]]

    def across(x: float) -> float:
        return 2 + (leaves - 2) * x

    def down(row: float) -> float:
        return row * height + height / 2 + 2

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
        "height": int(down(len(chart.names) - 1) + height / 2) + 4,
        "forks": forks,
        "leaves": [(name, middle_cut(name, MAX_LEAF_LETTERS[1]), down(row)) for row, name in enumerate(chart.names)],
        "leaf_height": height,
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
