"""Charts as SVG, without a script: the only place that draws, for the report, the demo and the dashboard.

A chart is a value, which `draw` lays out in Python and writes with an autoescaped template, and `svg_file` writes to a
file. Colours come from `charts.css`, and charts know nothing about sessions, files or the web.
"""

from askwise.report.charts.drawing import draw, svg_file
from askwise.report.charts.scale import ticks
from askwise.report.charts.series import Columns, Curves, Line

__all__ = ["Columns", "Curves", "Line", "draw", "svg_file", "ticks"]
