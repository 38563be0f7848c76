"""What a notebook shows without a widget: charts by name, files, and sessions that no goal built."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

import askwise
from askwise.distances.labels import Disagreement
from askwise.errors import SettingError, StudyError
from askwise.posteriors.enumerated import Enumerated
from askwise.structures.finite import Finite


@pytest.fixture
def session():
    found = askwise.best_item({"name": ["tea", "coffee", "water"], "price": [2, 3, 0]}, seed=1)
    found.tell("left", found.ask())
    return found


def by_hand():
    family = Finite([[0, 0], [0, 1], [1, 1]])
    problem = askwise.Problem(family, Disagreement(family, np.arange(2)), askwise.zero_one, beta=float("inf"))
    prior = Enumerated.prior(family, np.arange(3), askwise.zero_one, beta=float("inf"))
    return askwise.Session(problem, prior)


def test_a_session_says_how_far_it_is(session):
    assert "1 answer ·" in session._repr_html_()
    assert "Not settled yet." in session._repr_html_()
    while not session.done:
        session.tell(min(option.name for option in session.ask().options))
    assert "Settled." in session._repr_html_()
    assert session.estimate().value in session._repr_html_()


def test_what_differs_is_marked(session):
    text = session.ask()._repr_html_()
    assert text.count('class="differs"') == 2
    assert "<dt>price</dt>" in text


def test_a_session_built_by_hand_has_cells_and_no_charts():
    session = by_hand()
    assert "0 answers" in session._repr_html_()
    assert session.ask()._repr_html_()
    assert session.estimate()._repr_html_()
    for refused in (session.plot, lambda: session.report("report.html")):
        with pytest.raises(SettingError, match="built by hand"):
            refused()


def test_a_chart_is_chosen_by_name_and_saved(session, tmp_path):
    assert session.plot().chart.id == "chances"
    session.plot("path").save(tmp_path / "path.svg")
    assert ElementTree.parse(tmp_path / "path.svg").getroot().tag.endswith("svg")
    assert session.plot()._repr_svg_() == session.plot("chances").svg
    with pytest.raises(SettingError, match="there is no chart 'pie'; expected 'chances', 'path'"):
        session.plot("pie")
    with pytest.raises(SettingError, match=r"ends in \.svg"):
        session.plot().save(tmp_path / "path.png")


def test_a_report_is_complete_or_not_there(session, tmp_path):
    written = session.report(tmp_path / "report.html")
    assert written.read_text(encoding="utf-8").startswith("<!doctype html>")
    with pytest.raises(StudyError, match="cannot be written"):
        session.report(tmp_path / "nowhere" / "report.html")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
