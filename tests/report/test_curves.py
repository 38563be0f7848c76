import sys

import pytest

from askwise.errors import SettingError
from askwise.report.curves import curves_svg


def test_every_line_and_panel_is_drawn():
    lines = {"askwise": [3.0, 2.0, 1.0], "random": [3.0, 2.9, 2.8]}
    svg = curves_svg({"first": lines, "second": lines})
    for text in ("askwise", "random", "first", "second", "questions"):
        assert f"<!-- {text} -->" in svg
    assert svg.lower().count("stroke: #0072b2") >= 2  # the first line, in both panels


def test_without_matplotlib_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(SettingError, match=r"pip install 'askwise\[plots\]'"):
        curves_svg({"a": {"b": [1.0]}})
