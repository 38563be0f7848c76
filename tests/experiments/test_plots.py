import sys

import pytest

from askwise.errors import SettingError
from askwise.experiments.plots import new_figure


def test_without_matplotlib_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(SettingError, match=r"pip install 'askwise\[plots\]'"):
        new_figure(1, 1)
