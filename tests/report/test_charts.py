"""The charts: what is drawn where."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.goals.base.charts import Bars, CurvePoint, EffectCurve, Fork, HeatMap, HeatRow, Interval, Intervals, Tree
from askwise.goals.base.texts import percent, rounded
from askwise.report.charts import Columns, Curves, Line, draw, ticks
from askwise.report.charts.drawing import intervals_layout

EVIL = "</svg><script>alert(1)</script>\"'&"
FORK = Fork(0.0, 0.5, ((1.0, 0.0), (1.0, 1.0)), "97", False)
PIECES = [[(0, 1.0), (2, 0.5)], [(2, 0.8), (9, 0.1)]]
ROWS = (Interval(EVIL, 1, 2, 4, EVIL), Interval("b", -3, 0, 9, "0"))
CHARTS = {
    "bars": Bars("id", EVIL, "", rows=(("a", 0.25), (EVIL, 1.0))),
    "intervals": Intervals("id", EVIL, "", axis=EVIL, rows=ROWS),
    "curves": Curves(EVIL, EVIL, [Line(EVIL, PIECES)], (0.05, EVIL), [(2, EVIL)], [Line(EVIL, PIECES)]),
    "effect": EffectCurve("id", EVIL, "", None, EVIL, (CurvePoint(1990, -2, -1, 0), CurvePoint(2010, 0, 1, 3))),
    "one value": EffectCurve("id", "flat", "", None, EVIL, (CurvePoint(5, 0, 0, 0), CurvePoint(5, 0, 0, 0))),
    "one point": Curves("nothing", "answers", [Line("a", [[(0, 0.0)]])]),
    "columns": Columns(EVIL, EVIL, [0, 7, 3], ["0", EVIL, "3"], {0: EVIL, 2: "now"}),
    "no answers": Columns("nothing", "minutes ago", [0] * 30, [""] * 30, {}),
    "heat map": HeatMap("id", EVIL, "", columns=(EVIL, "b"), rows=(HeatRow(EVIL, ((0.0, EVIL), (1.0, "4"))),)),
    "large map": HeatMap("id", "x", "", columns=(EVIL,) * 13, rows=(HeatRow(EVIL, ((0.5, EVIL),) * 13),)),
    "tree": Tree("id", EVIL, "", names=(EVIL, "b"), forks=(FORK,)),
}


def parse(chart):
    return ElementTree.fromstring(draw(chart))


@pytest.mark.parametrize("name", CHARTS)
def test_well_formed_labelled_and_escaped(name):
    root = parse(CHARTS[name])
    assert root.get("role") == "img"
    assert root.get("aria-label")
    assert not list(root.iter("script"))
    shown = {element.text for element in root.iter() if element.text}
    assert EVIL in shown or name in ("one point", "no answers")


@pytest.mark.parametrize("name", CHARTS)
def test_nothing_lies_outside_and_no_colour_is_fixed(name):
    svg = draw(CHARTS[name])
    for share in re.findall(r'\b(?:x|x1|x2|cx|width)="([-\d.]+)%"', svg):
        assert 0 <= float(share) <= 100
    for part in ("fill=", "stroke=", "rgb", "style="):  # dark screens and paper have colours of their own
        assert part not in svg


def test_a_cell_is_as_dark_as_its_share():
    cells = [bar for bar in parse(CHARTS["heat map"]).iter("rect") if bar.get("class") == "bar"]
    assert [float(cell.get("opacity")) for cell in cells] == [0.0, 0.6]
    assert float(cells[1].get("x").rstrip("%")) > float(cells[0].get("x").rstrip("%"))
    large = parse(CHARTS["large map"])
    assert not list(large.iter("text"))  # names and numbers only where there is room
    assert f"{EVIL}, {EVIL}: {EVIL}" in {title.text for title in large.iter("title")}


def test_a_bar_is_as_long_as_its_share():
    root = parse(Bars("id", "x", "", rows=(("a", 0.25), ("b", 1.0), ("c", 0.0))))
    wide = [float(bar.get("width").rstrip("%")) for bar in root.iter("rect") if bar.get("class") == "bar"]
    track = [float(bar.get("width").rstrip("%")) for bar in root.iter("rect") if bar.get("class") == "track"]
    assert [own / whole for own, whole in zip(wide, track, strict=True)] == pytest.approx([0.25, 1.0, 0.0])


def test_intervals_share_one_scale():
    root = parse(Intervals("id", "x", "", rows=(Interval("a", 0, 5, 10, ""), Interval("b", 2, 4, 6, ""))))
    spans = [
        (float(line.get("x1").rstrip("%")), float(line.get("x2").rstrip("%")))
        for line in root.iter("line")
        if line.get("class") == "span"
    ]
    whole = spans[0][1] - spans[0][0]
    assert (spans[1][0] - spans[0][0]) / whole == pytest.approx(0.2, abs=1e-3)
    assert (spans[1][1] - spans[0][0]) / whole == pytest.approx(0.6, abs=1e-3)


def test_a_curve_passes_through_its_points():
    root = parse(Curves("x", "y", [Line("a", [[(0, 0.4), (5, 0.2), (10, 0.0)]])]))
    (path,) = [line.get("points") for line in root.iter("polyline")]
    assert path == "0.0,0.0 500.0,500.0 1000.0,1000.0"


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_ticks_are_few_even_and_reach_both_ends(low, width):
    found = ticks(low, low + width)
    steps = {round((b - a) / (found[1] - found[0]), 3) for a, b in pairwise(found)}
    assert 2 <= len(found) <= 7
    assert steps == {1.0}
    assert found[0] <= low + 1e-6 * width
    assert found[-1] >= low + width - 1e-6 * width


def test_no_spread_at_all():
    assert len(ticks(3.0, 3.0)) >= 1
    draw(Intervals("id", "x", "", rows=(Interval("a", 3, 3, 3, "3"),)))
    assert rounded(1.0, 0.0) == "1.00"


def test_every_point_shows_its_values():
    """The strips of the points cover the plot, and the last point's values show without pointing at anything."""
    lines = [Line("a", [[(0, 0.5), (4, 0.25), (6, 0.125)]]), Line("b", [[(4, 0.1), (6, 0.05)]])]
    root = parse(Curves("x", "y", lines))
    groups = [group for group in root.iter("g") if group.get("class") in ("point", "point last")]
    texts = [[text.text for text in group.iter("text")] for group in groups]
    assert texts == [["0", "0.500"], ["4", "0.250", "0.100"], ["0.125", "0.050"]]
    strips = [
        (float(rect.get("x").rstrip("%")), float(rect.get("width").rstrip("%")))
        for rect in root.iter("rect")
        if rect.get("class") == "hit"
    ]
    assert strips[0][0] == pytest.approx(12)
    for (left, width), (following, _) in pairwise(strips):
        assert left + width == pytest.approx(following, abs=0.02)
    assert sum(strips[-1]) == pytest.approx(98, abs=0.02)


