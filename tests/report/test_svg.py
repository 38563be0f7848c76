"""The charts: what is drawn where."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwise.report.lines import Line, curves
from askwise.report.svg import Branch, Interval, bars, intervals, percent, rounded, ticks, tree

EVIL = "</svg><script>alert(1)</script>\"'&"
FORK = Branch(0.0, 0.5, ((1.0, 0.0), (1.0, 1.0)), "97", False)
CHARTS = {
    "bars": bars([("a", 0.25), (EVIL, 1.0)], EVIL),
    "intervals": intervals([Interval(EVIL, 1, 2, 4, EVIL), Interval("b", -3, 0, 9, "0")], EVIL, EVIL),
    "curves": curves([Line(EVIL, [[(0, 1.0), (2, 0.5)], [(2, 0.8), (9, 0.1)]])], EVIL, EVIL, (0.05, EVIL), [(2, EVIL)]),
    "one point": curves([Line("a", [[(0, 0.0)]])], "nothing", "answers"),
    "tree": tree([EVIL, "b"], [FORK], EVIL),
}


@pytest.mark.parametrize("name", CHARTS)
def test_well_formed_labelled_and_escaped(name):
    root = ElementTree.fromstring(CHARTS[name])
    assert root.get("role") == "img"
    assert root.get("aria-label")
    assert not list(root.iter("script"))
    shown = {element.text for element in root.iter() if element.text}
    assert EVIL in shown or name == "one point"


@pytest.mark.parametrize("name", CHARTS)
def test_nothing_lies_outside_and_no_colour_is_fixed(name):
    for share in re.findall(r'\b(?:x|x1|x2|cx|width)="([-\d.]+)%"', CHARTS[name]):
        assert 0 <= float(share) <= 100
    for part in ("fill=", "stroke=", "rgb", "style="):  # dark screens and paper have colours of their own
        assert part not in CHARTS[name]


def test_a_bar_is_as_long_as_its_share():
    root = ElementTree.fromstring(bars([("a", 0.25), ("b", 1.0), ("c", 0.0)], "x"))
    wide = [float(bar.get("width").rstrip("%")) for bar in root.iter("rect") if bar.get("class") == "bar"]
    track = [float(bar.get("width").rstrip("%")) for bar in root.iter("rect") if bar.get("class") == "track"]
    assert [own / whole for own, whole in zip(wide, track, strict=True)] == pytest.approx([0.25, 1.0, 0.0])


def test_intervals_share_one_scale():
    root = ElementTree.fromstring(intervals([Interval("a", 0, 5, 10, ""), Interval("b", 2, 4, 6, "")], "x", "y"))
    spans = [
        (float(line.get("x1").rstrip("%")), float(line.get("x2").rstrip("%")))
        for line in root.iter("line")
        if line.get("class") == "span"
    ]
    whole = spans[0][1] - spans[0][0]
    assert (spans[1][0] - spans[0][0]) / whole == pytest.approx(0.2, abs=1e-3)
    assert (spans[1][1] - spans[0][0]) / whole == pytest.approx(0.6, abs=1e-3)


def test_a_curve_passes_through_its_points():
    root = ElementTree.fromstring(curves([Line("a", [[(0, 0.4), (5, 0.2), (10, 0.0)]])], "x", "y"))
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
    intervals([Interval("a", 3, 3, 3, "3")], "x", "y")
    assert rounded(1.0, 0.0) == "1.00"


@given(st.floats(0, 1))
def test_a_chance_is_never_called_certain_unless_it_is(share):
    said = percent(share)
    assert (said == "0 %") == (share == 0)
    assert (said == "100 %") == (share == 1)
