"""Charts as SVG, without a script: the only place that draws, used by the report, the demo and the dashboard.

A chart is a value: the charts of a goal (`askwise.goals.base.charts`), or `Curves` and `Columns` over time. `draw` lays
it out in Python and writes it with an autoescaped template; `svg_file` makes a file of it. Colours come from
`charts.css`, which knows dark screens and paper. Charts know nothing about sessions, files or the web.
"""

from askwise.report.charts.drawing import draw, svg_file
from askwise.report.charts.scale import ticks
from askwise.report.charts.series import Columns, Curves, Line

__all__ = ["Columns", "Curves", "Line", "draw", "svg_file", "ticks"]