def test_columns_are_as_high_as_their_counts():
    root = parse(Columns("x", "y", [2, 0, 8], ["two", "none", "eight"], {}))
    heights = [float(rect.get("height")) for rect in root.iter("rect") if rect.get("class") == "column"]
    assert [height / heights[2] for height in heights] == pytest.approx([0.25, 0, 1])


@given(st.floats(0, 1))
def test_a_chance_is_never_called_certain_unless_it_is(share):
    text = percent(share)
    assert (text == "0 %") == (share == 0)
    assert (text == "100 %") == (share == 1)


def test_long_names_are_cut_in_the_middle_so_that_they_differ():
    names = tuple(f"{'the very long name of a product, ' * 4}edition {year}" for year in (2001, 2002))
    charts = (
        Bars("id", "x", "", rows=tuple((name, 0.5) for name in names)),
        Intervals("id", "x", "", axis="y", rows=tuple(Interval(name, 1, 2, 4, "2") for name in names)),
        Tree("id", "x", "", names=names, forks=(FORK,)),
    )
    for chart in charts:
        shown = [element.text for element in parse(chart).iter("div")]
        assert len(set(shown)) == 2
        assert all(text.endswith(name[-12:]) and len(text) <= 64 for text, name in zip(shown, names, strict=True))


def test_names_of_columns_stand_upright_before_they_are_cut():
    def upright(columns):
        return "upright" in draw(
            HeatMap("id", "x", "", columns=columns, rows=(HeatRow("a", ((0.0, "1"),) * len(columns)),))
        )

    assert not upright(("Oslo", "Rome"))
    assert upright(("Lisbon", "Prague", "Iceland", "Malta", "Crete", "Paris"))


def test_numbers_below_an_axis_do_not_touch():
    rows = (Interval("Cleo", 0.2, 0.8, 1.0, "0.84 (not heard)"),)
    written = [text for _, text in intervals_layout(Intervals("id", "x", "", axis="y", rows=rows))["ticks"] if text]
    assert 2 <= len(written) < 4
